import { verifyCallback as contract } from '../../shared/contracts/callbacks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { verifyCallback } from '../../shared/wiring/messages/callbacks.ts';

export const handler = operation(
  contract,
  ({ params, query }) => verifyCallback(params, query),
  (challenge) => respond(200, challenge, { 'content-type': 'text/plain; charset=utf-8' }),
);
