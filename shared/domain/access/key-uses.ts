import type { Actor } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** A use of a key, at a time in ms; without an address where none is known. */
export interface KeyUse {
  readonly at: number;
  readonly ip?: string | undefined;
}

/** How often a key's use is written, in ms (docs/spec/access.md#keys). */
export const USE_INTERVAL_MS = 5 * 60_000;
/** How long a caller waits at most for its use to be written, in ms. */
const MAX_WAIT_MS = 100;
const MAX_REMEMBERED = 10_000;

/** Stores a use, unless one of the last USE_INTERVAL_MS is stored. */
export type RecordKeyUse = (id: Id<'apiKey'>, use: KeyUse) => Promise<void>;

/** Notes that credentials were used. */
export interface KeyUses {
  /** Never throws, and returns within 100 ms: a use that could not be written refuses and delays nobody. */
  note(caller: Pick<Actor, 'credentialId' | 'kind'>, use: KeyUse): Promise<void>;
}

/** Notes the uses of keys, at most one write a key in USE_INTERVAL_MS by this process; `record` bounds them across processes. */
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
