import { deleteEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { deleteTemplate } from '../../shared/domain/email/templates.ts';
import { templatePorts } from '../../shared/runtime/compose/email-templates.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const refused = await deleteTemplate(templatePorts, actor, params.id);
  return refused ?? respond(204, undefined);
});
