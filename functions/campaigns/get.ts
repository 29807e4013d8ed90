import { getCampaign as contract } from '../../shared/contracts/campaigns.ts';
import { getCampaign } from '../../shared/domain/campaigns/campaigns.ts';
import { campaignView } from '../../shared/domain/campaigns/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { campaignPorts } from '../../shared/wiring/campaigns/campaigns.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => getCampaign(campaignPorts, actor, params.id),
  campaignView,
);
