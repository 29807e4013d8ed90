import { type MomentPorts, publishMoments } from '../../domain/activities/moments.ts';
import type { ActivityPorts } from '../../domain/activities/ports.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { activeAccounts } from '../../storage/access/accounts.ts';
import { activityStore, momentStore } from '../../storage/activities/activities.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, publishEvents, table } from '../process/aws.ts';

export const activityPorts: ActivityPorts = {
  clock,
  store: activityStore(table),
  isActiveAccount: async (organizationId, id) => (await activeAccounts(table, organizationId, [id])).has(id),
};

const momentPorts: MomentPorts = { clock, ...momentStore(table, publishEvents) };

/** Raises the due events of an activity. */
export const processDueActivity = (item: WorkItem): Promise<void> =>
  publishMoments(momentPorts, PARSE_KEY.activity(item));
