import { getTemplate as contract } from '../../shared/contracts/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { findTemplate } from '../../shared/domain/templates/templates.ts';
import { templateView } from '../../shared/domain/templates/views.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const outcome = await findTemplate(templatePorts, actor, params.id);
  return isRefusal(outcome) ? outcome : respond(200, templateView(outcome));
});
