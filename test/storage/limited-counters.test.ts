import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { countDown, createWithin, type Limit } from '../../shared/storage/access/limits.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { commit } from '../../shared/storage/client/optimistic-commit.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { LIMIT_SHARDS } from '../../shared/storage/table-indexes.ts';
import { useContendedTable } from '../support/contended-table.ts';

const CALLERS = 24;

const { laws, ownTable, table } = await useContendedTable();

const limited = async (max: number, counted: Limit['counted'] = 'flows'): Promise<Limit> => {
  const organizationId = newId('organization');
  await table.write(organizationWrite({ id: organizationId, name: 'Loja Azul', createdAt: 0 }));
  return { organizationId, counted, max };
};
const countOf = ({ organizationId, counted }: Limit) => readCount(table, organizationId, counted);

/** Creates one object that is counted; its id where there was room. */
const create = async (own: Table, limit: Limit) => {
  const id = newId('flow');
  const row = { ...KEYS.flow(id), org: limit.organizationId };
  const outcome = await createWithin(
    own,
    limit,
    id,
    (count) => commit(own, { row, also: [count] }),
    ({ kind }) => kind === 'refused',
  );
  return outcome.kind === 'saved' ? [id] : [];
};

/** Has 24 callers, a process each, create so many objects; the ids of those for which there was room. Rejects where one is not served. */
const createAll = async (total: number, limitAt: (at: number) => Limit) => {
  let next = 0;
  const made = await Promise.all(
    Array.from({ length: CALLERS }, ownTable).map(async (own) => {
      const ids: ReturnType<typeof newId<'flow'>>[] = [];
      while (next < total) ids.push(...(await create(own, limitAt(next++))));
      return ids;
    }),
  );
  return made.flat();
};
const conflicts = () => laws.statistics().refusals.transactionConflicts ?? 0;

describe('a count with a limit', { timeout: 60_000 }, () => {
  test('serves all 24 callers who create 240 objects concurrently, with few conflicts, and counts exactly', async () => {
    const [limit, before] = [await limited(1_000), conflicts()];
    expect(await createAll(240, () => limit)).toHaveLength(240);
    expect(await countOf(limit)).toBe(240);
    // However many are in flight at once: no row counts more than a small share. One row for all refuses each of them twice.
    const keys = Array.from({ length: LIMIT_SHARDS }, (_, shard) =>
      KEYS.counter(limit.organizationId, limit.counted, shard),
    );
    const counts = (await table.getMany(keys)).map((row) => Number(row?.count ?? 0));
    expect(Math.max(...counts)).toBeLessThan(30);
    // Of 24 that are always in flight, over 32 rows, every second one meets another.
    expect(conflicts() - before).toBeLessThan(1.5 * 240);
  });

  test('is reached exactly, by 24 concurrent callers, and again after deletions', async () => {
    const limit = await limited(40);
    const ids = await createAll(60, () => limit);
    expect(ids).toHaveLength(40);
    expect(await countOf(limit)).toBe(40);
    for (const id of ids.slice(0, 7))
      await table.transact([{ delete: KEYS.flow(id) }, countDown(limit.organizationId, limit.counted, id)]);
    expect(await countOf(limit)).toBe(33);
    expect(await createAll(30, () => limit)).toHaveLength(7);
    expect(await countOf(limit)).toBe(40);
  });

  test('of fewer than there are shards is reached exactly, too', async () => {
    const limit = await limited(3);
    expect(await createAll(24, () => limit)).toHaveLength(3);
  });

  test('includes what was counted on the organization’s own row before, which moves once', async () => {
    const limit = await limited(100, 'senders');
    const { organizationId } = limit;
    await table.write({ update: KEYS.organization(organizationId), set: { senders: 95 } });
    expect(await countOf(limit)).toBe(95);
    expect(await createAll(24, () => limit)).toHaveLength(5);
    expect(await countOf(limit)).toBe(100);
    expect(await table.get(KEYS.organization(organizationId))).not.toHaveProperty('senders');
  });

  test('is separate for each kind, and not in the row of the organization', async () => {
    const { organizationId } = await limited(1_000);
    const [flows, templates] = [
      { organizationId, counted: 'flows', max: 1_000 },
      { organizationId, counted: 'templates', max: 1_000 },
    ] as const;
    await createAll(20, (at) => (at % 2 === 0 ? flows : templates));
    expect([await countOf(flows), await countOf(templates)]).toEqual([10, 10]);
    expect(Object.keys((await table.get(KEYS.organization(organizationId))) ?? {})).not.toContain('flows');
  });
});
