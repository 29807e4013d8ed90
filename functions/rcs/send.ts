import { sendRcs as contract } from '../../shared/contracts/rcs.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { sendRcs } from '../../shared/domain/rcs/send.ts';
import { sendPorts } from '../../shared/runtime/compose/send.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body, idempotencyKey }) => {
  const sent = await sendRcs(sendPorts, actor, idempotencyKey, body);
  return isRefusal(sent) ? sent : respond(201, sent);
});
