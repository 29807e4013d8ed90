import { placeOf } from '../../domain/audience/block.ts';
import { type Found, type FoundInBlock, foundIn } from '../../domain/audience/found.ts';
import type { AudienceIndex, Selection } from '../../domain/audience/selection.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Clock } from '../../domain/core/time.ts';
import type { Table } from '../client/table.ts';
import { type ChangedContact, readChanged, requestMerge } from '../contacts/changed-contacts.ts';
import { withCompaniesNow } from '../contacts/company-links.ts';
import { contactsOfNumbers, lastContactNumber } from '../contacts/contact-numbers.ts';
import { type BlockVersions, readVersions } from './block-versions.ts';
import { isKeptAt, type KeptCounts, keepCounts, readCounts } from './kept-counts.ts';
import {
  type BlockMatches,
  type BlockQuery,
  type ContactsByNumber,
  matchBlocks,
  withContacts,
} from './match-blocks.ts';
import { CONCURRENT_CALLS, readContacts } from './read-contacts.ts';

/** With fewer blocks it is cheaper to count again than to cache the counts. */
const KEPT_FROM = 8;

type Org = Id<'organization'>;

/** The contacts with these numbers, in order; deleted ones are omitted. */
const contactsAt = async (
  table: Table,
  organizationId: Org,
  numbers: readonly number[],
): Promise<readonly Contact[]> => {
  const ids = await contactsOfNumbers(table, organizationId, numbers);
  const contacts = await readContacts(
    table,
    ids.filter((id) => id !== undefined),
  );
  return withCompaniesNow(
    table,
    contacts.filter((contact) => contact !== undefined),
  );
};

/** Marked contacts in their present state. Deleted ones without a known number are not in the index. */
export const changedNow = async (table: Table, changed: readonly ChangedContact[]): Promise<ContactsByNumber> => {
  const contacts = await readContacts(
    table,
    changed.map(({ contactId }) => contactId),
  );
  return new Map(
    changed.flatMap(({ number: marked }, at) => {
      const contact = contacts[at];
      const number = contact?.number ?? marked;
      return number === undefined ? [] : [[number, contact] as const];
    }),
  );
};

/** Adds the contacts that are not indexed, evaluated by their rows. */
const withUnindexed = async (
  table: Table,
  organizationId: Org,
  matches: readonly BlockMatches[],
): Promise<BlockMatches[]> => {
  const numbers = matches.flatMap(({ unindexed }) => unindexed);
  const contacts = await contactsAt(table, organizationId, numbers);
  return withContacts(matches, new Map(contacts.map((contact) => [contact.number, contact])));
};

export interface ReaderPorts {
  /** ms. */
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly chance?: () => number;
  /** Minimum number of newly counted blocks for a selection's counts to be cached. */
  readonly keptFrom?: number;
}

/** The first reads of a pass over the index. */
interface Pass {
  readonly organizationId: Org;
  /** All blocks that contain contacts. */
  readonly blocks: readonly number[];
  readonly versions: BlockVersions;
  readonly marks: readonly ChangedContact[];
  /** The contacts with marks, and their blocks. */
  readonly markedContacts: ContactsByNumber;
  readonly marked: ReadonlySet<number>;
  readonly keptOf: (selection: Selection) => KeptCounts;
}
const beginPass = async (table: Table, organizationId: Org, selections: readonly Selection[]): Promise<Pass> => {
  const keys = selections.map(({ key }) => key);
  const [marks, kept] = await Promise.all([
    readChanged(table, organizationId),
    readCounts(table, organizationId, keys),
  ]);
  // Read after the marks: cached results of a version are valid for contacts without a mark.
  const [last, versions, markedContacts] = await Promise.all([
    lastContactNumber(table, organizationId),
    readVersions(table, organizationId),
    changedNow(table, marks),
  ]);
  const all = new Map(selections.map((selection, at) => [selection, kept[at] ?? new Map()]));
  return {
    organizationId,
    blocks: Array.from({ length: placeOf(last).block + 1 }, (_, block) => block),
    versions,
    marks,
    markedContacts,
    marked: new Set([...markedContacts.keys()].map((number) => placeOf(number).block)),
    keptOf: (selection) => all.get(selection) ?? new Map(),
  };
};

/**
 * The cost of merging a block, in marks read: about 45 write units, each at the price of five read units; a mark with its contact is one.
 */
const MERGE_PRICE = 225;
/**
 * Requests a merge of the index, with a probability at which reading marks costs as much as merging them: rarely with few readers or
 * changes, immediately if few blocks have thousands of marks.
 */
