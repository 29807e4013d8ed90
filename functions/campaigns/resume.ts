import { resumeCampaign as contract } from '../../shared/contracts/campaigns.ts';
import { resumeCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import { campaignView } from '../../shared/domain/campaigns/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { lifecyclePorts } from '../../shared/wiring/campaigns/campaigns.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => resumeCampaign(lifecyclePorts, actor, params.id, body),
  campaignView,
);
