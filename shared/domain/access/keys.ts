import { type AuditDetails, type AuditEntry, auditEntry, fieldNames, operatorEntry } from '../audit/entry.ts';
import type { Actor, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields, definedTimes } from '../core/patch.ts';
import { refuseField } from '../core/refuse-field.ts';
import { SCOPES, type Scope, SESSION_ONLY_SCOPES } from '../core/scopes.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import type { Caller } from './credentials.ts';
import { isWithin } from './ip-ranges.ts';
import { type OldSecret, withInherited } from './key-ancestors.ts';
import { type NewSecret, newSecret } from './secrets.ts';

/** Scopes that a key may hold: all but the session-only ones. */
export const KEY_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !SESSION_ONLY_SCOPES.has(scope));
/** Max. keys above a key in its tree: the authorizer reads each of them (docs/spec/access.md#trees-of-keys). */
export const MAX_ANCESTORS = 8;
/** Max. ranges in a key's list of addresses. */
export const MAX_IP_RANGES = 50;

/** An API key. Of its secrets only the SHA-256 is stored. Times in ms. */
export interface ApiKey extends Tenant {
  readonly id: Id<'apiKey'>;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The person or the key that created it; absent if the operator did. */
  readonly createdBy?: Id<'account'> | Id<'apiKey'>;
  /** The keys above it in its tree, its creator first; empty unless a key created it. */
  readonly ancestors: readonly Id<'apiKey'>[];
  /** Hashes of the old secrets that it, or a key above it, was created with: it ends with the first of them. */
  readonly tiedTo?: readonly string[];
  /** The addresses and CIDR blocks that it may be used from, within those of its ancestors; absent means any. */
  readonly allowedIps?: readonly string[];
  /** SHA-256 of the current secret. */
  readonly hash: string;
  readonly last4: string;
  readonly oldSecrets: readonly OldSecret[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly rotatedAt?: number;
  readonly revokedAt?: number;
  /** When it was revoked together with every key below it; absent if those were kept. */
  readonly treeRevokedAt?: number;
  /** The latest recorded use: up to 5 minutes behind. */
  readonly lastUsedAt?: number;
  readonly lastUsedIp?: string;
}

/** Records written with a key's new secret: its event, and the caller's audit entry. */
export interface SecretRecords {
  readonly event: DomainEvent;
  readonly entry: AuditEntry;
}

/** Stores keys. Each change commits atomically with its event and its entry of the audit log. */
export interface KeyStore {
  /** Fails if the organization doesn't exist, or if the key that creates it was revoked meanwhile. Idempotent. */
  create(key: ApiKey, records: SecretRecords): Promise<'created' | 'no_organization' | 'creator_revoked'>;
  read(id: Id<'apiKey'>): Promise<ApiKey | undefined>;
  /** Keys by their ids, without those that don't exist. Strongly consistent. */
  readMany(ids: readonly Id<'apiKey'>[]): Promise<ApiKey[]>;
  /** Newest first, with the total number of the organization's keys, revoked ones included. */
  list(
    organizationId: Id<'organization'>,
    page: { readonly limit: number; readonly skip: number },
  ): Promise<{ items: ApiKey[]; total: number }>;
  /** Replaces `before` by `after`. Returns false on a concurrent change. */
  rotate(before: ApiKey, after: ApiKey, records: SecretRecords): Promise<boolean>;
  /**
   * Stores the name and addresses of `after`; the addresses for every secret, too. Returns false on a concurrent
   * change.
   */
  change(before: ApiKey, after: ApiKey, now: number, entry: AuditEntry): Promise<boolean>;
  /**
   * Revokes the key and deletes its secrets; with `tree`, every key below it is rejected too, even if the key was
   * revoked alone before. Returns false on a concurrent change.
   */
  revoke(before: ApiKey, revokedAt: number, tree: boolean, entry: AuditEntry): Promise<boolean>;
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  /** In ms. */
  readonly expiresAt?: number;
  /** Valid addresses and CIDR blocks; absent means no additional limit. */
  readonly allowedIps?: readonly string[];
}

/** The grantor of scopes: a caller, or the operator, who has no credential and every scope in both environments. */
export type Grantor = Tenant & Pick<Actor, 'scopes'> & Partial<Omit<Caller, keyof Tenant | 'scopes'>>;

type Verb = 'changed' | 'created' | 'revoked' | 'rotated';
/** The audit entry of an action on a key; attributed to the operator if the grantor has no credential. */
export const keyEntry = (
  { credentialId, ...grantor }: Grantor,
  verb: Verb,
  { id, at, details }: { readonly id: Id<'apiKey'>; readonly at: number; readonly details: AuditDetails },
): AuditEntry => {
  const act = { action: `key.${verb}`, object: id, at, details } as const;
  return credentialId === undefined
    ? operatorEntry(grantor.organizationId, act)
    : auditEntry({ ...grantor, credentialId }, act);
};

const invalid = (path: string, message: string): Refusal<'VALIDATION_ERROR'> =>
  refuseField('The request violates a rule of the contract.', path, message);

/** Validates and sorts the requested scopes. 422 for a scope that a key can't hold. */
const keyScopes = (requested: readonly string[]): readonly Scope[] | Refusal<'VALIDATION_ERROR'> => {
  const at = requested.findIndex((scope) => !(KEY_SCOPES as readonly string[]).includes(scope));
  if (at >= 0) return invalid(`scopes.${at}`, 'must be a scope that a key may have');
  if (requested.length === 0) return invalid('scopes', 'must name at least one scope');
  return KEY_SCOPES.filter((scope) => requested.includes(scope));
};

/**
 * 403 naming the scopes that the grantor lacks: a credential must not create or reveal a secret stronger than itself.
 */
export const refuseMissingScopes = (grantor: Grantor, scopes: readonly Scope[]): Refusal<'FORBIDDEN'> | undefined => {
  const missing = scopes.filter((scope) => !grantor.scopes.has(scope));
  return missing.length > 0
    ? refuse('FORBIDDEN', `A credential can grant only its own scopes; it lacks: ${missing.join(', ')}.`)
    : undefined;
};

/**
 * 403 if the addresses exceed the grantor's: no credential may widen where a key can be used. Undefined means any
 * address.
 */
export const refuseWiderRanges = (
  grantor: Grantor,
  allowedIps: readonly string[] | undefined,
): Refusal<'FORBIDDEN'> | undefined =>
  isWithin(allowedIps, grantor.allowedIps)
    ? undefined
    : refuse('FORBIDDEN', 'A credential with allowedIps cannot grant addresses beyond its own.');

/**
 * The position of a new key in the tree. Its expiry is capped by that of the creating secret, so that no secret creates
 * one that outlives it.
 */
const placeOf = (
  { kind, credentialId, accountId, ancestors = [], expiresAt, tiedTo }: Grantor,
  requested: number | undefined,
): Pick<ApiKey, 'createdBy' | 'ancestors' | 'expiresAt' | 'tiedTo'> => {
  const own = (ms: number | undefined) => (ms === undefined ? {} : { expiresAt: ms });
  if (kind !== 'key' || credentialId === undefined)
    return { ancestors: [], ...own(requested), ...(accountId === undefined ? {} : { createdBy: accountId }) };
  const id = credentialId as Id<'apiKey'>;
  const end = Math.min(requested ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY);
  return {
    createdBy: id,
    ancestors: [id, ...ancestors],
    ...own(Number.isFinite(end) ? end : undefined),
    ...definedFields({ tiedTo }),
  };
};

/** Refuses scopes or addresses beyond the grantor's own, and a key too deep in the tree. */
const refuseGrant = (grantor: Grantor, scopes: readonly Scope[], { allowedIps }: KeyRequest) => {
  if (grantor.kind === 'key' && (grantor.ancestors?.length ?? 0) >= MAX_ANCESTORS)
    return refuse('FORBIDDEN', `A key with ${MAX_ANCESTORS} keys above it cannot create another.`);
  return (
    refuseMissingScopes(grantor, scopes) ??
    (allowedIps === undefined ? undefined : refuseWiderRanges(grantor, allowedIps))
  );
};

/**
 * Builds a new key and its secret; nothing is stored. 422 for invalid scopes or expiry, 403 for scopes or addresses
 * that the grantor may not grant.
 */
export const buildKey = (
  grantor: Grantor,
  request: KeyRequest,
  now: number,
): { key: ApiKey; secret: NewSecret } | Refusal<'VALIDATION_ERROR' | 'FORBIDDEN'> => {
  const scopes = keyScopes(request.scopes);
  if (isRefusal(scopes)) return scopes;
  const denied = refuseGrant(grantor, scopes, request);
  if (denied) return denied;
  if (request.expiresAt !== undefined && request.expiresAt <= now) return invalid('expiresAt', 'must be in the future');
  const { organizationId, env } = grantor;
  const secret = newSecret('key', env);
  const { hash, last4 } = secret;
  return {
    key: {
      id: newId('apiKey'),
      organizationId,
      env,
      name: request.name,
      scopes,
      hash,
      last4,
      oldSecrets: [],
      createdAt: now,
      ...placeOf(grantor, request.expiresAt),
      ...(request.allowedIps === undefined ? {} : { allowedIps: request.allowedIps }),
    },
    secret,
  };
};

/** The `apikey.created` event; never contains the secret. */
const keyCreated = (key: ApiKey): DomainEvent =>
  newEvent({
    type: 'apikey.created',
    organizationId: key.organizationId,
    env: key.env,
    createdAt: key.createdAt,
    data: { keyId: key.id, name: key.name, scopes: key.scopes, ...definedTimes({ expiresAt: key.expiresAt }) },
  });

/** The secrets that a key of this caller ends with: those that the caller is tied to, and its own if it is an old one. */
const tiesBelow = ({ secretHash, tiedTo = [] }: Grantor, creator: ApiKey): Pick<ApiKey, 'tiedTo'> => {
  const ties = secretHash === undefined || secretHash === creator.hash ? tiedTo : [...tiedTo, secretHash];
  return ties.length === 0 ? {} : { tiedTo: ties };
};

/** A created or rotated key with inherited state, its secret (shown once), and the event to enqueue after the commit. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly secret: NewSecret;
  readonly event: DomainEvent;
}

const NO_LONGER_VALID = refuse('UNAUTHORIZED', 'The credential is no longer valid.');

/** Creates a key in the grantor's environment. 401 if the key that creates it was revoked meanwhile. */
export const createKey = async (
  store: KeyStore,
  grantor: Grantor,
  request: KeyRequest,
  now: number,
): Promise<IssuedKey | Refusal<'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND'>> => {
  const { kind, credentialId, ancestors = [] } = grantor;
  const isKey = kind === 'key' && credentialId !== undefined;
  // Read before the creation: if reading failed after it, the new secret would be lost.
  const above = isKey ? await store.readMany([credentialId as Id<'apiKey'>, ...ancestors]) : [];
  const creator = above.find(({ id }) => id === credentialId);
  if (isKey && !creator) return NO_LONGER_VALID;
  const planned = buildKey({ ...grantor, ...(creator ? tiesBelow(grantor, creator) : {}) }, request, now);
  if (isRefusal(planned)) return planned;
  const event = keyCreated(planned.key);
  const entry = keyEntry(grantor, 'created', {
    id: planned.key.id,
    at: now,
    details: { fields: fieldNames(request) },
  });
  const outcome = await store.create(planned.key, { event, entry });
  if (outcome === 'creator_revoked') return NO_LONGER_VALID;
  if (outcome === 'no_organization') return refuse('NOT_FOUND', 'There is no such organization.');
  return { key: withInherited(planned.key, above), secret: planned.secret, event };
};
