import { clock } from './aws.ts';

/** A per-process cache: each value is read again when it is older than `ttlMs`; a cache above `maxEntries` is emptied. */
export const ttlCache = <V>(ttlMs: number, maxEntries: number) => {
  const entries = new Map<string, { readonly at: number; readonly value: V }>();
  return async (key: string, read: () => Promise<V>): Promise<V> => {
    const cached = entries.get(key);
    const now = clock();
    if (cached && now - cached.at < ttlMs) return cached.value;
    const value = await read();
    if (entries.size > maxEntries) entries.clear();
    entries.set(key, { at: now, value });
    return value;
  };
};
