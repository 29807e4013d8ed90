import { listSetAsideWork as contract } from '../../shared/contracts/operator.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listSetAsideWork } from '../../shared/wiring/operator/work.ts';

export const handler = operation(contract, ({ actor, query }) => listSetAsideWork(actor, query.kind, query.limit));
