import { deleteTemplate as contract } from '../../shared/contracts/templates.ts';
import { deleteTemplate } from '../../shared/domain/templates/templates.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const refused = await deleteTemplate(templatePorts, actor, params.id);
  return refused ?? respond(204, undefined);
});
