import { retryWork as contract } from '../../shared/contracts/operator.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { retryWork } from '../../shared/wiring/operator/work.ts';

export const handler = operation(contract, ({ actor, body }) => retryWork(actor, body));
