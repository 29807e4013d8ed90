import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { definedFields, definedTimes } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { withInherited } from './key-ancestors.ts';
import type { ApiKey, Grantor, KeyStore } from './keys.ts';

/** Keys with inherited state. One read of the ancestors that are not among the keys. */
export const keysInForce = async (store: KeyStore, keys: readonly ApiKey[]): Promise<ApiKey[]> => {
  const known = new Map(keys.map((key) => [key.id, key]));
  const missing = [...new Set(keys.flatMap(({ ancestors }) => ancestors))].filter((id) => !known.has(id));
  if (missing.length > 0) for (const key of await store.readMany(missing)) known.set(key.id, key);
  return keys.map((key) =>
    withInherited(
      key,
      key.ancestors.map((id) => known.get(id)).filter((above) => above !== undefined),
    ),
  );
};

/** A key as stored, and with inherited state. */
export interface OwnKey {
  readonly key: ApiKey;
  readonly inForce: ApiKey;
}

/** Reads a key of the grantor's organization and environment; 404 for any other. */
export const readOwnKey = async (
  store: KeyStore,
  grantor: Pick<Grantor, 'organizationId' | 'env'>,
  id: Id<'apiKey'>,
): Promise<OwnKey | Refusal<'NOT_FOUND'>> => {
  const key = await store.read(id);
  if (key?.organizationId !== grantor.organizationId || key.env !== grantor.env)
    return refuse('NOT_FOUND', 'There is no such key.');
  const [holding = key] = await keysInForce(store, [key]);
  return { key, inForce: holding };
};

/** A key of the caller's organization and environment, with inherited state; 404 for any other. */
export const readKeyInForce = async (
  store: KeyStore,
  grantor: Pick<Grantor, 'organizationId' | 'env'>,
  id: Id<'apiKey'>,
): Promise<ApiKey | Refusal<'NOT_FOUND'>> => {
  const own = await readOwnKey(store, grantor, id);
  return isRefusal(own) ? own : own.inForce;
};

/** 409 for a revoked or expired key. */
export const refuseEnded = ({ revokedAt, expiresAt }: ApiKey, now: number): Refusal<'CONFLICT'> | undefined => {
  if (revokedAt !== undefined) return refuse('CONFLICT', 'The key is revoked.');
  return expiresAt !== undefined && expiresAt <= now ? refuse('CONFLICT', 'The key has expired.') : undefined;
};

/** When the last old secret expires; undefined if none is valid any more. */
export const oldSecretsUntil = (key: ApiKey, now: number): number | undefined => {
  const until = Math.max(...key.oldSecrets.map((old) => old.until), 0);
  return until > now ? until : undefined;
};

/** A key with inherited state as the API returns it at `now`; never a secret or its hash. */
export const keyView = (key: ApiKey, now: number) => ({
  id: key.id,
  name: key.name,
  env: key.env,
  scopes: [...key.scopes],
  ...definedFields({ createdBy: key.createdBy, allowedIps: key.allowedIps && [...key.allowedIps] }),
  last4: key.last4,
  createdAt: isoTime(key.createdAt),
  ...definedTimes({
    expiresAt: key.expiresAt,
    rotatedAt: key.rotatedAt,
    oldSecretsValidUntil: oldSecretsUntil(key, now),
    revokedAt: key.revokedAt,
    lastUsedAt: key.lastUsedAt,
  }),
  ...definedFields({ lastUsedIp: key.lastUsedIp }),
});
