import { sendPush as contract } from '../../shared/contracts/push.ts';
import { sendPush } from '../../shared/domain/push-messages/create.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { createPushPorts } from '../../shared/wiring/push/push.ts';

export const handler = operation(contract, ({ actor, body, idempotencyKey }) =>
  sendPush(createPushPorts, actor, idempotencyKey, body),
);
