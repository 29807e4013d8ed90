import { placeOf } from '../../domain/audience/block.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { withoutSegment } from '../../domain/segments/membership.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { lastContactNumber } from '../contacts/contact-numbers.ts';
import { readRow } from '../read-row.ts';
import { type Sweep, sweepEnd, sweepOn, sweepRows } from '../segments/sweeps.ts';
import { readMembers, writeMembers } from './member-rows.ts';
import { type MemberPorts, updateMembersOfBlock } from './members.ts';

/** Blocks per run: what an interrupted one repeats. */
const BLOCKS_A_RUN = 8;
/** Attempts at a block under contention before the run gives up. */
const MAX_ATTEMPTS = 5;

const untilDone = async (attempt: () => Promise<boolean>): Promise<void> => {
  for (let attempts = 1; !(await attempt()); attempts++)
    if (attempts === MAX_ATTEMPTS) throw new Unavailable('Others updated the block at every attempt.');
};

const removeFrom = async (table: Table, { organizationId, segmentId }: Sweep, block: number): Promise<boolean> => {
  const [members] = await readMembers(table, organizationId, [block]);
  if (!members) return true;
  const rest = withoutSegment(members, segmentId);
  return rest === members || writeMembers(table, rest);
};

/** A sweep with its last block; undefined if it was restarted meanwhile, or is done. */
const withLast = async ({ table }: MemberPorts, sweep: Sweep): Promise<Sweep | undefined> => {
  if (sweep.last !== undefined && sweep.next <= sweep.last) return sweep;
  // Blocks created meanwhile: their contacts may have been evaluated while the segment's first block was unknown.
  const last = placeOf(await lastContactNumber(table, sweep.organizationId)).block;
  if (sweep.last === undefined || last > sweep.last) {
    const { baselineTo = last } = sweep;
    return sweepOn(table, sweep, { last, baselineTo });
  }
  if (sweep.isGone) await sweepEnd(table, sweep);
  else await sweepOn(table, sweep, { resumesAt: undefined });
  return undefined;
};

/**
 * Continues to evaluate the blocks of contacts for a segment, some per run; resulting transitions are delivered as usual. True if there is
 * more to do. Idempotent, and safe to interrupt anywhere.
 */
export const sweepSegment = async (
  ports: MemberPorts,
  organizationId: Id<'organization'>,
  segmentId: Id<'segment'>,
): Promise<boolean> => {
  const { table, clock } = ports;
  const found = await readRow(table, KEYS.segmentSweep(organizationId, segmentId), sweepRows.read);
  if (found?.resumesAt === undefined || found.resumesAt > clock()) return false;
  const sweep = await withLast(ports, found);
  if (sweep?.last === undefined) return false;
  const end = Math.min(sweep.next + BLOCKS_A_RUN, sweep.last + 1);
  for (let block = sweep.next; block < end; block++)
    await untilDone(() =>
      sweep.isGone
        ? removeFrom(table, sweep, block)
        : updateMembersOfBlock(ports, sweep, block, { choose: ({ id }) => id === segmentId, isExact: false }),
    );
  return (await sweepOn(table, sweep, { next: end, resumesAt: clock() })) !== undefined;
};
