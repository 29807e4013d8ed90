import { redriveDeadLetters as contract } from '../../shared/contracts/operator.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { redriveDeadLetters } from '../../shared/wiring/operator/queues.ts';

export const handler = operation(contract, ({ actor, params, body }) =>
  redriveDeadLetters(actor, params.queue, body.ids),
);
