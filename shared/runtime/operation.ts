import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type {
  DeclaredProblem,
  OperationContract,
  OperationInput,
  SuccessBody,
  SuccessStatus,
} from '../contracts/define-operation.ts';
import type { Actor } from '../domain/core/actor.ts';
import { isRefusal, Refusal, refuse } from '../domain/core/errors.ts';
import { logger } from '../wiring/process/observe.ts';
import { logFields } from '../wiring/process/scope.ts';
import { proxyResult, refusalOf, Success } from './answer.ts';
import { actorOf, admitPersonFilter, drawToken, permit, refuseElsewhere } from './caller.ts';
import { refuseDirect } from './edge.ts';
import { lambda, type Middleware } from './lambda.ts';
import { readIdempotencyKey, readInput } from './request.ts';

export { respond } from './answer.ts';

/** The argument of a rule: the caller and the parsed parts of the request. */
export type Call<C extends OperationContract> = OperationInput<C> & {
  readonly actor: C['permission'] extends 'public' ? undefined : Actor;
  /** Whether the caller may see personal data in full. */
  readonly unmasked: boolean;
  readonly idempotencyKey: C['idempotency'] extends 'required'
    ? string
    : 'optional' extends C['idempotency']
      ? string | undefined
      : undefined;
  /** The API Gateway event, for the few operations that need its headers. */
  readonly event: APIGatewayProxyEvent;
};

type MaybePromise<T> = T | Promise<T>;
type IsUnion<T, Each = T> = T extends Each ? ([Each] extends [T] ? false : true) : never;

/** The result of `present`: only the body if the contract has one success status, otherwise `respond(status, body, headers)`. */
type Presented<C extends OperationContract> =
  | (IsUnion<SuccessStatus<C>> extends true ? never : SuccessBody<C, SuccessStatus<C>>)
  | { [S in SuccessStatus<C>]: Success<S, SuccessBody<C, S>> }[SuccessStatus<C>];

/** A success, or a problem that the contract declares. */
type Outcome<C extends OperationContract, T> = MaybePromise<T | Refusal<DeclaredProblem<C>>>;
type Handler = (event: APIGatewayProxyEvent, context?: Context) => Promise<APIGatewayProxyResult>;

/** 404 if a rule finds nothing: `read(…).then(orNotFound('There is no such SMS.'))`. */
export const orNotFound =
  (detail: string) =>
  <T>(found: T | undefined): T | Refusal<'NOT_FOUND'> =>
    found ?? refuse('NOT_FOUND', detail);

/** Formats a page: each item by its view, all other fields unchanged. */
export const itemsAs =
  <T, V>(view: (item: T, unmasked: boolean) => V) =>
  <P extends { readonly items: readonly T[] }>(
    page: P,
    { unmasked }: { readonly unmasked: boolean },
  ): Omit<P, 'items'> & { items: V[] } => ({ ...page, items: page.items.map((item) => view(item, unmasked)) });

/** One line per request: ids, status and duration. */
const logged = ({ id }: OperationContract): Middleware<APIGatewayProxyEvent, APIGatewayProxyResult> => {
  const log: Middleware<APIGatewayProxyEvent, APIGatewayProxyResult>['after'] = ({ event, response, internal }) => {
    const { requestId, authorizer: caller } = event.requestContext;
    logger.info('request', {
      operation: id,
      requestId,
      status: response?.statusCode,
      ms: Math.round((performance.now() - (internal.startedAt ?? 0)) * 10) / 10,
      organizationId: caller?.organizationId,
      credentialId: caller?.credentialId,
      ...logFields(),
    });
  };
  const before: typeof log = ({ internal }) => {
    internal.startedAt = performance.now();
  };
  return { before, after: log, onError: log };
};

/** Answers an error with its problem document, so that the gateway never has to. */
const problems: Middleware<APIGatewayProxyEvent, APIGatewayProxyResult> = {
  onError: (request) => {
    request.response = proxyResult(request.event, refusalOf(request.error));
  },
};

/** Reads the call from the event, in this order: edge, credential, address, scope, rate, Idempotency-Key, path, query, body, lookups. */
const readCall = async (contract: OperationContract, event: APIGatewayProxyEvent) => {
  const actor = actorOf(event);
  const denied =
    refuseDirect(event) ??
    refuseElsewhere(actor, event) ??
    permit(contract, actor) ??
    (await drawToken(contract, actor));
  if (denied) return denied;
  const idempotencyKey = readIdempotencyKey(contract, event);
  if (isRefusal(idempotencyKey)) return idempotencyKey;
  const input = readInput(contract, event);
  if (isRefusal(input)) return input;
  const limited = await admitPersonFilter(contract, actor, input);
  if (limited) return limited;
  return { ...input, actor, unmasked: actor?.scopes.has('pii:full') ?? false, idempotencyKey, event };
};

/**
 * Makes the Lambda handler of a contract: reads the call, calls the rule, and presents its success; `present` never receives a refusal. The
 * status is the contract's one success status; with several, or with headers, the handler returns `respond(…)`. A problem that the contract
 * does not declare, or a body of another shape, does not compile.
 */
export function operation<const C extends OperationContract>(
  contract: C,
  rule: (call: Call<C>) => Outcome<C, Presented<C>>,
): Handler;
export function operation<const C extends OperationContract, T>(
  contract: C,
  rule: (call: Call<C>) => Outcome<C, T>,
  present: (value: T, call: Call<C>) => MaybePromise<Presented<C>>,
): Handler;
export function operation(
  contract: OperationContract,
  rule: (call: never) => Outcome<OperationContract, unknown>,
  present: (value: unknown, call: never) => unknown = (value) => value,
): Handler {
  const status = Number(Object.keys(contract.responses)[0]);
  return lambda(
    async (event) => {
      const call = await readCall(contract, event);
      const outcome = isRefusal(call) ? call : await rule(call as never);
      if (outcome instanceof Refusal) return proxyResult(event, outcome);
      const presented = await present(outcome, call as never);
      return proxyResult(event, presented instanceof Success ? presented : new Success(status, presented));
    },
    logged(contract),
    problems,
  );
}
