import type { NumberSet } from '../../domain/audience/number-set.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import { randomBase62 } from '../../domain/core/ids.ts';
import { pause } from '../../domain/core/pause.ts';
import type { Clock } from '../../domain/core/time.ts';
import { EDITS } from '../../domain/lists/members.ts';
import type { Edit, EditResult } from '../../domain/lists/ports.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { writeChunks } from './chunks.ts';
import { CLEAN_UP_MS, editRows } from './edit-rows.ts';
import { joinWorkItems, joinWrites } from './list-joins.ts';
import { type ChunkVersion, listRows, type StoredList, versionsOf } from './list-rows.ts';
import { membersAt } from './stored-lists.ts';

/** Recent changes that a list remembers: more than can happen while a response is lost and retried. */
const MAX_RECENT = 16;
/** The initial and the longest wait before a conflicting edit is retried, in ms; it grows with each attempt. */
const [WAIT_MS, MAX_WAIT_MS] = [25, 400];

/**
 * The table and clock of edits, and how long conflicts are retried. `onWorkItems` receives notifications for journeys for early publication; best
 * effort.
 */
export interface Editing {
  readonly table: Table;
  readonly clock: Clock;
  readonly mayRetry: () => boolean;
  readonly onWorkItems?: ((items: readonly Publishable[]) => void) | undefined;
}

/** The change of a list's members by an edit, and the chunks that it affects; absent if all. */
export interface MemberEdit {
  readonly apply: (members: NumberSet) => NumberSet;
  readonly chunks?: readonly number[] | undefined;
  /** Whether contacts added by it join the list and enter journeys; not if they only replace merged ones. */
  readonly joins?: boolean | undefined;
}
/** The edit of a call, with the contacts that it names. */
export const memberEdit = (edit: Edit, contacts: NumberSet): MemberEdit => ({
  apply: (members) => EDITS[edit](members, contacts),
  chunks: edit === 'replace' ? undefined : contacts.chunks,
  joins: edit !== 'remove',
});

/** The result of an edit on a list. */
interface Change extends EditResult {
  readonly list: StoredList;
  readonly members: NumberSet;
  /** Contacts that were not in the list before. */
  readonly joined: NumberSet;
  /** The chunks that differ. */
  readonly changed: readonly number[];
}

const changeOf = async (
  table: Table,
  first: StoredList,
  { apply, chunks }: MemberEdit,
): Promise<Change | undefined> => {
  const read = await membersAt(table, first, chunks);
  if (!read) return undefined;
  const { list, members: before } = read;
  const members = apply(before);
  const [joined, left] = [members.andNot(before), before.andNot(members)];
  const { chunks: changed } = joined.or(left);
  const total = list.size + joined.size - left.size;
  return { list, members, changed, joined, added: joined.size, removed: left.size, total };
};

/** The new versions of chunks after an edit, and all chunks of the list: empty ones have none. */
const versionsAfter = ({ list, members, changed }: Change, version: string) => {
  const full = new Set(members.chunks);
  const made: ChunkVersion[] = changed.flatMap((chunk) => (full.has(chunk) ? [{ chunk, version }] : []));
  const kept = Object.entries(list.chunks).filter(([chunk]) => !changed.includes(Number(chunk)));
  return { made, chunks: Object.fromEntries([...kept, ...made.map((one) => [one.chunk, one.version] as const)]) };
};

/** Writes a list, alone or in a transaction; returns the current list if the condition fails. */
const commitWith = async (
  table: Table,
  update: WriteOp,
  also: readonly WriteOp[],
): Promise<{ readonly ok: boolean; readonly row?: Row | undefined }> => {
  if (also.length === 0) return table.write(update);
  const outcome = await table.transact([update, ...also]);
  return outcome.ok ? outcome : { ok: false, row: outcome.reasons[0]?.row };
};

/**
 * Switches a list to the chunks of a change if it still is what they were derived from; else returns the current list, undefined if it is
 * gone.
 */
const commitChange = async (
  { table, clock }: Editing,
  { list, total }: Change,
  chunks: Readonly<Record<string, string>>,
  mark: string,
  also: readonly WriteOp[],
): Promise<'committed' | StoredList | undefined> => {
  const { version: over } = list;
  const recent = [...list.recent, mark].slice(-MAX_RECENT);
  const update: WriteOp = {
    update: KEYS.list(list.organizationId, list.id),
    set: listRows.set({ chunks, size: total, version: over + 1, recent, updatedAt: Math.max(clock(), list.updatedAt) }),
    when: { text: '#version = :over', values: { over } },
  };
  const { ok, row } = await commitWith(table, update, also);
  if (ok) return 'committed';
  const current = row && listRows.read(row);
  // Own commit, if the response to an earlier attempt was lost.
  return current?.recent.includes(mark) ? 'committed' : current;
};

/**
 * Enters contacts into journeys that joined a list by an edit which was just committed, if a journey was activated between the edit's check
 * for journeys and its commit. A crash at this point omits them.
 */
const lateJoins = async (
  { table, clock }: Editing,
  { list: { id: listId, organizationId }, joined }: Change,
  mark: string,
): Promise<readonly WriteOp[]> => {
  const writes = await joinWrites(table, { organizationId, listId }, mark, joined, clock());
  for (const write of writes) await table.write(write);
  return writes;
};

/**
 * Changes the members of a list atomically: writes the changed chunks under new versions, and switches the list to them if it still is what
 * they were derived from; else starts again from the current list. Four round trips; two, and no write, if nothing changes. Contacts that
 * join enter journeys through a row of the same transaction; if no journey is triggered by the list, one that was activated meanwhile is
 * looked for afterwards, which costs one more round trip. `since`: as in `ListEdit`. Undefined if the list is gone; throws `Unavailable` if
 * conflicts persist.
 */
export const editList = async (
  editing: Editing,
  first: StoredList,
  edit: MemberEdit,
  since?: number,
): Promise<EditResult | undefined> => {
  const { table, clock, mayRetry, onWorkItems } = editing;
  const { id: listId, organizationId } = first;
  const id = randomBase62(12);
  const leftovers: ChunkVersion[] = [];
  let list: StoredList | undefined = first;
  for (let attempt = 1; list; attempt++) {
    const change = await changeOf(table, list, edit);
    if (!change) return undefined;
    const { added, removed, total, changed } = change;
    if (changed.length === 0) return { added, removed, total };
    const mark = randomBase62(10);
    const { made, chunks } = versionsAfter(change, mark);
    leftovers.push(...versionsOf(change.list, changed), ...made);
    const own = { organizationId, listId, id, over: change.list.version, since };
    await table.write({ put: editRows.write({ ...own, chunks: leftovers, cleanUpAt: clock() + CLEAN_UP_MS }) });
    const [also] = await Promise.all([
      edit.joins ? joinWrites(table, { organizationId, listId }, mark, change.joined, clock()) : [],
      writeChunks(table, listId, made, change.members),
    ]);
    const outcome = await commitChange(editing, change, chunks, mark, also);
    if (outcome === 'committed') {
      const late = edit.joins && also.length === 0 ? await lateJoins(editing, change, mark) : [];
      onWorkItems?.(joinWorkItems([...also, ...late], organizationId));
      return { added, removed, total };
    }
    if (!mayRetry()) throw new Unavailable('The list changed at every attempt.');
    await pause(Math.random() * Math.min(WAIT_MS * attempt, MAX_WAIT_MS));
    list = outcome;
  }
  return undefined;
};
