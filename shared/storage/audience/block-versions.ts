import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/** Blocks per row: it stays below a kilobyte, one write unit. */
const BLOCKS_A_ROW = 64;
const nameOf = (block: number): string => `b${block % BLOCKS_A_ROW}`;

/** How often each block was merged; absent for one that never was. */
export type BlockVersions = ReadonlyMap<number, number>;

const versionsRow = z
  .object({ part: z.int() })
  .catchall(z.unknown())
  .transform(({ part, ...attributes }) => ({
    part,
    versions: Object.entries(attributes).filter(([name]) => /^b\d+$/.test(name)),
  }));
const version = z.int().min(1);

/**
 * Counts a merge of a block: after its columns were written, and before marks are removed. So results that were cached for a block's
 * present version are valid for all its contacts without a mark. A repeat is harmless. One write unit.
 */
export const countMerge = async (table: Table, organizationId: Id<'organization'>, block: number): Promise<void> => {
  const part = Math.floor(block / BLOCKS_A_ROW);
  await table.write({
    update: KEYS.audienceVersions(organizationId, part),
    set: { org: organizationId, part },
    add: { [nameOf(block)]: 1 },
  });
};

/** The versions of an organization's blocks. One consistent query; half a kilobyte for 64 blocks, 262,144 contacts. */
export const readVersions = async (table: Table, organizationId: Id<'organization'>): Promise<BlockVersions> => {
  const { pk } = KEYS.audienceVersions(organizationId, 0);
  const rows = await table.queryAll({ partition: pk, consistent: true });
  return new Map(
    rows
      .map((row) => versionsRow.parse(row))
      .flatMap(({ part, versions }) =>
        versions.map(([name, value]) => [part * BLOCKS_A_ROW + Number(name.slice(1)), version.parse(value)] as const),
      ),
  );
};
