import type { Channel } from '../domain/message/channel.ts';
import type { RegisteredProvider } from './registry.ts';

/** Loaded per channel, so that a function bundles only the adapters of its own channel. */
const REGISTRIES: Readonly<Partial<Record<Channel, () => Promise<{ PROVIDERS: readonly RegisteredProvider[] }>>>> = {
  sms: () => import('./sms/index.ts'),
  email: () => import('./email/index.ts'),
  rcs: () => import('./rcs/index.ts'),
  whatsapp: () => import('./whatsapp/index.ts'),
  instagram: () => import('./instagram/index.ts'),
};

export const PROVIDER_CHANNELS = Object.keys(REGISTRIES) as readonly Channel[];

/** The providers of a channel, in their default order; empty if the channel has none. */
export const loadProviders = async (channel: Channel): Promise<readonly RegisteredProvider[]> =>
  (await REGISTRIES[channel]?.())?.PROVIDERS ?? [];

export const loadAllProviders = async (): Promise<readonly RegisteredProvider[]> =>
  (await Promise.all(PROVIDER_CHANNELS.map(loadProviders))).flat();
