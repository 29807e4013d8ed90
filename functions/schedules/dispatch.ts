import { lambda } from '../../shared/runtime/lambda.ts';
import { dispatchOverdue } from '../../shared/wiring/process/dispatch.ts';

/** Every minute: publishes overdue work, including work whose queue message was lost. */
export const handler = lambda(dispatchOverdue);
