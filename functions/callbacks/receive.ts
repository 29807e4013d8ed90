import { callbackAnswer, receiveCallback as contract } from '../../shared/contracts/callbacks.ts';
import { headersOf } from '../../shared/runtime/headers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { receiveCallback } from '../../shared/wiring/messages/callbacks.ts';

export const handler = operation(
  contract,
  ({ params, body, event }) =>
    receiveCallback(params, { query: event.multiValueQueryStringParameters, headers: headersOf(event), body }),
  (_taken, { params }) => {
    const answer = callbackAnswer(params);
    return answer ? respond(200, answer.body, { 'content-type': answer.contentType }) : '';
  },
);
