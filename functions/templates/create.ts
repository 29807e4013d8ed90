import { createTemplate as contract } from '../../shared/contracts/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { createTemplate } from '../../shared/domain/templates/templates.ts';
import { templateView } from '../../shared/domain/templates/views.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const made = await createTemplate(templatePorts, actor, body);
  return isRefusal(made) ? made : respond(201, templateView(made));
});
