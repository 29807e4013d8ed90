import * as z from 'zod';
import { chunkOf, NumberSet } from '../../domain/audience/number-set.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Clock } from '../../domain/core/time.ts';
import type { StaticList } from '../../domain/lists/list.ts';
import { KEYS } from '../access-patterns.ts';
import { ttlAfter } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { type Editing, editList, type MemberEdit } from './edit-list.ts';
import { asList, type StoredList } from './list-rows.ts';
import { membersAt, readList, storedLists } from './stored-lists.ts';

const countRow = z.object({ count: z.int() });
const unlistedRow = z.object({ number: z.int(), by: z.int().optional() });

/** A contact that is removed from all lists, by its number, and the one that replaces it if it was merged. */
export type Unlisted = z.output<typeof unlistedRow>;

/** Removes contacts from a list, one after the other. */
const takeOut = (contacts: readonly Unlisted[]): MemberEdit => ({
  apply: (members) =>
    contacts.reduce((left, { number, by }) => {
      if (!left.has(number)) return left;
      const without = left.andNot(NumberSet.of([number]));
      return by === undefined ? without : without.or(NumberSet.of([by]));
    }, members),
  chunks: NumberSet.of(contacts.flatMap(({ number, by }) => (by === undefined ? [number] : [number, by]))).chunks,
});
/** How long edits are notified of a removed contact, in ms: longer than the clean-up of an interrupted edit is delayed. */
const NOTICE_MS = 7 * 24 * 3_600_000;
const READS_IN_FLIGHT = 16;
const EDITS_IN_FLIGHT = 8;

/** The number of contacts removed from all lists; its row does not exist at first. */
export const unlistedCount = (row: Row | undefined): number => (row ? countRow.parse(row).count : 0);

/** Notifies edits in flight of a removed contact: those that started before remove it too. */
const notifyEdits = async (
  table: Table,
  organizationId: Id<'organization'>,
  contact: Unlisted,
  now: number,
): Promise<void> => {
  const { row } = await table.write({ update: KEYS.unlistedContacts(organizationId), add: { count: 1 } });
  const key = KEYS.unlistedContact(organizationId, unlistedCount(row));
  await table.write({ put: { ...key, ...contact, ttl: ttlAfter(now + NOTICE_MS) } });
};

/** The lists that contain the contact with a number. */
const listsWith = async (table: Table, organizationId: Id<'organization'>, number: number): Promise<StoredList[]> => {
  const chunk = chunkOf(number);
  const lists = (await storedLists(table, organizationId)).filter(({ chunks }) => chunks[chunk] !== undefined);
  const read = await mapConcurrently(lists, READS_IN_FLIGHT, (list) => membersAt(table, list, [chunk]));
  return read.flatMap((found) => (found?.members.has(number) ? [found.list] : []));
};

/**
 * The lists that contain the contact with a number, unordered. A query, then a read of at most 8 KB of each list with contacts in the same
 * chunk; consistent.
 */
export const listsOfContact = async (
  table: Table,
  organizationId: Id<'organization'>,
  number: number,
): Promise<StaticList[]> => (await listsWith(table, organizationId, number)).map(asList);

/**
 * Removes a contact permanently from all lists of its organization, by its number, or replaces it by the contact that it was merged into:
 * also in lists that calls in flight are about to add it to. Call it once no lookup finds the contact any more (its own row, phone and
 * external id are gone or refer to the other), and again until it succeeds: repeats are harmless. The sizes of the lists are exact
 * afterwards. Throws `Unavailable` if the table does not answer, or a list is contended for too long.
 */
export const removeContact = async (
  table: Table,
  clock: Clock,
  organizationId: Id<'organization'>,
  contact: Unlisted,
  mayRetry = within(REMOVAL_MS),
): Promise<void> => {
  await notifyEdits(table, organizationId, contact, clock());
  const lists = await listsWith(table, organizationId, contact.number);
  const edit = takeOut([contact]);
  await mapConcurrently(lists, EDITS_IN_FLIGHT, (list) => editList({ table, clock, mayRetry }, list, edit));
};

/** How long a removal retries on a contended list, in ms. */
const REMOVAL_MS = 10_000;
/** True for this many ms from now. */
export const within = (ms: number): (() => boolean) => {
  const until = performance.now() + ms;
  return () => performance.now() < until;
};

/**
 * Removes contacts from a list that were removed from all lists after the first `since`, and that an edit may have added since; returns the
 * list's new size, undefined if there were none. One query.
 */
export const dropUnlisted = async (
  editing: Editing,
  { organizationId, id }: Pick<StaticList, 'organizationId' | 'id'>,
  since: number,
): Promise<number | undefined> => {
  const { pk: partition, sk: after } = KEYS.unlistedContact(organizationId, since);
  const rows = await editing.table.queryAll({
    partition,
    sort: { text: '#sk > :after', values: { after } },
    consistent: true,
  });
  if (rows.length === 0) return undefined;
  const list = await readList(editing.table, organizationId, id);
  const edit = takeOut(rows.map((row) => unlistedRow.parse(row)));
  return list && (await editList(editing, list, edit))?.total;
};
