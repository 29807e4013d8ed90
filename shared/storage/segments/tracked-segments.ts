import type { Id } from '../../domain/core/ids.ts';
import type { TrackedSegment } from '../../domain/segments/membership.ts';
import { treeOfSegment } from '../../domain/segments/segments.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { readSegment } from './segments.ts';
import { sweepRows } from './sweeps.ts';

const SWEEP = 'SWEEP#';

/** The organization's segments with tracked members. One consistent query of all segments. */
export const readTrackedSegments = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<readonly TrackedSegment[]> => {
  const rows = await table.queryAll({ partition: KEYS.segment(organizationId, '').pk, consistent: true });
  const sweeps = rows.filter(({ sk }) => sk.startsWith(SWEEP)).map(sweepRows.read);
  const baselines = new Map(sweeps.map(({ segmentId, baselineTo }) => [segmentId, baselineTo]));
  const segments = rows.filter(({ sk }) => !sk.startsWith(SWEEP)).map(readSegment);
  return segments.map((segment) => {
    const { id, env } = segment;
    return { id, env, tree: treeOfSegment(segment), baselineTo: baselines.get(id) };
  });
};
