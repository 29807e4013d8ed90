import { deleteTemplate as contract } from '../../shared/contracts/templates.ts';
import { deleteTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(contract, ({ actor, params }) => deleteTemplate(templatePorts, actor, params.id));
