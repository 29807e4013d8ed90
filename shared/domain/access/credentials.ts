import type { Actor, Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import type { Account } from './accounts.ts';
import type { Scope } from './scopes.ts';
import { hashSecret, readSecret } from './secrets.ts';

/** What a presented secret stands for: one row per secret, found by the secret's hash. */
export interface Credential {
  /** The API key's or the session's id: the same for every secret of a key. */
  readonly id: string;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly kind: Actor['kind'];
  readonly scopes: readonly Scope[];
  /** The person behind a session. */
  readonly accountId?: Id<'account'>;
  /** ms; from this moment on it is refused. */
  readonly expiresAt?: number;
}

/** Where credentials are looked up. Both reads see every write that was answered before them. */
export interface CredentialReader {
  find(sha256: string): Promise<Credential | undefined>;
  account(id: Id<'account'>): Promise<Account | undefined>;
}

/** One `Bearer` and one credential with exactly one space between them; the scheme in any case (RFC 9110, 11.1). */
const BEARER = /^bearer ([0-9A-Za-z_]{1,256})$/i;

/**
 * Who calls, from the Authorization header of a request to the stage `env`; undefined when the call must be refused: no or an
 * unreadable credential, one of the other environment (told by its prefix, before any read), unknown, revoked, expired, or a
 * session whose account is not active. One read for a key, two for a session.
 */
export const identify = async (
  authorization: string | undefined,
  at: { readonly env: Environment; readonly now: number; readonly credentials: CredentialReader },
): Promise<Actor | undefined> => {
  const secret = BEARER.exec(authorization ?? '')?.[1];
  if (secret === undefined) return undefined;
  const told = readSecret(secret);
  if (told?.env !== at.env) return undefined;
  const credential = await at.credentials.find(hashSecret(secret));
  if (!credential || credential.env !== at.env || credential.kind !== told.kind) return undefined;
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
  organizationId: string,
  accountId: Id<'account'> | undefined,
) => {
  const account = accountId && (await credentials.account(accountId));
  return account?.organizationId === organizationId && account.status === 'active';
};
