import { cancel } from '../../domain/api/cancel-and-force.ts';
import type { PortionPorts } from '../../domain/campaigns/ports.ts';
import { isRefusal } from '../../domain/core/errors.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { dropFallback } from '../../storage/messages/fallbacks.ts';
import { bulkPorts } from '../bulk/bulk.ts';
import { cancelAndForcePorts } from '../messages/cancel-and-force.ts';
import { submitPorts } from '../messages/queue-and-send.ts';
import { publishWorkAt, table } from '../process/aws.ts';
import { lifecyclePorts } from './campaigns.ts';
import { recipientPorts } from './recipients.ts';

export const portionPorts: PortionPorts = {
  ...lifecyclePorts,
  ...recipientPorts,
  bulk: bulkPorts,
  recipientOf: (tenant, { id }, channel) => submitPorts.recipientOf(tenant, id, channel),
  endFallback: (id) => dropFallback(table, id),
  cancelMessage: async (tenant, id) => !isRefusal(await cancel(cancelAndForcePorts, tenant, id)),
  enqueuePortions: (portions) => {
    for (const { campaignId, portion, organizationId: owner, dueAt } of portions)
      publishWorkAt([{ kind: 'campaign_work', ...KEYS.campaignPortion(campaignId, portion), owner }], dueAt);
  },
};
