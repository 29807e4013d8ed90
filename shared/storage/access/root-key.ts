import * as z from 'zod';
import { createVault, type KeyProvider, ROOT_KEYS, type RootKey, type Vault } from '../../domain/core/secrets.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/** The key provider of each root key: one can't unwrap a key that another wrapped. */
export type KeyProviders = (name: RootKey) => KeyProvider;

/**
 * Opens the vault of a root key. The key is stored wrapped in the table, and is created on first use; of two concurrent creators the second
 * uses the first one's key. One read and one unwrap per process.
 */
export const openVault = async (table: Table, keys: KeyProviders, name: RootKey): Promise<Vault> => {
  for (;;) {
    const row = await table.get(KEYS.rootKey(name));
    if (row) return createVault(await keys(name).unwrap(z.string().parse(row.wrapped)));
    const fresh = await keys(name).generate();
    await table.write({
      put: { ...KEYS.rootKey(name), wrapped: fresh.wrapped },
      when: { text: 'attribute_not_exists(#pk)' },
    });
  }
};

/** Creates the stage's missing root keys. Two round trips, and a call of the provider for each missing one. */
export const createRootKeys = async (table: Table, keys: KeyProviders): Promise<void> => {
  const rows = await table.getMany(ROOT_KEYS.map((name) => KEYS.rootKey(name)));
  const missing = ROOT_KEYS.filter((_, at) => rows[at] === undefined);
  await Promise.all(missing.map((name) => openVault(table, keys, name)));
};
