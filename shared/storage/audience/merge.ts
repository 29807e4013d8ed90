import { placeOf } from '../../domain/audience/block.ts';
import { COLUMN_NAMES, changedColumn, emptyColumn } from '../../domain/audience/columns.ts';
import { digestOf, emailNumberOf, type IndexedContact } from '../../domain/audience/digest.ts';
import { gramsOf } from '../../domain/audience/grams.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { BlockMembership, ReadContacts, TrackedSegment } from '../../domain/segments/membership.ts';
import { clearChanged, markAgain, readChanged, unscheduleChanged } from '../contacts/changed-contacts.ts';
import { hasSegments } from '../contacts/standing.ts';
import { readTrackedSegments } from '../segments/tracked-segments.ts';
import { countMerge } from './block-versions.ts';
import {
  type ColumnPlace,
  type ColumnWrite,
  columnAt,
  readColumns,
  type VersionedColumn,
  writeColumn,
} from './column-rows.ts';
import { readMembers } from './member-rows.ts';
import { type MemberPorts, newMembership, updateMembersOfContacts } from './members.ts';
import { type Located, located, readContactsBy } from './read-contacts.ts';

const CONCURRENCY = 8;

/** The blind index of a trigram in an organization, as a number. */
export type GramIndex = (organizationId: Id<'organization'>, gram: string) => number;
export interface MergePorts extends MemberPorts {
  readonly indexOf: GramIndex;
}
const indexed = (contact: Contact, indexOf: GramIndex): IndexedContact => ({
  ...digestOf(contact),
  grams: [...gramsOf(contact)].map((gram) => indexOf(contact.organizationId, gram)),
  ...(contact.emailHash === undefined ? {} : { emailNumber: emailNumberOf(contact.emailHash) }),
});

/** The parameters of merging a block. */
interface BlockMerge {
  readonly organizationId: Id<'organization'>;
  readonly block: number;
  readonly marks: readonly Located[];
  /** The tracked segments, and their members; undefined if there are none. */
  readonly tracked?: { readonly segments: readonly TrackedSegment[]; readonly members: BlockMembership | undefined };
}

const contactsOf = (ports: MergePorts, marks: readonly Located[]): Promise<ReadContacts> =>
  readContactsBy(ports.table, new Map(marks.map(({ number, contactId }) => [placeOf(number).offset, contactId])));

/** Evaluates changed contacts for the segments; true if there are none. */
const evaluateChanges = async (
  ports: MergePorts,
  { organizationId, block, tracked }: BlockMerge,
  contacts: ReadContacts,
): Promise<boolean> => {
  if (!tracked) return true;
  const { segments, members } = tracked;
  const [first] = segments;
  if (!first || contacts.size === 0) return true;
  return updateMembersOfContacts(ports, members ?? newMembership(organizationId, first.env, block), segments, contacts);
};

/** Writes the changed columns. */
const writeColumns = (
  ports: MergePorts,
  places: readonly ColumnPlace[],
  columns: ReadonlyMap<string, VersionedColumn>,
  contacts: ReadContacts,
): Promise<readonly ColumnWrite[]> => {
  const changes = new Map([...contacts].map(([at, contact]) => [at, contact && indexed(contact, ports.indexOf)]));
  return Promise.all(
    places.map((place) => {
      const before = columnAt(columns, place);
      const column = changedColumn(place.name, before?.column ?? emptyColumn(place.name), changes);
      return writeColumn(ports.table, place, before, column);
    }),
  );
};

/**
 * Marks contacts again that changed since the columns were computed, because another worker that found the columns correct before this
 * write may have removed their marks.
 */
const markChanged = async (
  { table, clock }: MergePorts,
  marks: readonly Located[],
  contacts: ReadContacts,
): Promise<void> => {
  const now = await readContactsBy(table, new Map(marks.map((mark) => [mark, mark.contactId])));
  const changed = marks.filter((mark) => now.get(mark)?.version !== contacts.get(placeOf(mark.number).offset)?.version);
  await mapConcurrently(changed, CONCURRENCY, (mark) => markAgain(table, mark, clock()));
};

