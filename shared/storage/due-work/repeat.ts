import * as z from 'zod';
import { Unavailable } from '../../domain/core/errors.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { DuePosition, DueShard, Repeated } from '../../queues/dispatch-shard.ts';
import type { WorkItem } from '../../queues/queues.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { duePartition } from '../partitions.ts';
import { rowKey } from './rows-of-kind.ts';

const MINUTE_MS = 60_000;
/**
 * Delays before a row that is still due is enqueued again, in ms, by the number of attempts. After these, about four hours, it is set
 * aside: failures of providers or receivers never count, since work that waits for them gets a new due time.
 */
const WAITS_MS = [0, 2, 5, 15, 60, 60, 60].map((minutes) => minutes * MINUTE_MS);
const WRITES_IN_FLIGHT = 16;

/** A due row for repeats. Its count applies only to the due time with which it was written: any other is new work. */
const dueRow = z.object({
  duePk: z.string().optional(),
  dueAt: z.number().optional(),
  repeats: z.object({ at: z.number(), count: z.int() }).optional(),
});
const isDueAt = (duePk: string, dueAt: number) => ({
  text: '#duePk = :duePk AND #dueAt = :dueAt',
  values: { duePk, dueAt },
});

/** The change that enqueues a row again, and whether it sets the row aside. */
const repeatOf = (
  kind: WorkItem['kind'],
  { duePk: partition, dueAt, repeats }: z.output<typeof dueRow>,
  now: number,
) => {
  const count = repeats?.at === dueAt ? (repeats?.count ?? 0) : 0;
  const wait = WAITS_MS[count];
  const at = now + (wait ?? 0);
  return wait === undefined
    ? { setAside: true, set: { ...INDEX_KEYS.setAside(kind, now), asideFrom: partition } }
    : { setAside: false, set: { dueAt: at, repeats: { at, count: count + 1 } } };
};

const writeRepeat = async (table: Table, item: WorkItem, row: Row, at: DuePosition, partition: string, now: number) => {
  const state = dueRow.parse(row);
  const { duePk, dueAt } = state;
  if (duePk !== partition || dueAt !== at.dueAt) return undefined;
  const { setAside, set } = repeatOf(item.kind, state, now);
  try {
    const { ok } = await table.write({ update: rowKey(item), set, when: isDueAt(duePk, dueAt) });
    return ok ? { setAside } : undefined;
  } catch (error) {
    // Another worker is processing it, or the table is busy: the next run finds its state then.
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
};

/**
 * Makes rows of a shard due again, with a growing delay, or sets them aside. Rows that changed since they were read are skipped. The count
 * is on the row because queue messages can be lost or purged, and a message's receive count does not carry over to the next one.
 */
export const repeatDue = async (
  table: Table,
  { kind, shard }: DueShard,
  positions: readonly DuePosition[],
  now: number,
): Promise<Repeated> => {
  const rows = await table.getMany(positions, { consistent: true });
  const partition = duePartition(kind, shard);
  const found = positions.flatMap((at, index) => {
    const row = rows[index];
    return row ? [{ at, row }] : [];
  });
  const written = await mapConcurrently(found, WRITES_IN_FLIGHT, ({ at, row }) =>
    writeRepeat(table, { kind, pk: at.pk, sk: at.sk }, row, at, partition, now),
  );
  const setAside = written.filter((each) => each?.setAside).length;
  return { repeated: written.filter((each) => each !== undefined).length - setAside, setAside };
};
