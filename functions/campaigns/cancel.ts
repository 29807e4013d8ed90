import { cancelCampaign as contract } from '../../shared/contracts/campaigns.ts';
import { cancelCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import { campaignView } from '../../shared/domain/campaigns/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { lifecyclePorts } from '../../shared/wiring/campaigns/campaigns.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => cancelCampaign(lifecyclePorts, actor, params.id),
  campaignView,
);
