import { expect, test } from 'vitest';
import { hasDueRows, isLoopback } from '../../infra/local/due-check.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test', { inMemory: false }));
const client = patient(tableClient(world.proxy.endpoint));
const put = (due: Readonly<Record<string, string | number>>) =>
  world.table.write({ put: { pk: `X#${newId('message')}`, sk: 'X', ...due } });

test('a local dispatcher runs when a row of any kind and shard is due, and not for later rows, or rows that are not work', async () => {
  const at = 1_000_000;
  const hasDue = (now: number) => hasDueRows(client, world.table.name, now);
  expect(await hasDue(at)).toBe(false);
  await put(INDEX_KEYS.backlogOf(newId('webhook'), newId('delivery'), at - 1));
  expect(await hasDue(at)).toBe(false);
  await put(INDEX_KEYS.due('send_message', 'b', at));
  expect(await hasDue(at - 1)).toBe(false);
  expect(await hasDue(at)).toBe(true);
  client.destroy();
});

test('a table elsewhere is never read as a whole', () => {
  expect(isLoopback('http://127.0.0.1:8000')).toBe(true);
  expect(isLoopback('http://localhost:8000')).toBe(true);
  expect(isLoopback('https://dynamodb.sa-east-1.amazonaws.com')).toBe(false);
});
