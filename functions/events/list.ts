import { listCustomerEvents as contract } from '../../shared/contracts/customer-events.ts';
import { type CustomerEvent, customerEventView } from '../../shared/domain/customer-events/customer-event.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listCustomerEvents } from '../../shared/storage/customer-events/customer-events.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  async ({ actor, query }) => {
    const { from, to, name, contactId } = query;
    const filter = { from: Date.parse(from), to: Date.parse(to), name, contactId };
    return listCustomerEvents(table, filter, await cursorRequest(contract, actor, query));
  },
  itemsAs((event: CustomerEvent) => customerEventView(event, false)),
);
