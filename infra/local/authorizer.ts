import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { AuthorizerContext } from './event.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION, type Stage } from './stages.ts';

/** The authorizer's answer to a credential. */
export type AuthResult =
  | { readonly kind: 'known'; readonly context: AuthorizerContext; readonly allows: (methodArn: string) => boolean }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'failed'; readonly reason: unknown };

const ARN = `arn:aws:execute-api:${LOCAL_REGION}:${LOCAL_ACCOUNT}:local`;
/** The ARN of a request as the authorizer gets it. */
export const methodArn = (stage: Stage, method: string, path: string): string => `${ARN}/${stage}/${method}${path}`;

const patternOf = (resource: string): RegExp =>
  new RegExp(
    `^${resource
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );

/** Evaluates the policy as IAM does: an explicit deny wins, and the default is deny. */
const readPolicy = (result: APIGatewayAuthorizerResult): ((methodArn: string) => boolean) => {
  const allowed: RegExp[] = [];
  const denied: RegExp[] = [];
  for (const statement of result.policyDocument.Statement) {
    const resources = 'Resource' in statement ? [statement.Resource].flat() : [];
    (statement.Effect === 'Allow' ? allowed : denied).push(...resources.map((resource) => patternOf(String(resource))));
  }
  const all = denied.length === 0 && allowed.some((pattern) => pattern.source === '^.*$');
  if (all) return () => true;
  return (arn) => allowed.some((pattern) => pattern.test(arn)) && !denied.some((pattern) => pattern.test(arn));
};

const contextOf = (result: APIGatewayAuthorizerResult): AuthorizerContext => {
  const context: Record<string, string | number> = { principalId: result.principalId, integrationLatency: 0 };
  for (const [name, value] of Object.entries(result.context ?? {})) if (value != null) context[name] = String(value);
  return context;
};

/** API Gateway answers 401 to exactly this error message of an authorizer, and 500 to any other. */
const UNAUTHORIZED = 'Unauthorized';

/** The authorizer function, and how long and how many of its policies are cached. */
export interface AuthorizerOptions {
  /** Runs the authorizer function. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  readonly ttlMs?: number | undefined;
  readonly maxEntries?: number;
  readonly now?: () => number;
}

/**
 * A stage's authorizer behind API Gateway's cache: policies are cached per Authorization header, refusals are not. Concurrent requests
 * with the same credential share one invocation.
 */
export const makeAuthorizer = ({ invoke, ttlMs = 30_000, maxEntries = 10_000, now = Date.now }: AuthorizerOptions) => {
  const cache = new Map<string, { readonly authResult: AuthResult; readonly until: number }>();
  const inFlight = new Map<string, Promise<AuthResult>>();

  const invokeAuthorizer = async (token: string, event: object, arn: string): Promise<AuthResult> => {
    try {
      const result = (await invoke({ ...event, type: 'REQUEST', methodArn: arn })) as APIGatewayAuthorizerResult;
      const authResult: AuthResult = { kind: 'known', context: contextOf(result), allows: readPolicy(result) };
      cache.delete(token);
      cache.set(token, { authResult, until: now() + ttlMs });
      const oldest = cache.size > maxEntries ? cache.keys().next().value : undefined;
      if (oldest !== undefined) cache.delete(oldest);
      return authResult;
    } catch (error) {
      if (error instanceof Error && error.message === UNAUTHORIZED) return { kind: 'unauthorized' };
      return { kind: 'failed', reason: error };
    } finally {
      inFlight.delete(token);
    }
  };

  return {
    /** The cached result, if it has not expired. */
    cached: (token: string): AuthResult | undefined => {
      const entry = cache.get(token);
      return entry && entry.until > now() ? entry.authResult : undefined;
    },
    /** Invokes the function, or joins an invocation in flight for the same credential; only the former calls `makeEvent`. */
    authorize: (token: string, makeEvent: () => object, arn: string): Promise<AuthResult> => {
      const pending = inFlight.get(token) ?? invokeAuthorizer(token, makeEvent(), arn);
      inFlight.set(token, pending);
      return pending;
    },
  };
};
/** A stage's authorizer with its cache. */
export type Authorizer = ReturnType<typeof makeAuthorizer>;
