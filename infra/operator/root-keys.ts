import type { Environment } from '../../shared/domain/core/actor.ts';
import { createRootKeys, type KeyProviders, openVault } from '../../shared/storage/access/root-key.ts';
import type { Tables } from '../provisioning/organizations.ts';
import type { Target } from './target.ts';

/** The root keys of both stages, under the key providers of each. */
export const rootKeysOf = (
  tables: Tables,
  providersOf: (env: Environment) => Promise<KeyProviders>,
): Pick<Target, 'createRootKeys' | 'vault'> => ({
  vault: async (env, name) => openVault(tables[env], await providersOf(env), name),
  createRootKeys: async (env) => createRootKeys(tables[env], await providersOf(env)),
});
