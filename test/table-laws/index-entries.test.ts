import { describe, expect, test } from 'vitest';
import type { Key } from '../../shared/storage/client/row.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { chanceOf } from '../support/chance.ts';
import { keysIn, overdueOf } from '../support/index-entries.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = Number(process.env.SEED ?? 20_261_129);
const KINDS = ['send_chunk', 'send_message', 'recover_send', 'fallback'] as const;
const ROWS = 300;
const PARTITIONS = ['LIST#a', 'LIST#a#1', 'LIST#b', 'LIST#none'];

describe.each([
  ['on the engine', false],
  ['in memory', true],
])('tests that read partitions of an index together, %s', async (_, inMemory) => {
  const world = await use(startWorld('test', { inMemory }));
  const { table } = world;
  const chance = chanceOf(SEED);
  for (let nth = 0; nth < ROWS; nth++) {
    const key = { pk: `X#${nth}`, sk: 'X' };
    const due = INDEX_KEYS.due(chance.pick(KINDS), key.pk, chance.below(1_000));
    const listed = { gsi1pk: chance.pick(PARTITIONS.slice(0, 3)), gsi1sk: `${chance.below(20)}` };
    await table.write({ put: { ...key, ...(chance.below(4) > 0 ? due : {}), ...(chance.below(2) > 0 ? listed : {}) } });
  }

  test(`find the due work that the dispatcher's queries find, in its order and number (seed ${SEED})`, async () => {
    for (const until of [-1, 0, 250, 600, 999, 5_000])
      for (const max of [20, 10_000]) {
        const queried = await Promise.all(KINDS.map((kind) => overdue(table, kind, until, max)));
        expect(await overdueOf(table, KINDS, until, max), `until ${until}, ${max}`).toEqual(queried.flat());
        if (until > 600) expect(queried.flat().length).toBeGreaterThan(20);
      }
  });

  test(`find the keys that a query of each partition finds (seed ${SEED})`, async () => {
    const requested: string[] = [];
    const query = async (partition: string): Promise<readonly Key[]> => {
      requested.push(partition);
      const rows = await table.queryAll({ index: 'gsi1', partition, only: ['pk', 'sk'] });
      return rows.map(({ pk, sk }) => ({ pk, sk }));
    };
    const together = await keysIn(table, 'gsi1', PARTITIONS, query);
    expect(requested).toEqual([]);
    expect(together).toEqual((await Promise.all(PARTITIONS.map(query))).flat());
    expect(together.length).toBeGreaterThan(100);
  });
});
