import { createSender as contract } from '../../shared/contracts/senders.ts';
import { createSender } from '../../shared/domain/senders/senders.ts';
import { senderView } from '../../shared/domain/senders/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { senderPorts } from '../../shared/wiring/senders/senders.ts';

export const handler = operation(contract, ({ actor, body }) => createSender(senderPorts, actor, body), senderView);
