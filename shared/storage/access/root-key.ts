import * as z from 'zod';
import { createVault, type KeyProvider, type Vault } from '../../domain/core/secrets.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/**
 * Opens the stage's vault. Its root key is stored wrapped in the table, and is created on first use; of two concurrent creators the second
 * uses the first one's key. One read and one unwrap per process.
 */
export const openVault = async (table: Table, keys: KeyProvider): Promise<Vault> => {
  for (;;) {
    const row = await table.get(KEYS.rootKey());
    if (row) return createVault(await keys.unwrap(z.string().parse(row.wrapped)));
    const fresh = await keys.generate();
    await table.write({
      put: { ...KEYS.rootKey(), wrapped: fresh.wrapped },
      when: { text: 'attribute_not_exists(#pk)' },
    });
  }
};
