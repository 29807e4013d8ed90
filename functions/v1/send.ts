import { v1Send as contract } from '../../shared/contracts/v1.ts';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { submitPorts } from '../../shared/wiring/messages/queue-and-send.ts';

export const handler = operation(contract, ({ actor, body, idempotencyKey }) =>
  sendV1(submitPorts, actor, idempotencyKey, body),
);
