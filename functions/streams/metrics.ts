import { lambda } from '../../shared/runtime/lambda.ts';
import { countOutcomes } from '../../shared/wiring/metrics/count-outcomes.ts';

/** Counts what became of messages, as the table's stream tells of their rows. */
export const handler = lambda(countOutcomes);
