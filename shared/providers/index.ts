import type { Channel } from '../domain/messages/provider.ts';
import type { RegisteredProvider } from './registry.ts';

/** Where each channel's providers stand. Each is loaded alone, so that a function carries the adapters of its own channel at most. */
const REGISTRIES: Readonly<Partial<Record<Channel, () => Promise<{ PROVIDERS: readonly RegisteredProvider[] }>>>> = {
  sms: () => import('./sms/index.ts'),
  email: () => import('./email/index.ts'),
  rcs: () => import('./rcs/index.ts'),
  whatsapp: () => import('./whatsapp/index.ts'),
  instagram: () => import('./instagram/index.ts'),
};

/** The channels that have a provider. */
export const PROVIDER_CHANNELS = Object.keys(REGISTRIES) as readonly Channel[];

/** The providers of a channel in their order when an operator names none; empty for a channel that has none. */
export const loadProviders = async (channel: Channel): Promise<readonly RegisteredProvider[]> =>
  (await REGISTRIES[channel]?.())?.PROVIDERS ?? [];

/** The providers of all channels. */
export const loadAllProviders = async (): Promise<readonly RegisteredProvider[]> =>
  (await Promise.all(PROVIDER_CHANNELS.map(loadProviders))).flat();
