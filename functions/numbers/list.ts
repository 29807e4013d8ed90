import { listNumbers as contract } from '../../shared/contracts/numbers.ts';
import { numberView } from '../../shared/domain/numbers/views.ts';
import { numberPorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, query: { limit, skip, ...filter } }) => {
  const { items, total } = await numberPorts.numbers.page(actor.organizationId, filter, { limit, skip });
  return respond(200, { items: items.map(numberView), total });
});
