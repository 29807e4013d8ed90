import { cancel } from '../../domain/api/cancel-and-force.ts';
import { driveCampaign } from '../../domain/campaigns/drive.ts';
import type { PortionPorts } from '../../domain/campaigns/ports.ts';
import { sendPortion } from '../../domain/campaigns/send-portion.ts';
import { isRefusal } from '../../domain/core/errors.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { isCampaignPortion, PARSE_KEY } from '../../storage/parse-key.ts';
import { bulkPorts } from '../bulk/bulk.ts';
import { cancelAndForcePorts } from '../messages/cancel-and-force.ts';
import { submitPorts } from '../messages/queue-and-send.ts';
import { publishWorkAt } from '../process/aws.ts';
import { lifecyclePorts } from './campaigns.ts';
import { recipientPorts } from './recipients.ts';

export const portionPorts: PortionPorts = {
  ...lifecyclePorts,
  ...recipientPorts,
  bulk: bulkPorts,
  recipientOf: (tenant, { id }, channel) => submitPorts.recipientOf(tenant, id, channel),
  cancelMessage: async (tenant, id) => !isRefusal(await cancel(cancelAndForcePorts, tenant, id)),
  enqueuePortions: (portions) => {
    for (const { campaignId, portion, organizationId: owner, dueAt } of portions)
      publishWorkAt([{ kind: 'campaign_work', ...KEYS.campaignPortion(campaignId, portion), owner }], dueAt);
  },
};

/** Processes a work item of a campaign or of one of its portions. Safe under repeats and reordering. */
export const processCampaignItem = (item: WorkItem): Promise<void> => {
  if (!isCampaignPortion(item)) return driveCampaign(portionPorts, PARSE_KEY.campaign(item));
  const { campaignId, portion } = PARSE_KEY.campaignPortion(item);
  return sendPortion(portionPorts, campaignId, portion);
};
