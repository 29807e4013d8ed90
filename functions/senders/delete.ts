import { deleteSender as contract } from '../../shared/contracts/senders.ts';
import { deleteSender } from '../../shared/domain/senders/senders.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { senderPorts } from '../../shared/wiring/senders/senders.ts';

export const handler = operation(contract, ({ actor, params }) => deleteSender(senderPorts, actor, params.id));
