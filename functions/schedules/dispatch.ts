import { lambda } from '../../shared/runtime/lambda.ts';
import { dispatchOverdue } from '../../shared/wiring/process/dispatch.ts';

/** Every minute: publishes overdue work again, so that a lost work item loses nothing. */
export const handler = lambda(dispatchOverdue);