/**
 * Updates a block with some changed contacts. The contacts are read after the columns, and a column that another writer updated meanwhile
 * is not written, so that an older state of a contact never replaces a newer one. In that case returns false, and the marks stay. If a mark
 * could not be removed, the contact is compared with the written columns again.
 */
const mergeBlock = async (ports: MergePorts, merge: BlockMerge): Promise<boolean> => {
  const { table } = ports;
  const { organizationId, block, marks } = merge;
  const places = COLUMN_NAMES.map((name): ColumnPlace => ({ organizationId, block, name }));
  const columns = await readColumns(table, places);
  const contacts = await contactsOf(ports, marks);
  if (!(await evaluateChanges(ports, merge, contacts))) return false;
  const writes = await writeColumns(ports, places, columns, contacts);
  const isDone = !writes.includes('overtaken');
  if (isDone) await countMerge(table, organizationId, block);
  const cleared = isDone ? await mapConcurrently(marks, CONCURRENCY, (mark) => clearChanged(table, mark)) : [];
  const kept = marks.filter((_, at) => cleared[at] !== true);
  if (writes.includes('written')) await markChanged(ports, kept, contacts);
  return isDone;
};

/** Evaluates the due ones of a block's changed contacts for the segments, and leaves their marks for the next merge. */
const evaluateDue = async (ports: MergePorts, merge: BlockMerge): Promise<boolean> => {
  const due = merge.marks.filter(({ duePk }) => duePk !== undefined);
  if (!(await evaluateChanges(ports, merge, await contactsOf(ports, due)))) return false;
  await mapConcurrently(due, CONCURRENCY, (mark) => unscheduleChanged(ports.table, mark));
  return true;
};

/** Reads the segments' state before the contacts of some blocks: first the members, then the segments. */
const readTrackedOf = async (
  { table }: MergePorts,
  organizationId: Id<'organization'>,
  blocks: readonly number[],
): Promise<(at: number) => Pick<BlockMerge, 'tracked'>> => {
  if (!(await hasSegments(table, organizationId))) return () => ({});
  const members = await readMembers(table, organizationId, blocks);
  const segments = await readTrackedSegments(table, organizationId);
  return (at) => ({ tracked: { segments, members: members[at] } });
};

export interface MergeScope {
  /** The minimum number of changed contacts for which a block's columns are written. */
  readonly atLeast: number;
  /** A contact whose block is updated in any case. */
  readonly contactId?: Id<'contact'> | undefined;
}

/**
 * Updates an organization's index with its changed contacts, for blocks with at least `atLeast` of them and for the block of `contactId`;
 * while that has fewer, it is only evaluated for the segments, if any. If a reader requested it, all blocks with changes. Safe to repeat
 * and to run concurrently. False if another worker updated the same block: the remaining contacts are still marked.
 */
export const mergeChanges = async (
  ports: MergePorts,
  organizationId: Id<'organization'>,
  { atLeast: few, contactId }: MergeScope,
): Promise<boolean> => {
  const marks = await located(ports.table, await readChanged(ports.table, organizationId));
  const atLeast = marks.some(({ mergeRequested }) => mergeRequested === true) ? 1 : few;
  const chosen = [...Map.groupBy(marks, ({ number }) => placeOf(number).block)].filter(
    ([, changed]) => changed.length >= atLeast || changed.some((mark) => mark.contactId === contactId),
  );
  const trackedOf = await readTrackedOf(
    ports,
    organizationId,
    chosen.map(([block]) => block),
  );
  const merges = chosen.map(([block, changed], at): BlockMerge => {
    return { organizationId, block, marks: changed, ...trackedOf(at) };
  });
  const merged = await mapConcurrently(merges, 2, (merge) =>
    merge.tracked && merge.marks.length < atLeast ? evaluateDue(ports, merge) : mergeBlock(ports, merge),
  );
  return !merged.includes(false);
};
