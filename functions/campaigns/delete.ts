import { deleteCampaign as contract } from '../../shared/contracts/campaigns.ts';
import { deleteCampaign } from '../../shared/domain/campaigns/campaigns.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { campaignPorts } from '../../shared/wiring/campaigns/campaigns.ts';

export const handler = operation(contract, ({ actor, params }) => deleteCampaign(campaignPorts, actor, params.id));
