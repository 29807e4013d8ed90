import { Unavailable } from '../../domain/core/errors.ts';
import { enterMoved } from '../../domain/journeys/triggers.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { letTimePass, type MemberPorts } from '../../storage/audience/members.ts';
import { keepMemberships, raiseTransitions } from '../../storage/audience/memberships.ts';
import { sweepSegment } from '../../storage/audience/sweep-segment.ts';
import { usesJourneys } from '../../storage/automation/journey-use.ts';
import { isSegmentSweep, PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, publishEvents, publishWork, table } from '../process/aws.ts';

/** Tracks the members of segments, and notifies the consumers of transitions: their own rows, webhooks and journeys. */
export const memberPorts: MemberPorts = {
  table,
  clock,
  takers: [
    keepMemberships(table),
    raiseTransitions(table, publishEvents),
    // Journeys' code is loaded by the first organization that uses them.
    async (transitions) => {
      const [first] = transitions;
      if (!first || !(await usesJourneys(table, first.organizationId))) return;
      const { entryPorts } = await import('../runs/engine.ts');
      await enterMoved(entryPorts)(transitions);
    },
  ],
};

/** Processes due work on segment members: a block in which a time window ended, or a segment to evaluate for all contacts. */
export const processSegmentMembers = async (item: WorkItem): Promise<void> => {
  if (isSegmentSweep(item)) {
    const { organizationId, segmentId } = PARSE_KEY.segmentSweep(item);
    if (await sweepSegment(memberPorts, organizationId, segmentId)) publishWork([{ ...item, owner: organizationId }]);
    return;
  }
  const { organizationId, block } = PARSE_KEY.audienceMembers(item);
  if (!(await letTimePass(memberPorts, organizationId, block)))
    throw new Unavailable('The block was looked at by another process.');
};
