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

const AT_ONCE = 8;

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

/** What a merge does with a block. */
interface BlockMerge {
  readonly organizationId: Id<'organization'>;
  readonly block: number;
  readonly marks: readonly Located[];
  /** The segments whose members are kept, and who is in them; undefined where there is none. */
  readonly tracked?: { readonly segments: readonly TrackedSegment[]; readonly members: BlockMembership | undefined };
}

const contactsOf = (ports: MergePorts, marks: readonly Located[]): Promise<ReadContacts> =>
  readContactsBy(ports.table, new Map(marks.map(({ number, contactId }) => [placeOf(number).offset, contactId])));

/** Compares changed contacts with the segments; true where there is none. */
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

/** Writes the columns that differ. */
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
 * Marks those again whose contact is another by now than the columns were written with, and whose mark may be taken away by a worker that found the columns
 * right before they were written.
 */
const markChanged = async (
  { table, clock }: MergePorts,
  marks: readonly Located[],
  contacts: ReadContacts,
): Promise<void> => {
  const now = await readContactsBy(table, new Map(marks.map((mark) => [mark, mark.contactId])));
  const changed = marks.filter((mark) => now.get(mark)?.version !== contacts.get(placeOf(mark.number).offset)?.version);
  await mapConcurrently(changed, AT_ONCE, (mark) => markAgain(table, mark, clock()));
};

/**
 * Brings a block up to date with some changed contacts. The contacts are read after the columns: a column that another writer brought further
 * meanwhile is not written, so that no older state of a contact takes the place of a newer one. False then, and the marks stay. Where a mark could not be
 * taken away, the contact is compared with what was written again.
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
  const cleared = isDone ? await mapConcurrently(marks, AT_ONCE, (mark) => clearChanged(table, mark)) : [];
  const kept = marks.filter((_, at) => cleared[at] !== true);
  if (writes.includes('written')) await markChanged(ports, kept, contacts);
  return isDone;
};

/** Compares the due ones of a block's changed contacts with the segments, and leaves their marks for the next merge. */
const evaluateDue = async (ports: MergePorts, merge: BlockMerge): Promise<boolean> => {
  const due = merge.marks.filter(({ duePk }) => duePk !== undefined);
  if (!(await evaluateChanges(ports, merge, await contactsOf(ports, due)))) return false;
  await mapConcurrently(due, AT_ONCE, (mark) => unscheduleChanged(ports.table, mark));
  return true;
};

/** What is read of the segments before the contacts of some blocks are: first who is in them, then what they are. */
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
  /** How many changed contacts of a block make it worth while to write its columns. */
  readonly atLeast: number;
  /** Whose block is brought up to date in any case. */
  readonly contactId?: Id<'contact'> | undefined;
}

/**
 * Brings an organization's index up to date with its changed contacts, for blocks that have at least `atLeast` of them and for the block of `contactId`;
 * where there are segments, this one is evaluated for them only, until there are as many. All blocks with changes where a reader requested it. A repeat and a second one at once do no harm. False when
 * another one was at the same block: what is left is still marked.
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
