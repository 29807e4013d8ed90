import type { Actor } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** A use of a key, at a time in ms; the address is absent if unknown. */
export interface KeyUse {
  readonly at: number;
  readonly ip?: string | undefined;
}

/** How often a key's use is written, in ms (docs/spec/access.md#keys). */
export const USE_INTERVAL_MS = 5 * 60_000;
/** The longest time that a caller waits for its use to be recorded, in ms. */
const MAX_WAIT_MS = 100;
const MAX_REMEMBERED = 10_000;

/** Records a use, unless one was recorded within USE_INTERVAL_MS. */
export type RecordKeyUse = (id: Id<'apiKey'>, use: KeyUse) => Promise<void>;

/** Records the use of credentials. */
export interface KeyUses {
  /** Never throws, and returns within 100 ms: a use that can't be recorded neither rejects nor delays the call. */
  note(caller: Pick<Actor, 'credentialId' | 'kind'>, use: KeyUse): Promise<void>;
}

/**
 * Records uses of keys, at most one write per key and USE_INTERVAL_MS in this process; `record` limits it across
 * processes.
 */
export const keyUses = (record: RecordKeyUse): KeyUses => {
  const notedAt = new Map<string, number>();
  return {
    async note({ credentialId, kind }, use) {
      if (kind !== 'key' || use.at - (notedAt.get(credentialId) ?? 0) < USE_INTERVAL_MS) return;
      if (notedAt.size >= MAX_REMEMBERED) notedAt.clear();
      notedAt.set(credentialId, use.at);
      const forget = () => void notedAt.delete(credentialId);
      const written = record(credentialId as Id<'apiKey'>, use).catch(forget);
      await Promise.race([written, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS).unref())]);
    },
  };
};
