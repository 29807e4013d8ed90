import { dispatchDue } from '../../shared/runtime/compose/dispatch.ts';

/** Every minute: hands overdue work to its queues, so that a lost hint loses nothing. */
export const handler = dispatchDue;
