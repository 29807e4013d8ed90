import { fieldNames } from '../audit/entry.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { readOwnKey, refuseEnded } from './key-views.ts';
import { type ApiKey, type Grantor, type KeyStore, keyEntry, refuseMissingScopes, refuseWiderRanges } from './keys.ts';

const MAX_ATTEMPTS = 5;
const CHANGING = refuse('CONFLICT', 'The key is being changed by another call; try again.');

/** The changes; `allowedIps: null` removes the key's own list. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
}

const changed = ({ allowedIps: own, ...key }: ApiKey, { name = key.name, allowedIps }: KeyChange): ApiKey => {
  const ranges = allowedIps === undefined ? own : (allowedIps ?? undefined);
  return { ...key, name, ...(ranges === undefined ? {} : { allowedIps: ranges }) };
};

/**
 * The allowed addresses determine how strong a key is, so the caller must hold the key's scopes and may grant no
 * address beyond its own.
 */
const refuseChange = (grantor: Grantor, key: ApiKey, { allowedIps }: KeyChange) =>
  allowedIps === undefined
    ? undefined
    : (refuseMissingScopes(grantor, key.scopes) ?? refuseWiderRanges(grantor, allowedIps ?? undefined));

/** Changes a key's name or addresses. 403 if the caller may not grant the change, 409 for a revoked or expired key. */
export const changeKey = async (
  store: KeyStore,
  grantor: Grantor,
  { id, ...change }: KeyChange & { readonly id: Id<'apiKey'> },
  now: number,
): Promise<ApiKey | Refusal<'NOT_FOUND' | 'FORBIDDEN' | 'CONFLICT'>> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const own = await readOwnKey(store, grantor, id);
    if (isRefusal(own)) return own;
    const denied = refuseEnded(own.inForce, now) ?? refuseChange(grantor, own.key, change);
    if (denied) return denied;
    const entry = keyEntry(grantor, 'changed', { id, at: now, details: { fields: fieldNames(change) } });
    if (!(await store.change(own.key, changed(own.key, change), now, entry))) continue;
    const after = await readOwnKey(store, grantor, id);
    return isRefusal(after) ? after : after.inForce;
  }
  return CHANGING;
};

/**
 * Revokes a key immediately, including old secrets, and every key below it unless `onlyThis`; idempotent. If the key
 * was revoked alone before, a call without `onlyThis` revokes the keys below it too. Needs only keys:write, whatever
 * the key's scopes: revoking grants nothing, and a leaked key must not wait for a stronger caller.
 */
export const revokeKey = async (
  store: KeyStore,
  grantor: Grantor,
  { id, onlyThis = false }: { readonly id: Id<'apiKey'>; readonly onlyThis?: boolean },
  now: number,
): Promise<ApiKey | Refusal<'NOT_FOUND' | 'CONFLICT'>> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const own = await readOwnKey(store, grantor, id);
    if (isRefusal(own)) return own;
    const { key } = own;
    if (key.revokedAt !== undefined && (onlyThis || key.treeRevokedAt !== undefined)) return key;
    const entry = keyEntry(grantor, 'revoked', { id, at: now, details: { onlyThis } });
    if (await store.revoke(key, now, !onlyThis, entry))
      return {
        ...key,
        oldSecrets: [],
        revokedAt: key.revokedAt ?? now,
        ...(onlyThis ? {} : { treeRevokedAt: now }),
      };
  }
  return CHANGING;
};
