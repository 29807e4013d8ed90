import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type {
  DeclaredProblem,
  OperationContract,
  OperationInput,
  OperationSuccess,
} from '../contracts/define-operation.ts';
import { isScope, type Scope } from '../domain/access/scopes.ts';
import type { Actor, Environment } from '../domain/actor.ts';
import { PROBLEMS, type ProblemName, Refusal, refuse, Unavailable } from '../domain/errors.ts';
import type { Id } from '../domain/ids.ts';
import { logger } from './observe.ts';
import { BEARER_CHALLENGE, PROBLEM_CONTENT_TYPE, problemBody } from './problem.ts';
import { readIdempotencyKey, readInput } from './request.ts';
import { inScope, type Notes } from './scope.ts';

/** What a handler receives: who calls, and the parsed parts of the request. */
export type Call<C extends OperationContract> = OperationInput<C> & {
  readonly actor: C['permission'] extends 'public' ? undefined : Actor;
  readonly idempotencyKey: C['idempotency'] extends 'required'
    ? string
    : 'optional' extends C['idempotency']
      ? string | undefined
      : undefined;
  /** The gateway's own event, for the few operations that read headers or addresses. */
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
};

export type OperationHandler<C extends OperationContract> = (
  call: Call<C>,
) => Promise<OperationSuccess<C> | Refusal<DeclaredProblem<C>>>;

/** A success of a contract: its status, kept as a literal so that the contract can be held to it, and its body. */
export const respond = <const S extends number, B>(status: S, body: B, headers?: Readonly<Record<string, string>>) => ({
  status,
  body,
  ...(headers ? { headers } : {}),
});

type Event = APIGatewayProxyEvent & { startedAt?: number; notes?: Notes };
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The caller, as the authorizer put it into the event. */
const actorOf = (event: APIGatewayProxyEvent): Actor | undefined => {
  const context = event.requestContext.authorizer;
  if (!context?.organizationId) return undefined;
  const scopes = new Set<Scope>();
  for (const scope of String(context.scopes ?? '').split(' ')) if (isScope(scope)) scopes.add(scope);
  return {
    organizationId: context.organizationId as Id<'organization'>,
    env: context.env as Environment,
    credentialId: String(context.credentialId),
    kind: context.kind === 'session' ? 'session' : 'key',
    ...(context.accountId ? { accountId: context.accountId as Id<'account'> } : {}),
    scopes,
  };
};

const permit = (
  contract: OperationContract,
  actor: Actor | undefined,
): Refusal<'UNAUTHORIZED' | 'FORBIDDEN'> | undefined => {
  const { permission } = contract;
  if (permission === 'public') return undefined;
  if (!actor) return refuse('UNAUTHORIZED', 'Send `Authorization: Bearer` with an API key of this environment.');
  const scope = typeof permission === 'string' ? permission : permission.session;
  if (typeof permission !== 'string' && actor.kind !== 'session')
    return refuse('FORBIDDEN', 'Only a person in a session may do this.');
  return actor.scopes.has(scope) ? undefined : refuse('FORBIDDEN', `The credential lacks the scope ${scope}.`);
};

const drawToken = async (contract: OperationContract, actor: Actor | undefined) => {
  if (!contract.rate || !actor || actor.env === 'test') return undefined;
  const { rateLimiter } = await import('./compose/rates.ts');
  return rateLimiter(actor.credentialId, contract.rate);
};

const answer = (event: Event, requestId: string, outcome: Answer | Refusal): APIGatewayProxyResult => {
  const headers: Record<string, string> = { 'x-request-id': requestId, 'cache-control': 'no-store' };
  if (outcome instanceof Refusal) {
    const { details, name } = outcome;
    if (details.retryAfterSeconds !== undefined) headers['retry-after'] = String(details.retryAfterSeconds);
    if (name === 'UNAUTHORIZED') headers['www-authenticate'] = BEARER_CHALLENGE;
    headers['content-type'] = PROBLEM_CONTENT_TYPE;
    return {
      statusCode: PROBLEMS[name].status,
      headers,
      body: JSON.stringify(problemBody(name, details, { instance: event.path, requestId })),
    };
  }
  Object.assign(headers, outcome.headers);
  if (outcome.body === undefined) return { statusCode: outcome.status, headers, body: '' };
  if (typeof outcome.body === 'string') return { statusCode: outcome.status, headers, body: outcome.body };
  headers['content-type'] ??= 'application/json';
  return { statusCode: outcome.status, headers, body: JSON.stringify(outcome.body) };
};

/** Faults become problems here, and only here: what is inside stays in the log. */
const refusalOf = (error: unknown): Refusal<ProblemName> => {
  if (error instanceof Unavailable) {
    logger.warn('unavailable', { reason: error.message });
    return refuse('SERVICE_UNAVAILABLE', {
      detail: 'The service is busy; try again.',
      retryAfterSeconds: error.retryAfterSeconds,
    });
  }
  logger.error('fault', error instanceof Error ? { fault: error.name, stack: error.stack } : { fault: 'not an Error' });
  return refuse('INTERNAL_ERROR', 'Something failed on our side; the request id finds it in the log.');
};

/** One line per request: ids, status and duration. */
const logged = (contract: OperationContract): middy.MiddlewareObj<Event, APIGatewayProxyResult, Error, Context> => ({
  before: ({ event }) => {
    event.startedAt = performance.now();
  },
  after: ({ event, response }) => {
    const context = event.requestContext.authorizer;
    logger.info('request', {
      operation: contract.id,
      requestId: event.requestContext.requestId,
      status: response?.statusCode,
      ms: Math.round((performance.now() - (event.startedAt ?? 0)) * 10) / 10,
      organizationId: context?.organizationId,
      credentialId: context?.credentialId,
      ...event.notes,
    });
  },
});

/**
 * Makes the Lambda handler of a contract. In this order: credential, scope, rate, Idempotency-Key, path, query, body
 * (decisions, part 4), then the rule. A problem that the contract does not declare does not compile.
 */
export const operation = <const C extends OperationContract>(contract: C, handle: OperationHandler<C>) => {
  const run = async (event: Event): Promise<APIGatewayProxyResult> => {
    const requestId = event.requestContext.requestId;
    try {
      const actor = actorOf(event);
      const denied = permit(contract, actor) ?? (await drawToken(contract, actor));
      if (denied) return answer(event, requestId, denied);
      const idempotencyKey = readIdempotencyKey(contract, event);
      if (idempotencyKey instanceof Refusal) return answer(event, requestId, idempotencyKey);
      const input = readInput(contract, event);
      if (input instanceof Refusal) return answer(event, requestId, input);
      const call = { ...input, actor, idempotencyKey, event, requestId } as unknown as Call<C>;
      event.notes = {};
      const outcome = await inScope(() => handle(call), event.notes);
      return answer(event, requestId, outcome as Answer | Refusal);
    } catch (error) {
      return answer(event, requestId, refusalOf(error));
    }
  };
  return middy<Event, APIGatewayProxyResult, Error, Context>().use(logged(contract)).handler(run);
};
