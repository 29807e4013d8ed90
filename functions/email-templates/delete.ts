import { deleteEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { deleteTemplate } from '../../shared/domain/channels/email/templates.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/email/templates.ts';

export const handler = operation(contract, ({ actor, params }) => deleteTemplate(templatePorts, actor, params.id));
