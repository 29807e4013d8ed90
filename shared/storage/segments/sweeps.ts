import * as z from 'zod';
import type { Tenant } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Segment } from '../../domain/segments/segment.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** The progress of evaluating a segment's conditions over the existing blocks of contacts. Kept when it is done. */
export interface Sweep extends Tenant {
  readonly segmentId: Id<'segment'>;
  readonly version: number;
  /** The next block. */
  readonly next: number;
  /** The last known block; undefined until it first starts. */
  readonly last?: number | undefined;
  /** As in `TrackedSegment`. */
  readonly baselineTo?: number | undefined;
  /** The segment was deleted: its members are removed from the blocks. */
  readonly isGone: boolean;
  /** When it continues, in ms; undefined when it is done. */
  readonly resumesAt?: number | undefined;
}
export const sweepRows = defineRow<Sweep>()({
  attributes: {
    segmentId: id('segment'),
    ...tenant,
    version: z.int(),
    next: z.int(),
    last: z.int().optional(),
    baselineTo: z.int().optional(),
    isGone: z.boolean(),
    resumesAt: z.number().optional(),
  },
  rename: { resumesAt: 'goesOnAt' },
  key: ({ organizationId, segmentId }) => KEYS.segmentSweep(organizationId, segmentId),
  index: ({ segmentId, resumesAt }) =>
    resumesAt === undefined ? {} : INDEX_KEYS.due('segment_members', segmentId, resumesAt),
});

/**
 * How long after its creation the baseline of a segment is determined, in ms: until then a process may assume that the organization has no
 * segments (ten seconds), and commit what it started then (functions end after 40 s at most), so that a change would not be due.
 */
export const BASELINE_DELAY_MS = 60_000;

/** Starts the sweep of a new segment; in the transaction that creates it. */
export const sweepBegin = ({ id: segmentId, organizationId, env, createdAt }: Segment): WriteOp => ({
  put: sweepRows.write({
    segmentId,
    organizationId,
    env,
    version: 1,
    next: 0,
    isGone: false,
    resumesAt: createdAt + BASELINE_DELAY_MS,
  }),
});

/** Restarts it; in the transaction that changes the conditions or deletes the segment. */
export const restartSweep = (
  { id: segmentId, organizationId, env, createdAt }: Segment,
  at: number,
  isGone: boolean,
): WriteOp => {
  const resumesAt = isGone ? at : Math.max(at, createdAt + BASELINE_DELAY_MS);
  return {
    update: KEYS.segmentSweep(organizationId, segmentId),
    set: {
      ...sweepRows.set({ segmentId, organizationId, env, next: 0, isGone, resumesAt }),
      ...INDEX_KEYS.due('segment_members', segmentId, resumesAt),
    },
    add: { version: 1 },
  };
};

/** Updates a sweep, unless it restarted since it was read; false then. */
export const sweepOn = async (table: Table, before: Sweep, after: Partial<Sweep>): Promise<Sweep | undefined> => {
  const sweep = { ...before, ...after, version: before.version + 1 };
  const { ok } = await table.write({ put: sweepRows.write(sweep), when: atVersion(before.version) });
  return ok ? sweep : undefined;
};

/** Ends the sweep of a deleted segment. */
export const sweepEnd = async (table: Table, { organizationId, segmentId, version }: Sweep): Promise<void> => {
  await table.write({ delete: KEYS.segmentSweep(organizationId, segmentId), when: atVersion(version) });
};
