import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { OperationContract } from '../contracts/define-operation.ts';
import type { PresentedCall } from '../domain/access/credentials.ts';
import { isInRanges } from '../domain/access/ip-ranges.ts';
import { PERSON_LOOKUPS } from '../domain/access/rate-limits.ts';
import type { Actor, Environment, RequestOrigin } from '../domain/core/actor.ts';
import { type Refusal, refuse } from '../domain/core/errors.ts';
import type { Id } from '../domain/core/ids.ts';
import { definedFields } from '../domain/core/patch.ts';
import { isScope, type Scope } from '../domain/core/scopes.ts';
import { callerAddress } from './edge.ts';
import { authorizationOf } from './headers.ts';

/** Represents an empty list of addresses, since an empty text may get lost in the context. */
const NOWHERE = 'none';

/** The caller as the authorizer's context for the operation. API Gateway allows text values only. */
export const toContext = (actor: Actor) => ({
  organizationId: actor.organizationId,
  env: actor.env,
  credentialId: actor.credentialId,
  kind: actor.kind,
  ...definedFields({ accountId: actor.accountId, accountName: actor.accountName }),
  scopes: [...actor.scopes].join(' '),
  ...(actor.allowedIps ? { allowedIps: actor.allowedIps.join(' ') || NOWHERE } : {}),
});

const requestOrigin = (event: APIGatewayProxyEvent): RequestOrigin => ({
  id: event.requestContext.requestId,
  ip: callerAddress(event),
});

/** The presented credential and address, for operations that authenticate again. */
export const presentedCall = (event: APIGatewayProxyEvent): PresentedCall => ({
  authorization: authorizationOf(event),
  request: requestOrigin(event),
});

/** The caller, from the authorizer's context in the event; undefined for public operations. */
export const actorOf = (event: APIGatewayProxyEvent): Actor | undefined => {
  const { requestContext } = event;
  const context = requestContext.authorizer;
  if (!context?.organizationId) return undefined;
  const scopes = new Set<Scope>();
  for (const scope of String(context.scopes ?? '').split(' ')) if (isScope(scope)) scopes.add(scope);
  return {
    organizationId: context.organizationId as Id<'organization'>,
    env: context.env as Environment,
    credentialId: String(context.credentialId) as Actor['credentialId'],
    kind: context.kind === 'session' ? 'session' : 'key',
    ...(context.accountId ? { accountId: context.accountId as Id<'account'> } : {}),
    ...(context.accountName ? { accountName: String(context.accountName) } : {}),
    scopes,
    ...(context.allowedIps === undefined ? {} : { allowedIps: String(context.allowedIps).split(' ') }),
    request: requestOrigin(event),
  };
};

const ELSEWHERE = refuse('FORBIDDEN', {
  detail: 'The key may not be used from this address.',
  meta: { motivo: 'ip_not_allowed' },
});

/** Rejects a caller outside the addresses of its key. The gateway caches by credential, not by address, so each call is checked. */
export const refuseElsewhere = (
  actor: Actor | undefined,
  event: APIGatewayProxyEvent,
): Refusal<'FORBIDDEN'> | undefined =>
  actor?.allowedIps && !isInRanges(actor.allowedIps, callerAddress(event)) ? ELSEWHERE : undefined;

/** Refuses a caller without the permission that the contract requires. */
export const permit = (
  { permission }: OperationContract,
  actor: Actor | undefined,
): Refusal<'UNAUTHORIZED' | 'FORBIDDEN'> | undefined => {
  if (permission === 'public') return undefined;
  if (!actor) return refuse('UNAUTHORIZED', 'Send `Authorization: Bearer` with an API key of this environment.');
  const scope = typeof permission === 'string' ? permission : permission.session;
  if (typeof permission !== 'string' && actor.kind !== 'session')
    return refuse('FORBIDDEN', 'Only a person in a session may do this.');
  return actor.scopes.has(scope) ? undefined : refuse('FORBIDDEN', `The credential lacks the scope ${scope}.`);
};

/** Maximum number of people that one call counts as: the burst of a credential's lookups. */
const MAX_PEOPLE = PERSON_LOOKUPS.burst;

/**
 * Admits a call that looks people up by addresses in its query or body; a list counts once per entry, at most 60. 429 if the credential
 * exceeded its limit.
 */
export const admitPersonFilter = async (
  { id, personFilters = [] }: OperationContract,
  actor: Actor | undefined,
  input: { readonly query: unknown; readonly body: unknown },
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  const given: Readonly<Record<string, unknown>> = Object.assign({}, input.body, input.query);
  const addresses = personFilters.map((name) => ({ name, count: [given[name] ?? []].flat().length }));
  const filters = addresses.filter(({ count }) => count > 0).map(({ name }) => name);
  if (!actor || filters.length === 0) return undefined;
  const people = Math.min(
    addresses.reduce((sum, { count }) => sum + count, 0),
    MAX_PEOPLE,
  );
  const { admitLookup } = await import('../wiring/access/lookups.ts');
  return admitLookup(actor, { operation: id, filters, people });
};

/**
 * For a response that reveals facts about a person identified by an address in one of `fields`: 429 instead if the credential has looked up
 * too many. `revealed` returns whether it does, or for how many people; other responses draw nothing: `create(…).then(drawLookup(contract,
 * actor, ['phone'], isTaken))`.
 */
export const drawLookup =
  <A>({ id }: OperationContract, actor: Actor, fields: readonly string[], revealed: (answer: A) => boolean | number) =>
  async <T extends A>(answer: T): Promise<T | Refusal<'RATE_LIMITED'>> => {
    const people = Number(revealed(answer));
    if (people === 0) return answer;
    const { admitLookup } = await import('../wiring/access/lookups.ts');
    return (await admitLookup(actor, { operation: id, filters: fields, people })) ?? answer;
  };

/**
 * The same for work that has not started: a credential without lookups left is refused regardless of the person, so that the refusal
 * reveals nothing. `fields`: empty if the call names no person.
 */
export const withLookup =
  <A>(
    contract: OperationContract,
    actor: Actor,
    fields: readonly string[],
    revealed: (answer: A) => boolean | number,
  ) =>
  async <T extends A>(work: () => Promise<T>): Promise<T | Refusal<'RATE_LIMITED'>> => {
    if (fields.length === 0) return work();
    const { refuseExhausted } = await import('../wiring/access/lookups.ts');
    return (await refuseExhausted(actor)) ?? drawLookup(contract, actor, fields, revealed)(await work());
  };

/** Draws from the token buckets of the credential and its organization, if the contract names a rate: 429 when one is empty. Test keys are not limited. */
export const drawToken = async (
  { rate }: OperationContract,
  actor: Actor | undefined,
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  if (!rate || !actor || actor.env === 'test') return undefined;
  const { rateLimiter } = await import('../wiring/access/rates.ts');
  return rateLimiter(actor, rate);
};
