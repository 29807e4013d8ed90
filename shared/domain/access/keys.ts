import type { Actor, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { SCOPES, type Scope, SESSION_ONLY_SCOPES } from '../core/scopes.ts';
import { isoTime } from '../core/time.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import { type NewSecret, newSecret } from './secrets.ts';

/** Scopes that a key may hold: all but the session-only ones. */
export const KEY_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !SESSION_ONLY_SCOPES.has(scope));
/** Hours for which the old secret keeps working after a rotation: default and maximum (30 days). */
export const OVERLAP_HOURS = { standard: 24, maximum: 720 } as const;
/** Max. old secrets that work alongside the current one; a rotation beyond this is rejected. */
export const MAX_OLD_SECRETS = 10;
const HOUR_MS = 3600 * 1000;

/** A former secret that still works until `until` (ms). */
export interface OldSecret {
  readonly hash: string;
  readonly until: number;
}

/** An API key. Of its secrets only the SHA-256 is stored. Times in ms. */
export interface ApiKey extends Tenant {
  readonly id: Id<'apiKey'>;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the current secret. */
  readonly hash: string;
  readonly last4: string;
  readonly oldSecrets: readonly OldSecret[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly rotatedAt?: number;
  readonly revokedAt?: number;
}

/** Stores keys. Each change commits atomically with its event. */
export interface KeyStore {
  /** Returns false if the organization doesn't exist. Idempotent. */
  create(key: ApiKey, event?: DomainEvent): Promise<boolean>;
  read(id: Id<'apiKey'>): Promise<ApiKey | undefined>;
  /** Newest first, with the total number of the organization's keys, revoked ones included. */
  list(
    organizationId: Id<'organization'>,
    page: { readonly limit: number; readonly skip: number },
  ): Promise<{ items: ApiKey[]; total: number }>;
  /** Replaces `before` by `after`. Returns false on a concurrent change. */
  rotate(before: ApiKey, after: ApiKey, event: DomainEvent): Promise<boolean>;
  /** Deletes every secret of the key. Returns false on a concurrent change. */
  revoke(before: ApiKey, revokedAt: number): Promise<boolean>;
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  /** In ms. */
  readonly expiresAt?: number;
}

/** Whoever grants scopes: a caller, or the operator with every scope in both environments. */
export type Grantor = Tenant & Pick<Actor, 'scopes'>;

const invalid = (path: string, message: string): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', { detail: 'The request breaks a rule of the contract.', errors: [{ path, message }] });

/** Validates and sorts the requested scopes. 422 for a scope that no key may hold. */
const keyScopes = (requested: readonly string[]): readonly Scope[] | Refusal<'VALIDATION_ERROR'> => {
  const at = requested.findIndex((scope) => !(KEY_SCOPES as readonly string[]).includes(scope));
  if (at >= 0) return invalid(`scopes.${at}`, 'must be a scope that a key may carry');
  if (requested.length === 0) return invalid('scopes', 'must name at least one scope');
  return KEY_SCOPES.filter((scope) => requested.includes(scope));
};

/** 403 naming the scopes that the grantor lacks: a credential must not create or reveal a secret stronger than itself. */
const refuseMissingScopes = (grantor: Grantor, scopes: readonly Scope[]): Refusal<'FORBIDDEN'> | undefined => {
  const missing = scopes.filter((scope) => !grantor.scopes.has(scope));
  return missing.length > 0
    ? refuse('FORBIDDEN', `A credential grants only what it holds; it lacks: ${missing.join(', ')}.`)
    : undefined;
};

/** Builds a new key and its secret; nothing is stored. 422 for invalid scopes or expiry, 403 for scopes that the grantor lacks. */
export const buildKey = (
  grantor: Grantor,
  request: KeyRequest,
  now: number,
): { key: ApiKey; secret: NewSecret } | Refusal<'VALIDATION_ERROR' | 'FORBIDDEN'> => {
  const scopes = keyScopes(request.scopes);
  if (isRefusal(scopes)) return scopes;
  const denied = refuseMissingScopes(grantor, scopes);
  if (denied) return denied;
  if (request.expiresAt !== undefined && request.expiresAt <= now) return invalid('expiresAt', 'must be in the future');
  const { organizationId, env } = grantor;
  const secret = newSecret('key', env);
  const expiry = request.expiresAt === undefined ? {} : { expiresAt: request.expiresAt };
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
      ...expiry,
    },
    secret,
  };
};

const optionalTime = <K extends string>(name: K, ms: number | undefined): { [N in K]?: string } =>
  ms === undefined ? {} : ({ [name]: isoTime(ms) } as Record<K, string>);

/** The `apikey.created` event; never contains the secret. */
const keyCreated = (key: ApiKey): DomainEvent =>
  newEvent({
    type: 'apikey.created',
    organizationId: key.organizationId,
    env: key.env,
    createdAt: key.createdAt,
    data: { keyId: key.id, name: key.name, scopes: key.scopes, ...optionalTime('expiresAt', key.expiresAt) },
  });

