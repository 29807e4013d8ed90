import { listNumbers as contract } from '../../shared/contracts/numbers.ts';
import { numberView } from '../../shared/domain/channels/whatsapp/numbers/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { numberPorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, ...filter } }) =>
    numberPorts.numbers.page(actor.organizationId, filter, { limit, skip }),
  itemsAs(numberView),
);
