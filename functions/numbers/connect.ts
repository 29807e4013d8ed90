import { connectNumber as contract } from '../../shared/contracts/numbers.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { numberView } from '../../shared/domain/numbers/views.ts';
import { connectWithTemplates } from '../../shared/domain/templates/import.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const made = await connectWithTemplates(templatePorts, actor, body);
  return isRefusal(made) ? made : respond(201, numberView(made));
});
