import { createMessage as contract } from '../../shared/contracts/message-create.ts';
import { createMessage } from '../../shared/domain/api/create-message.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { submitPorts } from '../../shared/wiring/messages/queue-and-send.ts';

export const handler = operation(contract, ({ actor, body, idempotencyKey }) =>
  createMessage(submitPorts, actor, idempotencyKey, body),
);
