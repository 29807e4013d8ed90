import { peekDeadLetters as contract } from '../../shared/contracts/operator.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { peekDeadLetters } from '../../shared/wiring/operator/queues.ts';

export const handler = operation(contract, ({ actor, params, query }) =>
  peekDeadLetters(actor, params.queue, query.limit),
);
