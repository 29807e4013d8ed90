import type { Actor, Environment, RequestOrigin, Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { type Scope, withNarrowerScopes } from '../core/scopes.ts';
import type { Account } from './accounts.ts';
import { type Ancestor, withInherited } from './key-ancestors.ts';
import { scopesOfRole } from './roles.ts';
import { hashSecret, parseSecret } from './secrets.ts';

/** A stored credential: one row per secret, looked up by the secret's hash. */
export interface Credential extends Tenant {
  /** The id of the API key or session; shared by all secrets of a key. */
  readonly id: Actor['credentialId'];
  readonly kind: Actor['kind'];
  /** Scopes of a key. Empty for a session, which has the scopes of its account's role. */
  readonly scopes: readonly Scope[];
  /** Only for sessions: the person's account. */
  readonly accountId?: Id<'account'>;
  /** Only for sessions: the account's `sessionEpoch` when it was opened. */
  readonly sessionEpoch?: number;
  /** In ms; rejected from this moment on. */
  readonly expiresAt?: number;
  /** The keys above it in its tree; empty for a session. */
  readonly ancestors: readonly Id<'apiKey'>[];
  /** The key's own list of addresses. */
  readonly allowedIps?: readonly string[];
  /** Old secrets of its ancestors that the key ends with, by their hashes. */
  readonly tiedTo?: readonly string[];
}

/** An authenticated caller, with the limits for keys that it creates. */
export interface Caller extends Actor {
  readonly ancestors: readonly Id<'apiKey'>[];
  /** Expiry of the secret that was presented, in ms. */
  readonly expiresAt?: number;
  /** The hash of that secret. */
  readonly secretHash: string;
  /** Old secrets of its ancestors that it ends with, by their hashes. */
  readonly tiedTo?: readonly string[];
}

/** An incoming call: the presented credential and the client address. */
export interface PresentedCall {
  /** The Authorization header; undefined when it is missing or repeated. */
  readonly authorization: string | undefined;
  readonly request: RequestOrigin;
}

/** Looks up credentials. All reads are strongly consistent. */
export interface CredentialReader {
  find(sha256: string): Promise<Credential | undefined>;
  /** The restrictions inherited from each of these keys; undefined for one that doesn't exist. One round trip. */
  ancestors(ids: readonly Id<'apiKey'>[]): Promise<(Ancestor | undefined)[]>;
  account(id: Id<'account'>): Promise<Account | undefined>;
}

/** `Bearer`, exactly one space, one credential; the scheme is case-insensitive (RFC 9110, 11.1). */
const BEARER = /^bearer ([0-9A-Za-z_]{1,256})$/i;

/**
 * Authenticates the Authorization header of a request to stage `env`. Undefined if the call must be rejected:
 * credential missing, malformed, of the other environment (recognized by its prefix, before any read), unknown, revoked
 * or expired; a key whose ancestor was revoked with its tree, or that is tied to an old secret which has ended; or a
 * session whose account is inactive or was suspended since. A session has the scopes that its account's role has now.
 * One round trip for a key; two for a key created by a key, and for a session.
 */
export const authenticate = async (
  authorization: string | undefined,
  at: { readonly env: Environment; readonly now: number; readonly credentials: CredentialReader },
): Promise<Caller | undefined> => {
  const secret = BEARER.exec(authorization ?? '')?.[1];
  if (secret === undefined) return undefined;
  const parsed = parseSecret(secret);
  if (parsed?.env !== at.env) return undefined;
  const secretHash = hashSecret(secret);
  const credential = await at.credentials.find(secretHash);
  if (!credential || credential.env !== at.env || credential.kind !== parsed.kind) return undefined;
  if (hasExpired(credential, at.now)) return undefined;
  const caller = await (credential.kind === 'key' ? keyCaller : sessionCaller)(credential, at);
  return caller && { ...caller, secretHash };
};

const hasExpired = ({ expiresAt }: Pick<Credential, 'expiresAt'>, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now;

type Reading = { readonly now: number; readonly credentials: CredentialReader };
type Identified = Omit<Caller, 'secretHash'>;

const callerOf = ({ organizationId, env, id: credentialId, kind, ancestors, expiresAt }: Credential) => ({
  organizationId,
  env,
  credentialId,
  kind,
  ancestors,
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

const keyCaller = async (stored: Credential, { now, credentials }: Reading): Promise<Identified | undefined> => {
  const above = await activeAncestors(credentials, stored.ancestors);
  if (!above) return undefined;
  const credential = withInherited(stored, above);
  if (hasExpired(credential, now)) return undefined;
  const { allowedIps, tiedTo } = credential;
  return {
    ...callerOf(credential),
    scopes: withNarrowerScopes(credential.scopes),
    ...definedFields({ allowedIps, tiedTo }),
  };
};

const sessionCaller = async (credential: Credential, { credentials }: Reading): Promise<Identified | undefined> => {
  const account = await activeAccountOf(credentials, credential);
  if (!account) return undefined;
  const { id: accountId, name: accountName, role } = account;
  return { ...callerOf(credential), accountId, accountName, scopes: scopesOfRole(role) };
};

/** The keys above a credential; undefined if one of them was revoked with its tree. */
const activeAncestors = async (
  credentials: CredentialReader,
  ids: readonly Id<'apiKey'>[],
): Promise<readonly Ancestor[] | undefined> => {
  if (ids.length === 0) return [];
  const found = await credentials.ancestors(ids);
  const active = found.filter((above) => above !== undefined && above.treeRevokedAt === undefined);
  return active.length === ids.length ? (active as Ancestor[]) : undefined;
};

/** The account of a session; undefined unless it is active and was not suspended since the session opened. */
const activeAccountOf = async (
  credentials: CredentialReader,
  { organizationId, accountId, sessionEpoch = 0 }: Credential,
): Promise<Account | undefined> => {
  const account = accountId && (await credentials.account(accountId));
  const admits = account?.organizationId === organizationId && account.status === 'active';
  return admits && account.sessionEpoch === sessionEpoch ? account : undefined;
};
