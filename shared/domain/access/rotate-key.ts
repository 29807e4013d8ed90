import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { definedTimes } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import { oldSecretsUntil, readOwnKey, refuseEnded } from './key-views.ts';
import {
  type ApiKey,
  type Grantor,
  type IssuedKey,
  type KeyStore,
  keyEntry,
  refuseMissingScopes,
  refuseWiderRanges,
} from './keys.ts';
import { type NewSecret, newSecret } from './secrets.ts';

/** Hours for which the old secret keeps working after a rotation: default and maximum (30 days). */
export const OVERLAP_HOURS = { standard: 24, maximum: 720 } as const;
/** Max. old secrets that work alongside the current one; a rotation beyond this is rejected. */
export const MAX_OLD_SECRETS = 10;
const HOUR_MS = 3600 * 1000;

/** The key with a new secret. No old secret outlives the overlap; without an overlap all end now. */
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

const keyRotated = (key: ApiKey, now: number): DomainEvent => {
  const until = oldSecretsUntil(key, now);
  return newEvent({
    type: 'apikey.rotated',
    organizationId: key.organizationId,
    env: key.env,
    createdAt: now,
    data: { keyId: key.id, name: key.name, rotatedAt: isoTime(now), ...definedTimes({ oldSecretsValidUntil: until }) },
  });
};

/** The fields that a rotation changes. */
const secretsOf = ({ hash, last4, oldSecrets, rotatedAt }: ApiKey): Partial<ApiKey> => ({
  hash,
  last4,
  oldSecrets,
  ...(rotatedAt === undefined ? {} : { rotatedAt }),
});

/**
 * 403 for a key that is neither the caller nor below it: its new secret would survive the caller's revocation. A
 * session may rotate any.
 */
const refuseOutOfTree = (
  { kind, credentialId }: Grantor,
  { id, ancestors }: ApiKey,
): Refusal<'FORBIDDEN'> | undefined =>
  kind !== 'key' || [id, ...ancestors].some((each) => each === credentialId)
    ? undefined
    : refuse('FORBIDDEN', 'A key can rotate only itself and the keys below it.');

/**
 * 403 for an old secret in its overlap: the new secret would outlive it, and whoever found the old one would keep the
 * key. One read, unless the caller's key is the one that it rotates.
 */
const refuseOldSecret = async (
  store: KeyStore,
  { kind, credentialId, secretHash }: Grantor,
  key: ApiKey,
): Promise<Refusal<'FORBIDDEN'> | undefined> => {
  if (kind !== 'key' || credentialId === undefined) return undefined;
  const own = credentialId === key.id ? key : await store.read(credentialId as Id<'apiKey'>);
  return own?.hash === secretHash
    ? undefined
    : refuse('FORBIDDEN', 'An old secret cannot rotate a key: use the newest one, another key or a session.');
};

/**
 * Rotates a key's secret; the old one keeps working for `overlapHours` (0 to 720). 403 if the caller is a key that is
 * neither this one nor an ancestor, if it presents an old secret, or if the key has scopes or addresses beyond the
 * caller's, since the response shows its secret. 409 for a revoked or expired key, too many old secrets, or a
 * concurrent rotation.
 */
export const rotateKey = async (
  store: KeyStore,
  grantor: Grantor,
  request: { readonly id: Id<'apiKey'>; readonly overlapHours?: number | undefined },
  now: number,
): Promise<IssuedKey | Refusal<'NOT_FOUND' | 'FORBIDDEN' | 'CONFLICT'>> => {
  const own = await readOwnKey(store, grantor, request.id);
  if (isRefusal(own)) return own;
  const { key, inForce } = own;
  const denied =
    refuseOutOfTree(grantor, key) ??
    (await refuseOldSecret(store, grantor, key)) ??
    refuseMissingScopes(grantor, key.scopes) ??
    refuseWiderRanges(grantor, inForce.allowedIps);
  if (denied) return denied;
  const ended = refuseEnded(inForce, now);
  if (ended) return ended;
  const secret = newSecret('key', key.env);
  const { overlapHours = OVERLAP_HOURS.standard } = request;
  const after = withNewSecret(key, secret, overlapHours * HOUR_MS, now);
  if (after.oldSecrets.length > MAX_OLD_SECRETS)
    return refuse(
      'CONFLICT',
      `More than ${MAX_OLD_SECRETS} old secrets would still work: rotate with overlapHours 0 to end them.`,
    );
  const event = keyRotated(after, now);
  const entry = keyEntry(grantor, 'rotated', { id: key.id, at: now, details: { overlapHours } });
  return (await store.rotate(key, after, { event, entry }))
    ? { key: { ...inForce, ...secretsOf(after) }, secret, event }
    : refuse('CONFLICT', 'The key was changed meanwhile; read it again.');
};
