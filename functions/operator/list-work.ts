import { listStuckWork as contract } from '../../shared/contracts/operator.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listStuckWork } from '../../shared/wiring/operator/work.ts';

export const handler = operation(contract, ({ actor }) => listStuckWork(actor));
