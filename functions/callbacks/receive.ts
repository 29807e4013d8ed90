import { receiveCallback as contract } from '../../shared/contracts/callbacks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { receiveCallback } from '../../shared/runtime/compose/callbacks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ params, body, event }) => {
  const answer = await receiveCallback(params, body, event);
  return isRefusal(answer) ? answer : respond(200, answer.body, answer.headers);
});