const requestMergeByChance = async (
  table: Table,
  { marks, marked }: Pass,
  { clock, chance = Math.random }: ReaderPorts,
): Promise<void> => {
  const [mark] = marks;
  // One request suffices: it stays until a merge.
  if (!mark || marked.size === 0 || marks.some(({ mergeRequested }) => mergeRequested === true)) return;
  if (chance() < marks.length / (MERGE_PRICE * marked.size)) await requestMerge(table, mark, clock());
};

/** The blocks whose columns must be read, and for which selections: those with marks, or not cached at their version. */
const queriesOf = ({ blocks, versions, marked, keptOf }: Pass, selections: readonly Selection[]): BlockQuery[] => {
  const isKept = (selection: Selection, block: number) =>
    !marked.has(block) && isKeptAt(keptOf(selection).get(block), versions.get(block) ?? 0, selection.at);
  return blocks
    .map((block) => ({ block, selections: selections.filter((selection) => !isKept(selection, block)) }))
    .filter((each) => each.selections.length > 0);
};

/** The cached counts of a selection, updated with new results; undefined if fewer than `keptFrom` blocks are new. */
const updatedCounts = (
  { versions, keptOf }: Pass,
  selection: Selection,
  matches: readonly BlockMatches[],
  keptFrom: number,
): KeptCounts | undefined => {
  const kept = keptOf(selection);
  const { at: from } = selection;
  const news = matches.flatMap(({ block, sets, nextChangeAt, unindexed }) => {
    const [found, version] = [sets.get(selection), versions.get(block) ?? 0];
    const isNew = found !== undefined && unindexed.length === 0 && !isKeptAt(kept.get(block), version, from);
    return isNew ? [[block, { version, found, from, until: nextChangeAt.get(selection) }] as const] : [];
  });
  return news.length < keptFrom ? undefined : new Map([...kept, ...news]);
};

/**
 * The audience's index over the table of one stage. It reads the marks of changed contacts first, then versions and columns of blocks, and
 * the contacts that are marked or not indexed: changes made before the call are always included, even during a merge. Blocks without marks
 * whose counts are cached at their version are only read for a page that contains them. Round trips: 16 and a read in parallel, then two in
 * parallel and one per 100 marked contacts, then one per 100 columns.
 */
export const audienceIndex = (table: Table, ports: ReaderPorts): AudienceIndex => {
  const { clock, keptFrom = KEPT_FROM } = ports;
  /** Loads the members of a page's blocks. */
  const pageLoader = (organizationId: Org, selection: Selection) => async (blocks: readonly number[]) => {
    const queries = blocks.map((block) => ({ block, selections: [selection] }));
    const matches = await withUnindexed(table, organizationId, await matchBlocks(table, organizationId, queries));
    return new Map(matches.flatMap(({ block, sets }) => [...sets.values()].map((set) => [block, set] as const)));
  };

  const keep = async (pass: Pass, selection: Selection, matches: readonly BlockMatches[]): Promise<void> => {
    const kept = updatedCounts(pass, selection, matches, keptFrom);
    if (kept) await keepCounts(table, pass.organizationId, selection.key, kept, clock());
  };

  const findEach = async (organizationId: Org, selections: readonly Selection[]): Promise<Found[]> => {
    if (selections.length === 0) return [];
    const pass = await beginPass(table, organizationId, selections);
    const matches = await matchBlocks(table, organizationId, queriesOf(pass, selections));
    const [whole] = await Promise.all([
      withUnindexed(table, organizationId, matches),
      mapConcurrently(selections, CONCURRENT_CALLS, (selection) => keep(pass, selection, matches)),
      requestMergeByChance(table, pass, ports),
    ]);
    const current = withContacts(whole, pass.markedContacts);
    return selections.map((selection) => {
      const kept = pass.keptOf(selection);
      const found = new Map<number, FoundInBlock>(pass.blocks.map((block) => [block, kept.get(block)?.found ?? 0]));
      for (const { block, sets } of current) found.set(block, sets.get(selection) ?? found.get(block) ?? 0);
      return foundIn(found, pageLoader(organizationId, selection));
    });
  };

  return {
    findEach,
    async find(organizationId, selection) {
      const [found = foundIn(new Map(), async () => new Map())] = await findEach(organizationId, [selection]);
      return found;
    },
    contacts: (organizationId, numbers) => contactsAt(table, organizationId, numbers),
  };
};
