import { createEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { templateView } from '../../shared/domain/email/template-views.ts';
import { createTemplate } from '../../shared/domain/email/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { templatePorts } from '../../shared/runtime/compose/email-templates.ts';
import { compileMjml } from '../../shared/runtime/mjml.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const made = await createTemplate({ ...templatePorts, compileMjml }, actor, body);
  return isRefusal(made) ? made : respond(201, templateView(made));
});
