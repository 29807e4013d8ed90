import { clock } from './aws.ts';

/**
 * A per-process cache: each value is read again when it is older than `ttlMs`, when reading it failed, or when `isKept` declined it.
 * Concurrent callers share one read. A cache above `maxEntries` is emptied.
 */
export const ttlCache = <V>(ttlMs: number, maxEntries: number) => {
  const entries = new Map<string, { readonly at: number; readonly value: Promise<V> }>();
  return (key: string, read: () => Promise<V>, isKept: (value: V) => boolean = () => true): Promise<V> => {
    const cached = entries.get(key);
    const now = clock();
    if (cached && now - cached.at < ttlMs) return cached.value;
    if (entries.size > maxEntries) entries.clear();
    const entry = { at: now, value: read() };
    entries.set(key, entry);
    const drop = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    void entry.value.then((value) => isKept(value) || drop(), drop);
    return entry.value;
  };
};
