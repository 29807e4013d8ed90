import { type RecordKeyUse, USE_INTERVAL_MS } from '../../domain/access/key-uses.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { keyRows } from './key-rows.ts';

/** Stores a key's latest use. Condition: the key exists, and its stored use is older than the interval. */
export const recordKeyUse =
  (table: Table): RecordKeyUse =>
  async (id, { at, ip }) => {
    await table.write({
      update: KEYS.apiKey(id),
      set: keyRows.set({ lastUsedAt: at, lastUsedIp: ip }),
      ...(ip === undefined ? { remove: ['lastUsedIp'] } : {}),
      when: {
        text: 'attribute_exists(#pk) AND (attribute_not_exists(#lastUsedAt) OR #lastUsedAt <= :before)',
        values: { before: isoTime(at - USE_INTERVAL_MS) },
      },
    });
  };
