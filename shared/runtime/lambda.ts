import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { finishPending, inScope } from '../wiring/process/scope.ts';

/** What middlewares of one invocation tell each other. */
interface Internal {
  readonly [name: string]: unknown;
  startedAt?: number;
}
export type Middleware<E, R> = middy.MiddlewareObj<E, R, Error, Context, Internal>;

/** The last to be used, so the first on the way out: work left behind ends before its outcome is logged or answered. */
const pendingWork = { after: finishPending, onError: finishPending };

/**
 * Makes the entry of a Lambda function: one chain in one scope, for operations, consumers, authorizer and schedules alike. The middlewares
 * run in their order before the work, and in the opposite order after it.
 *
 * middy's early time-out is off: Lambda ends a process that runs out of time, while an early answer would leave the work frozen in it, to go
 * on in the middle of a later invocation.
 */
export const lambda = <E, R>(work: (event: E) => Promise<R>, ...middlewares: readonly Middleware<E, R>[]) => {
  const chain = middy<E, R, Error, Context, Internal>({ timeoutEarlyInMillis: 0 })
    .use([...middlewares, pendingWork])
    .handler((event) => work(event));
  return (event: E, context?: Context): Promise<R> => inScope(() => chain(event, context as Context));
};
