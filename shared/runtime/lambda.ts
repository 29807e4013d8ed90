import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { finishPending, inScope } from '../wiring/process/scope.ts';

/** State that middlewares share within one invocation. */
interface Internal {
  readonly [name: string]: unknown;
  startedAt?: number;
}
export type Middleware<E, R> = middy.MiddlewareObj<E, R, Error, Context, Internal>;

/** Registered last, so it runs first after the handler: pending work ends before the outcome is logged or answered. */
const pendingWork = { after: finishPending, onError: finishPending };

/** Lambda provides the remaining time of the invocation; tests may omit it. */
const remainingMs = (context: Partial<Context> | undefined): number | undefined =>
  context?.getRemainingTimeInMillis?.();

/**
 * Makes the entry of a Lambda function: one middleware chain in one scope, for operations, consumers, authorizer and schedules alike. The
 * middlewares run in their order before the work, and in reverse order after it.
 *
 * middy's early time-out is off: Lambda ends a process that runs out of time, while an early answer would leave the work frozen in it, to
 * continue in the middle of a later invocation.
 */
export const lambda = <E, R>(work: (event: E) => Promise<R>, ...middlewares: readonly Middleware<E, R>[]) => {
  const handler = middy<E, R, Error, Context, Internal>({ timeoutEarlyInMillis: 0 })
    .use([...middlewares, pendingWork])
    .handler((event) => work(event));
  return (event: E, context?: Context): Promise<R> =>
    inScope(() => handler(event, context as Context), remainingMs(context));
};
