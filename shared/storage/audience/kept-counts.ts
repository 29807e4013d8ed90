import * as z from 'zod';
import { BlockSet } from '../../domain/audience/block.ts';
import { countIn, type FoundInBlock } from '../../domain/audience/found.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id, packedJson, ttlAfter } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

/** If a selection matched at most this many contacts in total, their numbers are cached, too. */
const MAX_NUMBERS = 500;
/** The maximum size of a row's content as JSON, in bytes: that of a hundred million contacts takes less. */
const MAX_BYTES = 1024 * 1024;

/** The result of a selection in a block at one of its versions. */
export interface KeptBlock {
  readonly version: number;
  readonly found: FoundInBlock;
  /** When it was determined, in ms, if time alone changes the result. */
  readonly from?: number | undefined;
  /** When time alone next changes it, in ms; undefined: never. */
  readonly until?: number | undefined;
}
/** Whether a cached result is valid for a selection at `at` (ms; undefined if it doesn't depend on time), in a block at a version. */
export const isKeptAt = (kept: KeptBlock | undefined, version: number, at: number | undefined): boolean => {
  if (kept?.version !== version) return false;
  return at === undefined || (at >= (kept.from ?? at) && (kept.until === undefined || at < kept.until));
};
/** By block. */
export type KeptCounts = ReadonlyMap<number, KeptBlock>;

const counts = z.array(
  z.object({
    block: z.int(),
    version: z.int(),
    count: z.int(),
    offsets: z.array(z.int()).optional(),
    from: z.number().optional(),
    until: z.number().optional(),
  }),
);
interface CountsRow {
  readonly organizationId: Id<'organization'>;
  readonly counts: z.output<typeof counts>;
}
const countsRows = defineRow<CountsRow>()({
  attributes: { organizationId: id('organization'), counts: packedJson(MAX_BYTES, (json) => counts.parse(json)) },
  rename: { counts: 'packed' },
  key: ({ organizationId }, selection: string) => KEYS.audienceCounts(organizationId, selection),
});

const readKept = (row: Row): KeptCounts =>
  new Map(
    countsRows
      .read(row)
      .counts.map(({ block, count, offsets, ...kept }) => [
        block,
        { ...kept, found: offsets ? BlockSet.of(offsets) : count },
      ]),
  );

/** The cached counts of selections, by their keys; most have none. Consistent; one round trip per 100. */
export const readCounts = async (
  table: Table,
  organizationId: Id<'organization'>,
  selections: readonly string[],
): Promise<KeptCounts[]> => {
  const named = [...new Set(selections)];
  const rows = await table.getMany(
    named.map((key) => KEYS.audienceCounts(organizationId, key)),
    { consistent: true },
  );
  const kept = new Map(named.map((key, at) => [key, rows[at] ? readKept(rows[at]) : new Map()]));
  return selections.map((key) => kept.get(key) ?? new Map());
};

/**
 * Caches a selection's results for a day from `now` (ms). Of concurrent readers the last one wins: all their results are valid for their
 * versions. One write, a unit or two for a million contacts.
 */
export const keepCounts = async (
  table: Table,
  organizationId: Id<'organization'>,
  selection: string,
  kept: KeptCounts,
  now: number,
): Promise<void> => {
  const total = [...kept.values()].reduce((sum, { found }) => sum + countIn(found), 0);
  const blocks = [...kept].map(([block, { found, ...rest }]) => ({
    block,
    ...rest,
    count: countIn(found),
    ...(total <= MAX_NUMBERS && typeof found !== 'number' ? { offsets: [...found.newestFirst()] } : {}),
  }));
  const row = countsRows.write({ organizationId, counts: blocks }, selection);
  await table.write({ put: { ...row, ttl: ttlAfter(now) } });
};
