import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { Outcome } from '../../shared/domain/message/outcome.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { countChanges, readCountedTo } from '../../shared/storage/metrics/count-changes.ts';
import { readOutcomeCounts } from '../../shared/storage/metrics/outcome-counts.ts';
import { type PlacedChange, readStreamBatch } from '../../shared/storage/metrics/stream-changes.ts';
import { METRIC_ROWS } from '../../shared/storage/table-indexes.ts';
import { chanceOf } from '../support/chance.ts';
import { FAULTS, onTransactions, tableFaults } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live', { inMemory: true }));
afterEach(world.reset);
const { table } = world;
const NOW = world.now;
const HOUR = NOW - (NOW % 3_600_000);

const outcome = (hour = HOUR, delivered = 0): Outcome => ({
  channel: 'sms',
  hour,
  counts: { sent: 1, unsent: 0, delivered, read: 0, coins: 800 },
});
const placeOf = (at: number): string => String(at).padStart(40, '0');
/** Changes by which messages of an organization are sent, from a place on. */
const leaving = (organizationId: Id<'organization'>, count: number, first = 1): PlacedChange[] =>
  Array.from({ length: count }, (_, at) => ({ place: placeOf(first + at), organizationId, after: outcome() }));
const batch = (shardId: string, changes: readonly PlacedChange[]) => ({ shardId, changes, unreadable: [] });
const count = (shardId: string, changes: readonly PlacedChange[], on: Table = table) =>
  countChanges(on, batch(shardId, changes), NOW);
const sentOf = async (organizationId: Id<'organization'>): Promise<number> => {
  const hours = await readOutcomeCounts(table, organizationId, { from: HOUR - 86_400_000, to: HOUR + 86_400_000 });
  return hours.reduce((sum, { counts }) => sum + counts.sent, 0);
};
let shards = 0;
const newShard = (): string => {
  shards += 1;
  return `shardId-${shards}`;
};

/** More rows than fit one transaction: each organization has two changes, far from each other in the batch. */
const wide = () => {
  const organizations = Array.from({ length: 230 }, () => newId('organization'));
  const changes = [...organizations, ...organizations].map((organizationId, at) => ({
    place: placeOf(at + 1),
    organizationId,
    after: outcome(),
  }));
  const sent = async () => new Set(await Promise.all(organizations.map(sentOf)));
  return { changes, sent };
};

/** A table whose caller dies before its nth call, or after it without receiving the answer. */
const endingAt = (nth: number, when: 'before' | 'after'): Table => {
  let calls = 0;
  return new Proxy(table, {
    get: (target, name) => {
      const own = Reflect.get(target, name) as unknown;
      if (typeof own !== 'function') return own;
      return async (...input: unknown[]) => {
        calls += 1;
        if (calls === nth && when === 'before') throw new Error('ended');
        const answer: unknown = await Reflect.apply(own, target, input);
        if (calls >= nth) throw new Error('ended');
        return answer;
      };
    },
  });
};

