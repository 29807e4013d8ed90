import { previewCampaign as contract } from '../../shared/contracts/campaigns.ts';
import { previewCampaign } from '../../shared/domain/campaigns/preview.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { portionPorts } from '../../shared/wiring/campaigns/portions.ts';
import { templateTexts } from '../../shared/wiring/messages/plan.ts';

const ports = { ...portionPorts, templateTexts };

export const handler = operation(contract, ({ actor, params }) => previewCampaign(ports, actor, params.id));
