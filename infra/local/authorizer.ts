import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { AuthorizerContext } from './event.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION, type Stage } from './stages.ts';

/** What the authorizer said of a credential. */
export type Verdict =
  | { readonly kind: 'known'; readonly context: AuthorizerContext; readonly allows: (methodArn: string) => boolean }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'failed'; readonly reason: unknown };

const ARN = `arn:aws:execute-api:${LOCAL_REGION}:${LOCAL_ACCOUNT}:local`;
export const methodArn = (stage: Stage, method: string, path: string): string => `${ARN}/${stage}/${method}${path}`;

const patternOf = (resource: string): RegExp =>
  new RegExp(
    `^${resource
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );

/** Reads the policy as IAM does: an explicit deny wins, and what nothing allows is denied. */
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

/** API Gateway takes exactly this message for "no such credential"; anything else that is thrown is a fault. */
const UNAUTHORIZED = 'Unauthorized';

export interface AuthorizerOptions {
  /** Runs the authorizer function. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  readonly ttlMs?: number;
  readonly maxEntries?: number;
  readonly now?: () => number;
}

/**
 * A stage's authorizer with the gateway's cache in front: policies are kept per Authorization header, refusals are not.
 * Equal credentials that arrive together are asked for once.
 */
export const makeAuthorizer = ({ invoke, ttlMs = 30_000, maxEntries = 10_000, now = Date.now }: AuthorizerOptions) => {
  const kept = new Map<string, { readonly verdict: Verdict; readonly until: number }>();
  const asking = new Map<string, Promise<Verdict>>();

  const ask = async (token: string, event: object, arn: string): Promise<Verdict> => {
    try {
      const result = (await invoke({ ...event, type: 'REQUEST', methodArn: arn })) as APIGatewayAuthorizerResult;
      const verdict: Verdict = { kind: 'known', context: contextOf(result), allows: readPolicy(result) };
      kept.delete(token);
      kept.set(token, { verdict, until: now() + ttlMs });
      const oldest = kept.size > maxEntries ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      return verdict;
    } catch (error) {
      if (error instanceof Error && error.message === UNAUTHORIZED) return { kind: 'unauthorized' };
      return { kind: 'failed', reason: error };
    } finally {
      asking.delete(token);
    }
  };

  return {
    /** The verdict that is still good, without asking. */
    cached: (token: string): Verdict | undefined => {
      const entry = kept.get(token);
      return entry && entry.until > now() ? entry.verdict : undefined;
    },
    /** Asks the function; `makeEvent` is called only when nobody is asking for this credential yet. */
    ask: (token: string, makeEvent: () => object, arn: string): Promise<Verdict> => {
      const pending = asking.get(token) ?? ask(token, makeEvent(), arn);
      asking.set(token, pending);
      return pending;
    },
  };
};
export type Authorizer = ReturnType<typeof makeAuthorizer>;
