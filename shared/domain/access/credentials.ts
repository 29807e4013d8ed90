import type { Actor, Environment, Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Scope } from '../core/scopes.ts';
import type { Account } from './accounts.ts';
import { hashSecret, parseSecret } from './secrets.ts';

/** A stored credential: one row per secret, looked up by the secret's hash. */
export interface Credential extends Tenant {
  /** The id of the API key or session; shared by all secrets of a key. */
  readonly id: Actor['credentialId'];
  readonly kind: Actor['kind'];
  readonly scopes: readonly Scope[];
  /** Only for sessions: the person's account. */
  readonly accountId?: Id<'account'>;
  /** In ms; rejected from this moment on. */
  readonly expiresAt?: number;
}

/** Looks up credentials. Both reads are strongly consistent. */
export interface CredentialReader {
  find(sha256: string): Promise<Credential | undefined>;
  account(id: Id<'account'>): Promise<Account | undefined>;
}

/** `Bearer`, exactly one space, one credential; the scheme is case-insensitive (RFC 9110, 11.1). */
const BEARER = /^bearer ([0-9A-Za-z_]{1,256})$/i;

/**
 * Authenticates the Authorization header of a request to stage `env`. Undefined if the call must be rejected: credential missing,
 * malformed, of the other environment (known from its prefix, before any read), unknown, revoked or expired, or a session whose account is
 * not active. One read for a key, two for a session.
 */
export const authenticate = async (
  authorization: string | undefined,
  at: { readonly env: Environment; readonly now: number; readonly credentials: CredentialReader },
): Promise<Actor | undefined> => {
  const secret = BEARER.exec(authorization ?? '')?.[1];
  if (secret === undefined) return undefined;
  const parsed = parseSecret(secret);
  if (parsed?.env !== at.env) return undefined;
  const credential = await at.credentials.find(hashSecret(secret));
  if (!credential || credential.env !== at.env || credential.kind !== parsed.kind) return undefined;
  if (credential.expiresAt !== undefined && credential.expiresAt <= at.now) return undefined;
  const { organizationId, env, id: credentialId, kind, accountId } = credential;
  if (kind === 'session' && !(await isActiveMember(at.credentials, organizationId, accountId))) return undefined;
  return {
    organizationId,
    env,
    credentialId,
    kind,
    ...(accountId ? { accountId } : {}),
    scopes: new Set(credential.scopes),
  };
};

const isActiveMember = async (
  credentials: CredentialReader,
  organizationId: Id<'organization'>,
  accountId: Id<'account'> | undefined,
) => {
  const account = accountId && (await credentials.account(accountId));
  return account?.organizationId === organizationId && account.status === 'active';
};
