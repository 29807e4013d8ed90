import { listTemplates as contract } from '../../shared/contracts/templates.ts';
import { templateView } from '../../shared/domain/templates/views.ts';
import { templatePorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, query: { limit, skip, ...filter } }) => {
  const { items, total } = await templatePorts.templates.page(actor.organizationId, filter, { limit, skip });
  return respond(200, { items: items.map(templateView), total });
});
