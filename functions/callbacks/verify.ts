import { verifyCallback as contract } from '../../shared/contracts/callbacks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { verifyCallback } from '../../shared/runtime/compose/callbacks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ params, query }) => {
  const answer = await verifyCallback(params, query);
  return isRefusal(answer) ? answer : respond(200, answer, { 'content-type': 'text/plain; charset=utf-8' });
});
