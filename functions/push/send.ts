import { sendPush as contract } from '../../shared/contracts/push.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { sendPush } from '../../shared/domain/push/create.ts';
import { createPushPorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body, idempotencyKey }) => {
  const sent = await sendPush(createPushPorts, actor, idempotencyKey, body);
  return isRefusal(sent) ? sent : respond(201, sent);
});
