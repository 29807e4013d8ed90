import * as z from 'zod';
import { BlockSet } from '../../domain/audience/block.ts';
import { NumberSet } from '../../domain/audience/number-set.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { BlockMembership } from '../../domain/segments/membership.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** A set of a block's contacts: a bitmap, or the steps between offsets, whichever is shorter; 513 bytes at most. */
const packedSet = z.codec(
  z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  z.custom<BlockSet>(),
  {
    decode: (bytes) => BlockSet.of(NumberSet.decode([[0, bytes]])),
    encode: (set) => NumberSet.of(set.newestFirst()).encode(0),
  },
);

export const memberRows = defineRow<BlockMembership>()({
  attributes: {
    ...tenant,
    block: z.int(),
    version: z.int(),
    at: time,
    segments: z.record(z.string(), z.object({ baselineAt: time, members: packedSet })),
    pendingTransitions: z.array(
      z.object({ segmentId: id('segment'), at: time, version: z.int(), entered: packedSet, left: packedSet }),
    ),
    nextChangeAt: z.number().optional(),
  },
  rename: { pendingTransitions: 'pending' },
  key: ({ organizationId, block }) => KEYS.audienceMembers(organizationId, block),
  index: ({ organizationId, block, nextChangeAt }) =>
    nextChangeAt === undefined ? {} : INDEX_KEYS.due('segment_members', `${organizationId}#${block}`, nextChangeAt),
});

/** The memberships of some blocks, in order; undefined for a block that was not evaluated yet. Consistent, one round trip. */
export const readMembers = async (
  table: Table,
  organizationId: Id<'organization'>,
  blocks: readonly number[],
): Promise<readonly (BlockMembership | undefined)[]> => {
  const keys = blocks.map((block) => KEYS.audienceMembers(organizationId, block));
  const rows = await table.getMany(keys, { consistent: true });
  return rows.map((row) => row && memberRows.read(row));
};

/** Writes a block's membership over the previous version; false if that changed. */
export const writeMembers = async (table: Table, members: BlockMembership): Promise<boolean> => {
  const when = members.version === 1 ? ABSENT : atVersion(members.version - 1);
  return (await table.write({ put: memberRows.write(members), when })).ok;
};
