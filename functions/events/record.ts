import { recordCustomerEvent as contract } from '../../shared/contracts/customer-events.ts';
import { customerEventView } from '../../shared/domain/customer-events/customer-event.ts';
import { recordEvent } from '../../shared/domain/customer-events/record.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { customerEventPorts } from '../../shared/wiring/customer-events/customer-events.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => recordEvent(customerEventPorts, actor, body),
  ({ event, duplicate }) => respond(duplicate ? 200 : 201, customerEventView(event, duplicate)),
);
