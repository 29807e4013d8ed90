import { listSenders as contract } from '../../shared/contracts/senders.ts';
import { senderView } from '../../shared/domain/senders/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { senderPorts } from '../../shared/wiring/senders/senders.ts';

export const handler = operation(
  contract,
  ({ actor }) => senderPorts.senders.list(actor.organizationId),
  (senders) => ({ items: senders.map(senderView) }),
);
