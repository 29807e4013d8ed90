import { lambda } from '../../shared/runtime/lambda.ts';
import { countOutcomes } from '../../shared/wiring/metrics/count-outcomes.ts';

/** Counts the outcomes of messages from the changes of their rows in the table's stream. */
export const handler = lambda(countOutcomes);
