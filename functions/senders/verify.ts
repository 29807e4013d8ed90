import { verifySender as contract } from '../../shared/contracts/senders.ts';
import { verifySender } from '../../shared/domain/senders/senders.ts';
import { senderView } from '../../shared/domain/senders/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { senderPorts } from '../../shared/wiring/senders/senders.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => verifySender(senderPorts, actor, params.id),
  senderView,
);
