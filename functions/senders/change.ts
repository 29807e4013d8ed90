import { changeSender as contract } from '../../shared/contracts/senders.ts';
import { changeSender } from '../../shared/domain/senders/senders.ts';
import { senderView } from '../../shared/domain/senders/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { senderPorts } from '../../shared/wiring/senders/senders.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeSender(senderPorts, actor, params.id, body),
  senderView,
);
