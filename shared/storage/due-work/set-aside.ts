import * as z from 'zod';
import type { WorkItem } from '../../queues/queues.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { isRowOf, rowKey } from './rows-of-kind.ts';

/** A work item that failed at every attempt and waits for the operator. */
export interface SetAside extends WorkItem {
  /** When it was set aside (ms). */
  readonly at: number;
}
const asideRow = z.object({ pk: z.string(), sk: z.string(), dueAt: z.number() });
const backRow = z.object({ asideFrom: z.string() });

const ofKind = (kind: WorkItem['kind']) => ({
  index: 'due' as const,
  partition: INDEX_KEYS.setAside(kind, 0).duePk,
  only: ['pk', 'sk', 'dueAt'],
});
const readAside = (kind: WorkItem['kind'], row: Row): SetAside => {
  const { dueAt, ...key } = asideRow.parse(row);
  return { kind, ...key, at: dueAt };
};

/** Up to `limit` work items of a kind that were set aside, oldest first. */
export const listSetAside = async (table: Table, kind: WorkItem['kind'], limit: number): Promise<SetAside[]> => {
  const { rows } = await table.query({ ...ofKind(kind), limit });
  return rows.map((row) => readAside(kind, row));
};

/** The work items of a kind in a partition that were set aside, however many others are older. Reads all that were set aside of the kind. */
export const findSetAside = async (table: Table, kind: WorkItem['kind'], pk: string): Promise<SetAside[]> => {
  if (!isRowOf({ kind, pk, sk: '' })) return [];
  const rows = await table.queryAll({ ...ofKind(kind), filter: { text: '#pk = :pk', values: { pk } } });
  return rows.map((row) => readAside(kind, row));
};

/** Makes a set-aside work item due immediately, with its count reset. False if it is not set aside any more. */
export const putBack = async (table: Table, item: WorkItem, now: number): Promise<boolean> => {
  const key = rowKey(item);
  const row = await table.get(key, { only: ['asideFrom'] });
  const from = backRow.safeParse(row);
  if (!from.success) return false;
  const { ok } = await table.write({
    update: key,
    set: { duePk: from.data.asideFrom, dueAt: now },
    remove: ['asideFrom', 'repeats'],
    when: { text: '#duePk = :aside', values: { aside: INDEX_KEYS.setAside(item.kind, 0).duePk } },
  });
  return ok;
};
