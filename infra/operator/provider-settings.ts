import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { loadProviders } from '../../shared/providers/index.ts';
import { putProviderSettings } from '../../shared/storage/access/providers.ts';
import type { Target } from './target.ts';

/** A provider of a channel and its settings, which its adapter's schema has parsed. */
export interface GivenProvider {
  readonly channel: Channel;
  readonly name: string;
  readonly settings: unknown;
}

/**
 * Stores a provider's settings: all of them under one root key, and the part that verifies callbacks under another. Throws for an unknown
 * provider.
 */
export const saveProvider = async (
  { tables, vault }: Pick<Target, 'tables' | 'vault'>,
  env: Environment,
  { channel, name, settings }: GivenProvider,
): Promise<void> => {
  const found = (await loadProviders(channel)).find((each) => each.name === name);
  if (!found) throw new Error(`There is no adapter for ${name} on ${channel}.`);
  const [providers, callbacks] = await Promise.all([vault(env, 'providers'), vault(env, 'callbacks')]);
  await putProviderSettings(
    tables[env],
    { providers, callbacks },
    { channel, name, settings, callbacks: found.callbacks.settings.parse(settings), now: Date.now() },
  );
};
