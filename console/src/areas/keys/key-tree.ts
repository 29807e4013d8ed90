import type { ApiKey } from '../../sdk.ts';

/** A key, and how many of the shown keys are above it. */
export interface KeyNode {
  readonly key: ApiKey;
  readonly depth: number;
}

/** Each key below the one that created it, where that is shown too; otherwise in the order in which they came. */
export const treeOf = (keys: readonly ApiKey[]): readonly KeyNode[] => {
  const shown = new Set(keys.map(({ id }) => id));
  const below = Map.groupBy(keys, ({ createdBy }) => (createdBy && shown.has(createdBy) ? createdBy : ''));
  const walk = (parent: string, depth: number): KeyNode[] =>
    (below.get(parent) ?? []).flatMap((key) => [{ key, depth }, ...walk(key.id, depth + 1)]);
  return walk('', 0);
};

export type KeyState = 'active' | 'expired' | 'revoked' | 'rotating';
export const stateOf = ({ revokedAt, expiresAt, oldSecretsValidUntil }: ApiKey, now = Date.now()): KeyState => {
  if (revokedAt) return 'revoked';
  if (expiresAt && Date.parse(expiresAt) <= now) return 'expired';
  return oldSecretsValidUntil && Date.parse(oldSecretsValidUntil) > now ? 'rotating' : 'active';
};
