import { getEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { templateView } from '../../shared/domain/email/template-views.ts';
import { findTemplate } from '../../shared/domain/email/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { templatePorts } from '../../shared/runtime/compose/email-templates.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const found = await findTemplate(templatePorts, actor, params.id);
  return isRefusal(found) ? found : respond(200, templateView(found));
});
