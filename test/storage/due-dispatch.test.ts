import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { DueShard } from '../../shared/queues/dispatch-shard.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { publishables } from '../../shared/storage/due-work/publishable.ts';
import { listSetAside, putBack } from '../../shared/storage/due-work/set-aside.ts';
import { leaseShard } from '../../shared/storage/due-work/shard-lease.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { dueShards } from '../../shared/storage/table-indexes.ts';
import { makeDispatcher } from '../support/dispatch.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const { table } = world;
const MINUTE = 60_000;
/** Later than what the tests before left due. */
let later = world.now;
const start = () => {
  later += 48 * 60 * MINUTE;
  return later;
};

/** Of the kinds with few shards, so that a run is quick. */
const KIND = 'abandon_upload';
/** Uploads that are due at a time; the partition keys of their rows. */
const rowsDue = async (count: number, at: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => newId('upload'));
  await table.putMany(ids.map((id) => ({ ...KEYS.upload(id), ...INDEX_KEYS.due(KIND, id, at) })));
  return ids.map((id) => KEYS.upload(id).pk);
};
const idOf = (pk: string) => PARSE_KEY.upload({ pk });
/** Puts the rows as they are when their work is done. */
const done = (pks: readonly string[]) => table.putMany(pks.map((pk) => KEYS.upload(idOf(pk))));

describe('the dispatcher', () => {
  test('hands over each row once, however often it runs, while its work waits in the queue', async () => {
    const now = start();
    const due = await rowsDue(1_500, now);
    const dispatcher = makeDispatcher(table, now + 6_000);
    dispatcher.depth = 5_000;
    for (let run = 0; run < 4; run++) {
      await dispatcher.run(KIND);
      dispatcher.now += 2 * MINUTE;
    }
    expect(dispatcher.queued.toSorted()).toEqual(due.toSorted());
    await done(due);
  });

  test('hands over more rows of one moment than a turn takes, each once, in one run', async () => {
    const now = start();
    const due = await rowsDue(5_300, now);
    const dispatcher = makeDispatcher(table, now + 6_000);
    expect(await dispatcher.run(KIND)).toMatchObject({ handedOver: 5_300 });
    expect(new Set(dispatcher.queued).size).toBe(5_300);
    await done(due);
  });

  test('leaves rows alone that are not due, or only just', async () => {
    const now = start();
    const due = await rowsDue(3, now);
    const dispatcher = makeDispatcher(table, now + 2_499);
    await dispatcher.run(KIND);
    expect(dispatcher.queued).toEqual([]);
    dispatcher.now = now + 2_500;
    await dispatcher.run(KIND);
    expect(dispatcher.queued).toHaveLength(3);
    await done(due);
  });

  test('hands over what became due while it had nothing to do, however late it was written', async () => {
    const now = start();
    const first = await rowsDue(40, now);
    const dispatcher = makeDispatcher(table, now + 6_000);
    await dispatcher.run(KIND);
    await done(first);
    const late = await rowsDue(40, now - MINUTE);
    for (let run = 0; run < 4; run++) {
      dispatcher.now += MINUTE + 6_000;
      await dispatcher.run(KIND);
    }
    expect(new Set(dispatcher.queued.slice(40))).toEqual(new Set(late));
    await done(late);
  });

  test('loses nothing when the queue fails, and repeats nothing: the next run continues where this one ended', async () => {
    const now = start();
    const due = await rowsDue(2_400, now);
    let failing = true;
    const queued: string[] = [];
    const started = new Set<number>();
    const dispatcher = makeDispatcher(table, now + 6_000, {
      // Fails in the middle of every shard's turn.
      handOver: async ({ shard }, rows) => {
        if (failing && started.has(shard)) throw new Error('the queue is away');
        started.add(shard);
        queued.push(...rows.map(({ pk }) => pk));
      },
    });
    await dispatcher.run(KIND);
    expect(queued.length).toBeLessThan(due.length);
    failing = false;
    await dispatcher.run(KIND);
    expect(queued.toSorted()).toEqual(due.toSorted());
    await done(due);
  });

  test('of a shard that another one works on keeps off, until its lease is over', async () => {
    const now = start();
    const due = await rowsDue(200, now);
    const dispatcher = makeDispatcher(table, now + 6_000);
    const shards = Array.from({ length: dueShards(KIND) }, (_, shard): DueShard => {
      return { kind: KIND, shard };
    });
    for (const shard of shards) await leaseShard(table, shard, () => dispatcher.now);
    await dispatcher.run(KIND);
    expect(dispatcher.queued).toEqual([]);
    dispatcher.now += 15_001;
    await dispatcher.run(KIND);
    expect(dispatcher.queued.toSorted()).toEqual(due.toSorted());
    await done(due);
  });

  test('of a clock that is ten minutes behind the others neither fails nor holds them up', async () => {
    const now = start();
    const due = await rowsDue(200, now);
    const ahead = makeDispatcher(table, now + 10 * MINUTE);
    await ahead.run(KIND);
    const more = await rowsDue(200, now + 9 * MINUTE);
    const faults: unknown[] = [];
    const behind = makeDispatcher(table, now + 6_000, { onFault: (_, error) => faults.push(error) });
    await ahead.run(KIND);
    await behind.run(KIND);
    expect([faults, behind.queued]).toEqual([[], []]);
    expect(ahead.queued.toSorted()).toEqual([...due, ...more].toSorted());
    await done([...due, ...more]);
  });

  test('twenty concurrent runs hand each row over once, and lose none', async () => {
    const now = start();
    const due = await rowsDue(2_000, now);
    const dispatchers = Array.from({ length: 20 }, () => makeDispatcher(table, now + 6_000));
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.run(KIND)));
    expect(dispatchers.flatMap(({ queued }) => queued).toSorted()).toEqual(due.toSorted());
    await done(due);
  });
});

