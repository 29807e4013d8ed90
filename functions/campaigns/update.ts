import { updateCampaign as contract } from '../../shared/contracts/campaigns.ts';
import { changeCampaign, msOf } from '../../shared/domain/campaigns/campaigns.ts';
import { campaignView } from '../../shared/domain/campaigns/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { campaignPorts } from '../../shared/wiring/campaigns/campaigns.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) =>
    changeCampaign(campaignPorts, actor, params.id, { ...body, scheduledAt: msOf(body.scheduledAt) }),
  campaignView,
);
