import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { OperationContract } from '../contracts/define-operation.ts';
import type { Actor, Environment } from '../domain/core/actor.ts';
import { type Refusal, refuse } from '../domain/core/errors.ts';
import type { Id } from '../domain/core/ids.ts';
import { isScope, type Scope } from '../domain/core/scopes.ts';

/** The caller as the authorizer's context for the operation. API Gateway allows text values only. */
export const toContext = (actor: Actor) => ({
  organizationId: actor.organizationId,
  env: actor.env,
  credentialId: actor.credentialId,
  kind: actor.kind,
  ...(actor.accountId ? { accountId: actor.accountId } : {}),
  scopes: [...actor.scopes].join(' '),
});

/** The caller, from the authorizer's context in the event; undefined for public operations. */
export const actorOf = ({ requestContext }: APIGatewayProxyEvent): Actor | undefined => {
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
    scopes,
  };
};

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

/** Draws from the credential's token bucket, if the contract names one: 429 when it is empty. Test keys are not limited. */
export const drawToken = async (
  { rate }: OperationContract,
  actor: Actor | undefined,
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  if (!rate || !actor || actor.env === 'test') return undefined;
  const { rateLimiter } = await import('../wiring/access/rates.ts');
  return rateLimiter(actor.credentialId, rate);
};