describe('a row that is due still after it was handed over', () => {
  /** Runs once a minute for that long; when the row was handed over, in minutes from the start. */
  const handOvers = async (pk: string, from: number, minutes: number) => {
    const dispatcher = makeDispatcher(table, from + 6_000);
    const at: number[] = [];
    let setAside = 0;
    for (let minute = 0; minute < minutes; minute++) {
      const before = dispatcher.queued.filter((each) => each === pk).length;
      setAside += (await dispatcher.run(KIND)).setAside;
      if (dispatcher.queued.filter((each) => each === pk).length > before) at.push(minute);
      dispatcher.now += MINUTE;
    }
    return { at, setAside, dispatcher };
  };

  test('is handed over again, less and less often, then set aside; the rows behind it are handed over as ever', async () => {
    const now = start();
    const [failing = ''] = await rowsDue(1, now);
    const { at, setAside, dispatcher } = await handOvers(failing, now, 300);
    const waits = at.slice(1).map((minute, index) => minute - (at[index] ?? 0));
    expect(at.length).toBe(8);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(setAside).toBe(1);
    const rows = await table.queryAll({ index: 'due', partition: INDEX_KEYS.setAside(KIND, 0).duePk });
    expect(rows.map(({ pk }) => pk)).toEqual([failing]);
    const [aside] = await listSetAside(table, KIND, 10);
    expect(aside).toMatchObject({ kind: KIND, pk: failing });
    const puts = [0, 1].map(() => putBack(table, { kind: KIND, ...KEYS.upload(idOf(failing)) }, dispatcher.now));
    expect((await Promise.all(puts)).toSorted()).toEqual([false, true]);
    dispatcher.now += 6_000;
    await dispatcher.run(KIND);
    expect(dispatcher.queued.at(-1)).toBe(failing);

    const behind = await rowsDue(30, dispatcher.now);
    dispatcher.now += 6_000;
    await dispatcher.run(KIND);
    expect(new Set(dispatcher.queued.slice(-30))).toEqual(new Set(behind));
    await done([failing, ...behind]);
  });

  test('is not set aside for what other work of its row did before', async () => {
    const now = start();
    const [pk = ''] = await rowsDue(1, now);
    const first = await handOvers(pk, now, 200);
    expect(first.setAside).toBe(0);
    const again = first.dispatcher.now;
    await table.write({ update: KEYS.upload(idOf(pk)), set: INDEX_KEYS.due(KIND, idOf(pk), again) });
    const second = await handOvers(pk, again, 200);
    expect([second.at.length, second.setAside]).toEqual([first.at.length, 0]);
    await done([pk]);
  });
});

test('a row that is handed over names its owner and its priority; rows that are gone are left out', async () => {
  const [id, plain, gone] = [newId('message'), newId('message'), newId('message')];
  const org = newId('organization');
  await table.putMany([
    { ...KEYS.message(id), org, route: 'otp', priority: 'normal' },
    { ...KEYS.message(plain), org, route: 'premium', priority: 'normal' },
  ]);
  const positions = [id, plain, gone].map((each) => ({ ...KEYS.message(each), dueAt: 0 }));
  expect(await publishables(table, { kind: 'send_message', shard: 0 }, positions)).toEqual([
    { kind: 'send_message', ...KEYS.message(id), owner: org, priority: 'critical' },
    { kind: 'send_message', ...KEYS.message(plain), owner: org, priority: 'normal' },
  ]);
});

test('20,000 rows a second of a kind that comes with every message go in and out within what a partition takes', () => {
  const kinds: WorkItem['kind'][] = ['send_message', 'recover_send', 'publish_event', 'deliver_webhook'];
  for (const kind of kinds) {
    const rows = Map.groupBy(Array.from({ length: 20_000 }), () => INDEX_KEYS.due(kind, newId('message'), 0).duePk);
    const writes = [...rows.values()].map(({ length }) => length * 2);
    expect(Math.max(...writes)).toBeLessThan(1_000);
  }
});
