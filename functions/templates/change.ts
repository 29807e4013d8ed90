import { changeTemplate as contract } from '../../shared/contracts/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { changeTemplate } from '../../shared/domain/templates/templates.ts';
import { templateView } from '../../shared/domain/templates/views.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const outcome = await changeTemplate(templatePorts, actor, params.id, body);
  return isRefusal(outcome) ? outcome : respond(200, templateView(outcome));
});