describe('a batch of the stream counts once', () => {
  test('whichever parts of it are repeated, and however late', async () => {
    const chance = chanceOf(7);
    const organizationId = newId('organization');
    const [shardId, changes] = [newShard(), leaving(organizationId, 500)];
    let counted = 0;
    while (counted < changes.length) {
      const from = chance.below(counted + 1);
      const to = Math.min(changes.length, from + 1 + chance.below(90));
      await count(shardId, changes.slice(from, to));
      counted = Math.max(counted, to);
      expect(await sentOf(organizationId)).toBe(counted);
    }
    await count(shardId, changes);
    expect(await sentOf(organizationId)).toBe(500);
  });

  test('whichever shard is read first: a change subtracts the earlier contribution even before that is added', async () => {
    const organizationId = newId('organization');
    const left = { place: placeOf(1), organizationId, after: outcome() };
    const delivered = { place: placeOf(9), organizationId, before: outcome(), after: outcome(HOUR, 1) };
    const [parent, child] = [newShard(), newShard()];
    for (const _ of [1, 2]) await count(child, [delivered]);
    for (const _ of [1, 2]) await count(parent, [left]);
    const [hour] = await readOutcomeCounts(table, organizationId, { from: HOUR, to: HOUR + 1 });
    expect(hour?.counts).toEqual(outcome(HOUR, 1).counts);
  });

  test.each([1, 2, 3, 4, 5, 6, 7].flatMap((nth) => [[nth, 'before'] as const, [nth, 'after'] as const]))(
    'when its consumer dies at its call %i, %s it',
    async (nth, when) => {
      const { changes, sent } = wide();
      const shardId = newShard();
      await expect(count(shardId, changes, endingAt(nth, when))).rejects.toThrow('ended');
      await count(shardId, changes);
      expect(await sent()).toEqual(new Set([2]));
    },
  );

  test.each(Object.entries(tableFaults(8)))('when every other transaction fails with: %s', async (_name, fault) => {
    const { changes, sent } = wide();
    const shardId = newShard();
    world.proxy.plan(onTransactions(fault, { every: 2 }));
    await count(shardId, changes);
    world.proxy.plan(undefined);
    expect(await sent()).toEqual(new Set([2]));
  });

  test('when twenty consumers process it at once, each split differently', async () => {
    const { changes, sent } = wide();
    const shardId = newShard();
    const consumers = Array.from({ length: 20 }, async (_, index) => {
      const size = 20 + index * 23;
      for (let at = 0; at < changes.length; at += size) await count(shardId, changes.slice(at, at + size));
    });
    await Promise.all(consumers);
    expect(await sent()).toEqual(new Set([2]));
    expect(await readCountedTo(table, shardId)).toBe(placeOf(changes.length));
  });

  test('in one transaction of two rows for a thousand changes of an organization', async () => {
    const organizationId = newId('organization');
    const calls = await world.proxy.callsOf(() => count(newShard(), leaving(organizationId, 1_000)));
    expect(calls).toEqual({ GetItem: 1, TransactWriteItems: 1 });
    expect(await sentOf(organizationId)).toBe(1_000);
  });

  test('in as many transactions as its rows need, with one read of the checkpoint', async () => {
    const { changes } = wide();
    const calls = await world.proxy.callsOf(() => count(newShard(), changes));
    expect(calls).toEqual({ GetItem: 1, TransactWriteItems: Math.ceil(changes.length / 90) });
  });

  test('without a write if no count changes', async () => {
    const organizationId = newId('organization');
    const unchanged = { place: placeOf(1), organizationId, before: outcome(), after: outcome() };
    const calls = await world.proxy.callsOf(() => count(newShard(), [unchanged]));
    expect(calls).toEqual({ GetItem: 1 });
  });
});

describe('the rows of an organization', () => {
  const rowsOf = async (organizationId: Id<'organization'>) =>
    (await table.queryAll({ partition: KEYS.metrics(organizationId, '', '', 0).pk })).map(({ sk }) => sk);

  test('are one per channel while it is quiet, and several where shards are busy with it', async () => {
    const [quiet, busy] = [newId('organization'), newId('organization')];
    for (let at = 0; at < 12; at += 1) {
      const shardId = newShard();
      await count(shardId, [...leaving(quiet, 5), ...leaving(busy, 60, 10)]);
    }
    expect(await rowsOf(quiet)).toHaveLength(1);
    expect((await rowsOf(busy)).length).toBeGreaterThan(3);
    expect([await sentOf(quiet), await sentOf(busy)]).toEqual([60, 720]);
  });

  test('are chosen by chance after a conflict, so that writers of one row separate', async () => {
    const organizationId = newId('organization');
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    world.proxy.plan(onTransactions(FAULTS.conflict(2), { last: 0 }));
    await count(newShard(), leaving(organizationId, 1));
    const [row] = await rowsOf(organizationId);
    expect(row?.split('#').at(-1)).toBe(String(METRIC_ROWS / 2));
    expect(await sentOf(organizationId)).toBe(1);
  });
});

describe('an event of the stream', () => {
  const record = (place: string, image: object) => ({
    dynamodb: { SequenceNumber: place, NewImage: image, Keys: {} },
  });

  test('lists records that cannot be read, and the rest is counted', () => {
    const key = { pk: { S: 'MSG#msg_1' }, sk: { S: 'MSG' }, direction: { S: 'outbound' } };
    const read = readStreamBatch({
      shardId: 's',
      Records: [record('7', key), record('8', { pk: { S: 'KEY#1' }, sk: { S: 'KEY' } })],
    });
    expect(read).toEqual({ shardId: 's', changes: [], unreadable: ['7'] });
  });

  test('that names no shard is refused: a repeat of it could not be recognized', () => {
    expect(() => readStreamBatch({ Records: [] })).toThrow();
    expect(() => readStreamBatch({ shardId: '', Records: [] })).toThrow();
    expect(readStreamBatch({ shardId: 's', Records: [] }).changes).toEqual([]);
  });

  test.each(['', 'x', '1'.repeat(41)])(
    'whose record has the number "%s" is refused: it has no place in the shard',
    (place) => {
      expect(() => readStreamBatch({ shardId: 's', Records: [record(place, {})] })).toThrow();
    },
  );
});
