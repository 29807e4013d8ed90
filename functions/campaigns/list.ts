import { listCampaigns as contract } from '../../shared/contracts/campaigns.ts';
import { listCampaigns } from '../../shared/domain/campaigns/campaigns.ts';
import { campaignView } from '../../shared/domain/campaigns/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { campaignPorts } from '../../shared/wiring/campaigns/campaigns.ts';

export const handler = operation(
  contract,
  ({ actor, query: { status, limit, skip } }) => listCampaigns(campaignPorts, actor, status, { limit, skip }),
  itemsAs(campaignView),
);
