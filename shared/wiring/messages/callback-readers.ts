import { META_PROVIDERS } from '../../domain/channels/meta/providers.ts';
import type { AccountPorts } from '../../domain/inbound/accounts.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { CallbackReader } from '../../domain/message/provider-port.ts';
import { loadProviders } from '../../providers/index.ts';
import { readCallbackSettings } from '../../storage/access/providers.ts';
import { organizationsWithSender } from '../../storage/senders/senders.ts';
import { numberOfPhoneId, organizationsOfAccount } from '../../storage/whatsapp/numbers.ts';
import { providerIo, settings, table, vaults } from '../process/aws.ts';
import { ttlCache } from '../process/ttl-cache.ts';

/** How long a process caches the operator's settings, in ms. */
const SETTINGS_TTL_MS = 10_000;
const cached = ttlCache<ReadonlyMap<string, CallbackReader>>(SETTINGS_TTL_MS, 10);

const readersOf = async (channel: Channel): Promise<ReadonlyMap<string, CallbackReader>> => {
  const opened = vaults.callbacks().then((vault) => readCallbackSettings(table, vault, channel));
  const [given, registered] = await Promise.all([opened, loadProviders(channel)]);
  return new Map(
    registered.flatMap(({ name, callbacks }) => {
      const verifying = given.get(name);
      return verifying === undefined ? [] : [[name, callbacks.open(verifying, providerIo)]];
    }),
  );
};

/** The reader of a provider's callbacks; undefined if it is not set up. */
export const readerOf = async (channel: Channel, provider: string): Promise<CallbackReader | undefined> =>
  (await cached(channel, () => readersOf(channel))).get(provider);

/** The numbers, accounts and senders of the stage's organizations, by which callbacks find their owners. */
export const accountPorts: AccountPorts = {
  env: settings.STAGE,
  instagramAccounts: async () => (await readerOf('instagram', META_PROVIDERS.instagram))?.accounts,
  numberOfPhoneId: (phoneNumberId) => numberOfPhoneId(table, phoneNumberId),
  organizationsOfAccount: (wabaId) => organizationsOfAccount(table, wabaId),
  organizationsWithSender: (channel, value) => organizationsWithSender(table, channel, value),
};
