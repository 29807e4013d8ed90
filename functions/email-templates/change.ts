import { changeEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { templateView } from '../../shared/domain/email/template-views.ts';
import { changeTemplate } from '../../shared/domain/email/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { templatePorts } from '../../shared/runtime/compose/email-templates.ts';
import { compileMjml } from '../../shared/runtime/mjml.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const changed = await changeTemplate({ ...templatePorts, compileMjml }, actor, params.id, body);
  return isRefusal(changed) ? changed : respond(200, templateView(changed));
});
