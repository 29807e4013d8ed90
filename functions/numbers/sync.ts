import { syncNumber as contract } from '../../shared/contracts/numbers.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { numberView } from '../../shared/domain/numbers/views.ts';
import { syncWithTemplates } from '../../shared/domain/templates/import.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const outcome = await syncWithTemplates(templatePorts, actor, params.numberId);
  return isRefusal(outcome) ? outcome : respond(200, numberView(outcome));
});
