import { afterEach, describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { backlogSeconds, MAX_COUNTED, stuckWork } from '../../shared/storage/due-work/overdue-work.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { duePartition } from '../../shared/storage/partitions.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test', { inMemory: true }));
const { table } = world;
const NOW = world.now;
const GRACE_MS = 5_000;

const stored: Row[] = [];
const put = async (rows: readonly Row[]): Promise<void> => {
  stored.push(...rows);
  await table.putMany(rows);
};
afterEach(async () => {
  for (const { pk, sk } of stored.splice(0)) await table.write({ delete: { pk, sk } });
});

/** Work of a kind that has been due for so long (ms), in a partition of the index. */
const due = (kind: WorkItem['kind'], ageMs: number, shard = 0): Row => ({
  ...KEYS.message(newId('message')),
  duePk: duePartition(kind, shard),
  dueAt: NOW - ageMs,
});
const aside = (kind: WorkItem['kind']): Row => ({
  ...KEYS.message(newId('message')),
  ...INDEX_KEYS.setAside(kind, NOW),
});
const lease = (kind: WorkItem['kind'], shard: number, leasedUntil: number): Row => ({
  ...KEYS.dispatch(kind, shard),
  leasedUntil,
});

describe('the backlog of a queue', () => {
  test('is the age in seconds of its oldest due work, in any partition of any of its kinds', async () => {
    await put([
      due('send_message', 10_000),
      due('send_message', 70_999, 1),
      due('fallback', 20_000),
      due('publish_event', 900_000),
    ]);
    expect(await backlogSeconds(table, 'send', NOW)).toBe(70);
    expect(await backlogSeconds(table, 'events', NOW)).toBe(900);
  });

  test('is none while its work is not due yet, was set aside, or is of other queues', async () => {
    await put([due('send_message', -1), aside('send_message'), due('publish_event', 1_000)]);
    expect(await backlogSeconds(table, 'send', NOW)).toBeNull();
    await put([due('send_message', 0)]);
    expect(await backlogSeconds(table, 'send', NOW)).toBe(0);
  });
});

describe('stuck work', () => {
  test('is what has been due for the time of grace, by kind and partition, with the age of the oldest', async () => {
    await put([
      due('send_message', GRACE_MS),
      due('send_message', 90_000),
      due('send_message', GRACE_MS - 1, 1),
      due('send_message', 61_000, 2),
      due('publish_event', GRACE_MS - 1),
    ]);
    const shown = { leaseExpired: false };
    expect(await stuckWork(table, NOW, GRACE_MS)).toEqual([
      {
        kind: 'send_message',
        queue: 'send',
        shards: [
          { ...shown, shard: 0, overdue: 2, oldestDueSeconds: 90 },
          { ...shown, shard: 2, overdue: 1, oldestDueSeconds: 61 },
        ],
        setAside: 0,
      },
    ]);
  });

  test('is also what was set aside, without anything overdue', async () => {
    await put([aside('publish_event'), aside('publish_event')]);
    expect(await stuckWork(table, NOW, GRACE_MS)).toEqual([
      { kind: 'publish_event', queue: 'events', shards: [], setAside: 2 },
    ]);
  });

  test('says of a partition whether its last lease expired without being released', async () => {
    await put([0, 1, 2].map((shard) => due('send_message', 90_000, shard)));
    await put([lease('send_message', 0, NOW - 1), lease('send_message', 1, NOW)]);
    const [found] = await stuckWork(table, NOW, GRACE_MS);
    expect(found?.shards.map(({ shard, leaseExpired }) => [shard, leaseExpired])).toEqual([
      [0, true],
      [1, false],
      [2, false],
    ]);
  });

  test('is counted up to a limit', async () => {
    await put(Array.from({ length: MAX_COUNTED + 1 }, () => due('send_message', 90_000)));
    await put(Array.from({ length: MAX_COUNTED + 1 }, () => aside('send_message')));
    const [found] = await stuckWork(table, NOW, GRACE_MS);
    expect([found?.shards[0]?.overdue, found?.setAside]).toEqual([MAX_COUNTED, MAX_COUNTED]);
  });
});
