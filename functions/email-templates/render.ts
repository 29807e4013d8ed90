import { renderEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { findTemplate, renderTemplate } from '../../shared/domain/email/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { templatePorts } from '../../shared/runtime/compose/email-templates.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const found = await findTemplate(templatePorts, actor, params.id);
  if (isRefusal(found)) return found;
  const rendered = renderTemplate(found, body.variables);
  return isRefusal(rendered) ? rendered : respond(200, rendered);
});
