import type { Actor, Environment } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import { type Id, newId } from '../ids.ts';
import { isoTime } from '../time.ts';
import { SCOPES, type Scope, SESSION_ONLY_SCOPES } from './scopes.ts';
import { type NewSecret, newSecret } from './secrets.ts';

/** The scopes that a key may carry: all but those of a person's session. */
export const KEY_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !SESSION_ONLY_SCOPES.has(scope));
/** Hours for which the old secret works beside the new one: the default, and the most that a rotation may ask for (30 days). */
export const OVERLAP_HOURS = { fallback: 24, maximum: 720 } as const;
/** Old secrets that may work beside the current one: a rotation beyond it must end them first. */
export const MAX_OLD_SECRETS = 10;
const HOUR_MS = 3600 * 1000;

/** A secret of a key that still works beside the current one; `until` in ms. */
export interface OldSecret {
  readonly hash: string;
  readonly until: number;
}

/** An API key. Its secrets are known by their SHA-256 only. Times in ms. */
export interface ApiKey {
  readonly id: Id<'apiKey'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The current secret. */
  readonly hash: string;
  readonly last4: string;
  readonly oldSecrets: readonly OldSecret[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly rotatedAt?: number;
  readonly revokedAt?: number;
}

/** Where keys are kept. Each change commits as a whole, its event included, or not at all. */
export interface KeyStore {
  /** False when the organization is not known here. A repeat of the same call is one key. */
  create(key: ApiKey, event?: DomainEvent): Promise<boolean>;
  read(id: string): Promise<ApiKey | undefined>;
  /** Newest first, with the count of all keys of the organization, revoked ones included. */
  list(
    organizationId: string,
    page: { readonly limit: number; readonly skip: number },
  ): Promise<{ items: ApiKey[]; total: number }>;
  /** Puts `after` in the place of `before`. False when the key was changed meanwhile. */
  rotate(before: ApiKey, after: ApiKey, event: DomainEvent): Promise<boolean>;
  /** Takes away every secret of the key. False when the key was changed meanwhile. */
  revoke(before: ApiKey, revokedAt: number): Promise<boolean>;
}

/** What a caller asks a key to be. */
export interface KeyWish {
  readonly name: string;
  readonly scopes: readonly string[];
  /** ms. */
  readonly expiresAt?: number;
}

/** Who may grant what: an actor, or the operator, who holds every scope in both environments. */
export type Grantor = Pick<Actor, 'organizationId' | 'env' | 'scopes'>;

const invalid = (path: string, message: string): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', { detail: 'The request breaks a rule of the contract.', errors: [{ path, message }] });

/** Asked scopes in the order of the list, each once. 422 for what no key can carry. */
const keyScopes = (asked: readonly string[]): readonly Scope[] | Refusal<'VALIDATION_ERROR'> => {
  const at = asked.findIndex((scope) => !(KEY_SCOPES as readonly string[]).includes(scope));
  if (at >= 0) return invalid(`scopes.${at}`, 'must be a scope that a key may carry');
  if (asked.length === 0) return invalid('scopes', 'must name at least one scope');
  return KEY_SCOPES.filter((scope) => asked.includes(scope));
};

/** A credential that could mint or read a secret stronger than itself would have no limits: 403 names what it lacks. */
const lacks = (grantor: Grantor, scopes: readonly Scope[]): Refusal<'FORBIDDEN'> | undefined => {
  const missing = scopes.filter((scope) => !grantor.scopes.has(scope));
  return missing.length > 0
    ? refuse('FORBIDDEN', `A credential grants only what it holds; it lacks: ${missing.join(', ')}.`)
    : undefined;
};

/** A new key and its secret, still in nobody's hands. 422 for scopes or an expiry that cannot be, 403 for scopes the grantor lacks. */
export const planKey = (
  grantor: Grantor,
  wish: KeyWish,
  now: number,
): { key: ApiKey; secret: NewSecret } | Refusal<'VALIDATION_ERROR' | 'FORBIDDEN'> => {
  const scopes = keyScopes(wish.scopes);
  if (isRefusal(scopes)) return scopes;
  const denied = lacks(grantor, scopes);
  if (denied) return denied;
  if (wish.expiresAt !== undefined && wish.expiresAt <= now) return invalid('expiresAt', 'must be in the future');
  const { organizationId, env } = grantor;
  const secret = newSecret('key', env);
  const expiry = wish.expiresAt === undefined ? {} : { expiresAt: wish.expiresAt };
  const { hash, last4 } = secret;
  return {
    key: {
      id: newId('apiKey'),
      organizationId,
      env,
      name: wish.name,
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

/** A moment that may be absent, as the wire writes it. */
const optionalTime = <K extends string>(name: K, ms: number | undefined): { [N in K]?: string } =>
  ms === undefined ? {} : ({ [name]: isoTime(ms) } as Record<K, string>);

/** `apikey.created`: what the key is, never its secret. */
export const keyCreated = (key: ApiKey): DomainEvent =>
  newEvent({
    type: 'apikey.created',
    organizationId: key.organizationId,
    env: key.env,
    createdAt: key.createdAt,
    data: { keyId: key.id, name: key.name, scopes: key.scopes, ...optionalTime('expiresAt', key.expiresAt) },
  });

/** What a change of a key answers: the key, the one showing of its secret, and the event to hint at after the commit. */
export interface KeyIssued {
  readonly key: ApiKey;
  readonly secret: NewSecret;
  readonly event: DomainEvent;
}

/** Creates a key in the grantor's environment. */
export const createKey = async (
  store: KeyStore,
  grantor: Grantor,
  wish: KeyWish,
  now: number,
): Promise<KeyIssued | Refusal<'VALIDATION_ERROR' | 'FORBIDDEN' | 'NOT_FOUND'>> => {
  const planned = planKey(grantor, wish, now);
  if (isRefusal(planned)) return planned;
  const event = keyCreated(planned.key);
  return (await store.create(planned.key, event))
    ? { ...planned, event }
    : refuse('NOT_FOUND', 'There is no such organization.');
};

/** A key of the grantor's organization and environment; any other is as if it did not exist. */
const ownKey = async (store: KeyStore, grantor: Grantor, id: string): Promise<ApiKey | Refusal<'NOT_FOUND'>> => {
  const key = await store.read(id);
  const own = key?.organizationId === grantor.organizationId && key.env === grantor.env;
  return own ? key : refuse('NOT_FOUND', 'There is no such key.');
};

/** The key with a new secret. Without overlap every old secret ends now; with one, none outlives it. */
const rotated = (key: ApiKey, secret: NewSecret, overlapMs: number, now: number): ApiKey => {
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

/** When the last of the old secrets ends; undefined when none works any more. */
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
 * Gives a key a new secret; the old one works on for `overlapHours` (0 to 720). 403 when the key holds scopes that the caller
 * lacks, since the answer shows a secret with all of them; 409 for a revoked or expired key, for too many old secrets, and for
 * a rotation that met another.
 */
export const rotateKey = async (
  store: KeyStore,
  grantor: Grantor,
  wish: { readonly id: string; readonly overlapHours?: number | undefined },
  now: number,
): Promise<KeyIssued | Refusal<'NOT_FOUND' | 'FORBIDDEN' | 'CONFLICT'>> => {
  const key = await ownKey(store, grantor, wish.id);
  if (isRefusal(key)) return key;
  const denied = lacks(grantor, key.scopes);
  if (denied) return denied;
  if (key.revokedAt !== undefined) return refuse('CONFLICT', 'The key is revoked.');
  if (key.expiresAt !== undefined && key.expiresAt <= now) return refuse('CONFLICT', 'The key has expired.');
  const secret = newSecret('key', key.env);
  const after = rotated(key, secret, (wish.overlapHours ?? OVERLAP_HOURS.fallback) * HOUR_MS, now);
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
 * Ends a key at once, old secrets included; a revoked key stays revoked. Any caller with keys:write may, whatever the key's
 * scopes: taking access away grants none, and a leaked key must not wait for somebody stronger.
 */
export const revokeKey = async (
  store: KeyStore,
  grantor: Grantor,
  id: string,
  now: number,
): Promise<ApiKey | Refusal<'NOT_FOUND' | 'CONFLICT'>> => {
  for (let turn = 0; turn < 5; turn++) {
    const key = await ownKey(store, grantor, id);
    if (isRefusal(key) || key.revokedAt !== undefined) return key;
    if (await store.revoke(key, now)) return { ...key, oldSecrets: [], revokedAt: now };
  }
  return refuse('CONFLICT', 'The key is being changed by others; try again.');
};

/** A key as the wire shows it at a moment: never a secret or its hash. */
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
