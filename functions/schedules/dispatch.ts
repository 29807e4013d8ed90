import { lambda } from '../../shared/runtime/lambda.ts';
import { dispatchDue } from '../../shared/wiring/work/dispatch.ts';

/** Every minute: hands overdue work to its queues, so that a lost hint loses nothing. */
export const handler = lambda(dispatchDue);
