import { getMetrics as contract } from '../../shared/contracts/metrics.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { readMetrics } from '../../shared/wiring/metrics/metrics.ts';

export const handler = operation(contract, ({ actor, query }) => readMetrics(actor, query));