/** A created or rotated key, its secret (shown once), and the event to enqueue after the commit. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly secret: NewSecret;
  readonly event: DomainEvent;
}

/** Creates a key in the grantor's environment. */
export const createKey = async (
  store: KeyStore,
  grantor: Grantor,
  request: KeyRequest,
  now: number,
): Promise<IssuedKey | Refusal<'VALIDATION_ERROR' | 'FORBIDDEN' | 'NOT_FOUND'>> => {
  const planned = buildKey(grantor, request, now);
  if (isRefusal(planned)) return planned;
  const event = keyCreated(planned.key);
  return (await store.create(planned.key, event))
    ? { ...planned, event }
    : refuse('NOT_FOUND', 'There is no such organization.');
};

/** Reads a key of the grantor's organization and environment; 404 for any other. */
const ownKey = async (store: KeyStore, grantor: Grantor, id: Id<'apiKey'>): Promise<ApiKey | Refusal<'NOT_FOUND'>> => {
  const key = await store.read(id);
  const own = key?.organizationId === grantor.organizationId && key.env === grantor.env;
  return own ? key : refuse('NOT_FOUND', 'There is no such key.');
};

/** The key with a new secret. No old secret outlives the overlap; without overlap all end now. */
const withNewSecret = (key: ApiKey, secret: NewSecret, overlapMs: number, now: number): ApiKey => {
  const end = Math.min(now + overlapMs, key.expiresAt ?? Number.POSITIVE_INFINITY);
  const old = [...key.oldSecrets, { hash: key.hash, until: end }].map(({ hash, until }) => ({
    hash,
    until: Math.min(until, end),
  }));
  return {
    ...key,
    hash: secret.hash,
    last4: secret.last4,
    oldSecrets: old.filter(({ until }) => until > now),
    rotatedAt: now,
  };
};

/** When the last old secret expires; undefined if none works any more. */
const oldSecretsUntil = (key: ApiKey, now: number): number | undefined => {
  const until = Math.max(...key.oldSecrets.map((old) => old.until), 0);
  return until > now ? until : undefined;
};

const keyRotated = (key: ApiKey, now: number): DomainEvent => {
  const until = oldSecretsUntil(key, now);
  return newEvent({
    type: 'apikey.rotated',
    organizationId: key.organizationId,
    env: key.env,
    createdAt: now,
    data: { keyId: key.id, name: key.name, rotatedAt: isoTime(now), ...optionalTime('oldSecretsValidUntil', until) },
  });
};

/**
 * Rotates a key's secret; the old one keeps working for `overlapHours` (0 to 720). 403 if the key holds scopes that the caller lacks, since
 * the response shows a secret with all of them. 409 for a revoked or expired key, too many old secrets, or a concurrent rotation.
 */
export const rotateKey = async (
  store: KeyStore,
  grantor: Grantor,
  request: { readonly id: Id<'apiKey'>; readonly overlapHours?: number | undefined },
  now: number,
): Promise<IssuedKey | Refusal<'NOT_FOUND' | 'FORBIDDEN' | 'CONFLICT'>> => {
  const key = await ownKey(store, grantor, request.id);
  if (isRefusal(key)) return key;
  const denied = refuseMissingScopes(grantor, key.scopes);
  if (denied) return denied;
  if (key.revokedAt !== undefined) return refuse('CONFLICT', 'The key is revoked.');
  if (key.expiresAt !== undefined && key.expiresAt <= now) return refuse('CONFLICT', 'The key has expired.');
  const secret = newSecret('key', key.env);
  const after = withNewSecret(key, secret, (request.overlapHours ?? OVERLAP_HOURS.standard) * HOUR_MS, now);
  if (after.oldSecrets.length > MAX_OLD_SECRETS)
    return refuse(
      'CONFLICT',
      `More than ${MAX_OLD_SECRETS} old secrets would still work: rotate with overlapHours 0 to end them.`,
    );
  const event = keyRotated(after, now);
  return (await store.rotate(key, after, event))
    ? { key: after, secret, event }
    : refuse('CONFLICT', 'The key was changed meanwhile; read it again.');
};

/**
 * Revokes a key at once, old secrets included; idempotent. Needs only keys:write, whatever the key's scopes: revoking grants nothing, and a
 * leaked key must not wait for a stronger caller.
 */
export const revokeKey = async (
  store: KeyStore,
  grantor: Grantor,
  id: Id<'apiKey'>,
  now: number,
): Promise<ApiKey | Refusal<'NOT_FOUND' | 'CONFLICT'>> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const key = await ownKey(store, grantor, id);
    if (isRefusal(key) || key.revokedAt !== undefined) return key;
    if (await store.revoke(key, now)) return { ...key, oldSecrets: [], revokedAt: now };
  }
  return refuse('CONFLICT', 'The key is being changed by others; try again.');
};

/** A key as the API returns it at `now`; never a secret or its hash. */
export const keyView = (key: ApiKey, now: number) => ({
  id: key.id,
  name: key.name,
  env: key.env,
  scopes: [...key.scopes],
  last4: key.last4,
  createdAt: isoTime(key.createdAt),
  ...optionalTime('expiresAt', key.expiresAt),
  ...optionalTime('rotatedAt', key.rotatedAt),
  ...optionalTime('oldSecretsValidUntil', oldSecretsUntil(key, now)),
  ...optionalTime('revokedAt', key.revokedAt),
});
