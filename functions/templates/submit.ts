import { submitTemplate as contract } from '../../shared/contracts/templates.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { submitTemplate } from '../../shared/domain/templates/submit.ts';
import { templateView } from '../../shared/domain/templates/views.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const outcome = await submitTemplate(templatePorts, actor, params.id);
  return isRefusal(outcome) ? outcome : respond(200, templateView(outcome));
});
