import { listQueues as contract } from '../../shared/contracts/operator.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listQueues } from '../../shared/wiring/operator/queues.ts';

export const handler = operation(contract, ({ actor }) => listQueues(actor));
