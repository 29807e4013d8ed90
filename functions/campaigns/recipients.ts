import { listCampaignRecipients as contract } from '../../shared/contracts/campaigns.ts';
import { campaignRecipients, type Recipient } from '../../shared/domain/campaigns/recipients.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { recipientPorts } from '../../shared/wiring/campaigns/recipients.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const request = await cursorRequest(contract, actor, { ...query, ...params });
    const { status, variant } = query;
    return campaignRecipients(recipientPorts, actor, params.id, { ...request, status, variant });
  },
  itemsAs((recipient: Recipient) => recipient),
);
