import { byName, sortTextOf } from '../../domain/companies/names.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Clock } from '../../domain/core/time.ts';
import type { Table } from '../client/table.ts';
import { type ChangedCompany, readChangedCompanies, wantDirectory } from './changed-companies.ts';
import { readEntries } from './directory-merge.ts';
import { type DirectoryEntry, readBuckets, readBucketVersions } from './directory-rows.ts';

type Org = Id<'organization'>;

/** Maximum entries cached by a process, for all organizations: about 250 bytes each. */
const MAX_HELD = 250_000;
/** The number of marks at which a reader triggers a merge: each costs it the read of a company. */
const MANY_MARKS = 64;
const KEYS_A_CALL = 100;
const CONCURRENT_CALLS = 4;

/** A bucket cached by a process. */
interface HeldBucket {
  readonly version: number;
  readonly entries: readonly DirectoryEntry[];
  /** The folded names of the entries in order, one per line: searching one text is many times faster than searching each name. */
  readonly names: string;
}
type Held = Map<number, HeldBucket>;

/** The buckets cached by a process, of the most recently used organizations. Readers compare their versions first. */
class Cache {
  readonly #held = new Map<Org, Held>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** The cached buckets of an organization, which becomes the most recently used. */
  of(organizationId: Org): Held {
    const held = this.#held.get(organizationId) ?? new Map<number, HeldBucket>();
    this.#held.delete(organizationId);
    this.#held.set(organizationId, held);
    return held;
  }

  /** Evicts the least recently used organizations until the rest fits. */
  shrink(): void {
    const sizeOf = (held: Held) => [...held.values()].reduce((sum, { entries }) => sum + entries.length, 0);
    let size = [...this.#held.values()].reduce((sum, held) => sum + sizeOf(held), 0);
    for (const [organizationId, held] of this.#held) {
      if (size <= this.#max) return;
      size -= sizeOf(held);
      this.#held.delete(organizationId);
    }
  }
}

/** Filters of companies: a part of their folded names, the responsible account, an exact folded name. */
export interface DirectoryFilter {
  readonly part?: string | undefined;
  readonly responsavelId?: Id<'account'> | undefined;
}

export interface Directory {
  /** The companies that match a filter, ordered by name. Changes made before the call are included. */
  find(organizationId: Org, filter: DirectoryFilter): Promise<readonly Id<'company'>[]>;
  /** The companies with one of these folded names, unordered. */
  named(organizationId: Org, foldedNames: ReadonlySet<string>): Promise<readonly Id<'company'>[]>;
}

const hold = (version: number, entries: readonly DirectoryEntry[]): HeldBucket => ({
  version,
  entries,
  names: entries.map(({ foldedName }) => `${foldedName}\n`).join(''),
});

/**
 * The entries whose folded names contain a non-empty part; a part with a line break may match across two names, neither of which contains
 * it.
 */
const withPart = ({ entries, names }: HeldBucket, part: string): DirectoryEntry[] => {
  const found: DirectoryEntry[] = [];
  let [line, lineEnd] = [-1, -1];
  for (let at = names.indexOf(part); at !== -1; at = names.indexOf(part, lineEnd + 1)) {
    for (; lineEnd < at; line++) lineEnd = names.indexOf('\n', lineEnd + 1);
    const entry = entries[line];
    if (entry) found.push(entry);
  }
  return found;
};

/** All buckets, each at least at its version. They are cached, unless a concurrent call cached a newer version. */
const readAtVersions = async (
  table: Table,
  organizationId: Org,
  held: Held,
  versions: ReadonlyMap<number, number>,
): Promise<readonly HeldBucket[]> => {
  const known = [...versions].map(([bucket, version]) => ({ bucket, version, of: held.get(bucket) }));
  const current = known.flatMap(({ version, of }) => (of?.version === version ? [of] : []));
  const missing = known.filter(({ version, of }) => of?.version !== version);
  const calls = Array.from({ length: Math.ceil(missing.length / KEYS_A_CALL) }, (_, at) =>
    missing.slice(at * KEYS_A_CALL, (at + 1) * KEYS_A_CALL),
  );
  const read = await mapConcurrently(calls, CONCURRENT_CALLS, async (call) => {
    const buckets = call.map(({ bucket }) => bucket);
    const found = await readBuckets(table, organizationId, buckets);
    return call.map(({ bucket, version }, at) => {
      const read = hold(version, found[at]?.entries ?? []);
      if ((held.get(bucket)?.version ?? 0) < version) held.set(bucket, read);
      return read;
    });
  });
  return [...current, ...read.flat()];
};

/** Whether an entry matches a filter. */
const isSelected =
  ({ part, responsavelId }: DirectoryFilter) =>
  (entry: DirectoryEntry): boolean =>
    (part === undefined || entry.foldedName.includes(part)) &&
    (responsavelId === undefined || entry.responsavelId === responsavelId);

/**
 * The directory of an organization's companies in the table of one stage. It reads the marks of changed companies first, then the versions
 * of the buckets, those not cached at their version, and the marked companies themselves: changes made before the call are always included,
 * even during a merge. Round trips: one, then two in parallel, then one per 100 new buckets.
 */
export const companyDirectory = (table: Table, clock: Clock, maxHeld = MAX_HELD): Directory => {
  const cache = new Cache(maxHeld);

  const requestMerge = async (marks: readonly ChangedCompany[]): Promise<void> => {
    const [mark] = marks;
    if (!mark || marks.length < MANY_MARKS || marks.some(({ duePk }) => duePk !== undefined)) return;
    await wantDirectory(table, mark, clock());
  };

  /** All entries that match a condition, as of the call. `part`: a part of the folded names of all of them. */
  const select = async (
    organizationId: Org,
    selects: (entry: DirectoryEntry) => boolean,
    part = '',
  ): Promise<readonly DirectoryEntry[]> => {
    const marks = await readChangedCompanies(table, organizationId);
    const ids = marks.map(({ companyId }) => companyId);
    const [versions, changed] = await Promise.all([
      readBucketVersions(table, organizationId),
      readEntries(table, organizationId, ids),
    ]);
    const [buckets] = await Promise.all([
      readAtVersions(table, organizationId, cache.of(organizationId), versions),
      requestMerge(marks),
    ]);
    cache.shrink();
    const marked = new Set(ids);
    const merged = buckets.flatMap((bucket) => (part === '' ? bucket.entries : withPart(bucket, part)).filter(selects));
    return [
      ...merged.filter(({ id }) => !marked.has(id)),
      ...changed.flatMap((entry) => (entry && selects(entry) ? [entry] : [])),
    ];
  };

  return {
    async find(organizationId, filter) {
      const found = await select(organizationId, isSelected(filter), filter.part);
      return found
        .map(({ id, foldedName }) => ({ id, sortText: sortTextOf(foldedName) }))
        .sort(byName)
        .map(({ id }) => id);
    },
    async named(organizationId, foldedNames) {
      return (await select(organizationId, ({ foldedName }) => foldedNames.has(foldedName))).map(({ id }) => id);
    },
  };
};
