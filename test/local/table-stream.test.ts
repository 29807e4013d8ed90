import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { ensureStream, ensureTable } from '../../infra/local/resources.ts';
import { deliverStream } from '../../infra/local/table-stream.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { Table } from '../../shared/storage/client/table.ts';
import '../support/aws-environment.ts';
import { startMemoryEngine } from '../support/memory-table/engine.ts';
import { startTableEngine } from '../support/table-engine.ts';
import { use } from '../support/use.ts';

const NAME = 'streamed';
const startEmbedded = () => startTableEngine().then(({ endpoint, stop }) => ({ endpoint, close: stop }));

interface Seen {
  readonly shardId: string;
  readonly Records: readonly {
    readonly eventName: string;
    readonly dynamodb: {
      readonly SequenceNumber: string;
      readonly OldImage?: { readonly at: { readonly N: string } };
      readonly NewImage?: { readonly at: { readonly N: string } };
    };
  }[];
}
describe.each([
  ['the embedded engine', startEmbedded],
  ['the engine in memory', startMemoryEngine],
])('%s', async (_, start) => {
  const engine = await use(start());
  const client = new DynamoDBClient({ endpoint: engine.endpoint });
  const table = new Table(client, NAME);
  await ensureTable(client, NAME);

  const row = KEYS.message(newId('message'));
  const write = (at: number) => table.write({ put: { ...row, at } });
  const delivery = (consume: (event: unknown) => Promise<unknown>, after?: string) => ({
    endpoint: engine.endpoint,
    tableName: NAME,
    startAfter: async () => after,
    iterators: new Map<string, string>(),
    consume,
  });
  /** The records that a consumer receives that starts after a place. */
  const reported = async (after?: string) => {
    const events: Seen[] = [];
    const from = delivery(async (event) => events.push(event as Seen), after);
    while ((await deliverStream(from)) > 0);
    return events.flatMap(({ Records }) => Records);
  };
  const valuesOf = (records: Seen['Records']) =>
    records.map(({ dynamodb: { OldImage, NewImage } }) => [OldImage?.at.N, NewImage?.at.N]);

  test('an existing table streams its changes from then on, in order, and a consumer resumes after its checkpoint', async () => {
    await write(0);
    for (const _ of [1, 2]) await ensureStream(client, NAME);
    for (const at of [1, 2, 3]) await write(at);
    await table.write({ delete: row });
    const all = await reported();
    expect(all.map(({ eventName }) => eventName)).toEqual(['MODIFY', 'MODIFY', 'MODIFY', 'REMOVE']);
    expect(valuesOf(all)).toEqual([
      ['0', '1'],
      ['1', '2'],
      ['2', '3'],
      ['3', undefined],
    ]);
    const second = all[1]?.dynamodb.SequenceNumber.padStart(21, '0');
    expect(valuesOf(await reported(second))).toEqual([
      ['2', '3'],
      ['3', undefined],
    ]);
  });

  test('a batch that its consumer rejects is delivered again, with newer records', async () => {
    const seen: number[] = [];
    let fails = true;
    const stream = delivery(async (event) => {
      const { Records, shardId } = event as Seen;
      expect(shardId).toMatch(/^shardId-/);
      seen.push(Records.length);
      if (fails) throw new Error('not now');
    });
    const before = (await reported()).length;
    await expect(deliverStream(stream)).rejects.toThrow('not now');
    await write(9);
    fails = false;
    expect(await deliverStream(stream)).toBe(before + 1);
    expect(await deliverStream(stream)).toBe(0);
    expect(seen).toEqual([before, before + 1]);
  });
});
