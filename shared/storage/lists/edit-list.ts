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

/** Changes that a list remembers: more than there are while an answer is lost and asked for again. */
const MAX_RECENT = 16;
/** The longest wait before an edit that met another is tried again, in ms: it grows by the attempt to this. */
const [WAIT_MS, MAX_WAIT_MS] = [25, 400];

/** Where members are edited, by which clock, and how long an edit that met others is tried again. `told` receives what journeys are to be told of, to publish it early; it may lose it. */
export interface Editing {
  readonly table: Table;
  readonly clock: Clock;
  readonly mayRetry: () => boolean;
  readonly told?: ((items: readonly Publishable[]) => void) | undefined;
}

/** What an edit makes of the members of a list, and the chunks that it looks at; absent where it looks at all. */
export interface MemberEdit {
  readonly apply: (members: NumberSet) => NumberSet;
  readonly chunks?: readonly number[] | undefined;
  /** Whether who is in the list by it has joined it, and enters journeys: not who only takes the place of another. */
  readonly joins?: boolean | undefined;
}
/** An edit of a call: with the contacts that it names. */
export const memberEdit = (edit: Edit, contacts: NumberSet): MemberEdit => ({
  apply: (members) => EDITS[edit](members, contacts),
  chunks: edit === 'replace' ? undefined : contacts.chunks,
  joins: edit !== 'remove',
});

/** What an edit makes of a list. */
interface Change extends EditResult {
  readonly list: StoredList;
  readonly members: NumberSet;
  /** Who was not in the list before. */
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

/** The versions of chunks that an edit makes, and of all chunks of the list after it: one without members has none. */
const versionsAfter = ({ list, members, changed }: Change, version: string) => {
  const full = new Set(members.chunks);
  const made: ChunkVersion[] = changed.flatMap((chunk) => (full.has(chunk) ? [{ chunk, version }] : []));
  const kept = Object.entries(list.chunks).filter(([chunk]) => !changed.includes(Number(chunk)));
  return { made, chunks: Object.fromEntries([...kept, ...made.map((one) => [one.chunk, one.version] as const)]) };
};

/** The write of a list, alone or with others in a transaction; where it is not as expected, the list as it is. */
const commitWith = async (
  table: Table,
  update: WriteOp,
  also: readonly WriteOp[],
): Promise<{ readonly ok: boolean; readonly row?: Row | undefined }> => {
  if (also.length === 0) return table.write(update);
  const outcome = await table.transact([update, ...also]);
  return outcome.ok ? outcome : { ok: false, row: outcome.reasons[0]?.row };
};

/** Has a list name the chunks of a change if it is still what they were derived from; else answers the list as it is, undefined when it is gone. */
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
  // Ours, if the answer to an earlier attempt of this write was lost.
  return current?.recent.includes(mark) ? 'committed' : current;
};

/**
 * Has those enter journeys who joined a list by an edit that was just committed, where a journey was activated after it was asked for any, and before: a process that
 * ends right here leaves them out.
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
 * Changes the members of a list at once for all readers: writes the chunks that change under a version of their own, and has the list name them if it is
 * still what they were derived from; else begins anew from the list as it is then. Four round trips; two, and nothing written, where nothing
 * changes. Who joins it enters journeys by a row of the same transaction; where none lets contacts in by the list, one that was activated meanwhile is looked for after it, which is a round trip more. `since`: as in `ListEdit`. Undefined when the list is gone; throws `Unavailable` when others changed it for as long as it was tried.
 */
export const editList = async (
  editing: Editing,
  first: StoredList,
  edit: MemberEdit,
  since?: number,
): Promise<EditResult | undefined> => {
  const { table, clock, mayRetry, told } = editing;
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
      told?.(joinWorkItems([...also, ...late], organizationId));
      return { added, removed, total };
    }
    if (!mayRetry()) throw new Unavailable('The list changed at every attempt.');
    await pause(Math.random() * Math.min(WAIT_MS * attempt, MAX_WAIT_MS));
    list = outcome;
  }
  return undefined;
};
