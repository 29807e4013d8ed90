import { Unavailable } from '../../domain/core/errors.ts';
import { enterMoved } from '../../domain/journeys/triggers.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { letTimePass, type MemberPorts } from '../../storage/audience/members.ts';
import { keepMemberships, raiseTransitions } from '../../storage/audience/memberships.ts';
import { sweepSegment } from '../../storage/audience/sweep-segment.ts';
import { usesJourneys } from '../../storage/automation/journey-use.ts';
import { isSegmentSweep, PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, publishEvents, publishWork, table } from '../process/aws.ts';

/** What keeps the members of segments, and who is told of those that enter and leave: their own rows, the webhooks and journeys. */
export const memberPorts: MemberPorts = {
  table,
  clock,
  takers: [
    keepMemberships(table),
    raiseTransitions(table, publishEvents),
    // What journeys need is loaded by the first organization that uses them.
    async (transitions) => {
      const [first] = transitions;
      if (!first || !(await usesJourneys(table, first.organizationId))) return;
      const { entryPorts } = await import('../runs/engine.ts');
      await enterMoved(entryPorts)(transitions);
    },
  ],
};

/** Works on what is due of the members of segments: a block that time passed for, or a segment that is to be compared with all contacts. */
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
