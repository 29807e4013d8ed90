import { saveProvider } from '../../infra/operator/provider-settings.ts';
import { rootKeysOf } from '../../infra/operator/root-keys.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { localKeyProvider } from '../../shared/providers/keys/local-key-provider.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { type Gate, startGate } from './kill-gate.ts';
import { channelOf, type Victim } from './kill-steps.ts';
import { startAmazonSesStandIn } from './providers/amazon-ses-stand-in.ts';
import { type FcmStandIn, startFcmStandIn } from './providers/fcm-stand-in.ts';
import { startInfobipRcsStandIn } from './providers/infobip-rcs-stand-in.ts';
import { type InfobipStandIn, startInfobipStandIn } from './providers/infobip-stand-in.ts';
import { startInstagramStandIn } from './providers/instagram-stand-in.ts';
import type { StandIn } from './providers/stand-in.ts';
import { startWhatsappStandIn } from './providers/whatsapp-stand-in.ts';

interface GatedProvider<S> {
  readonly standIn: S;
  /** The gate in front of it, by which the service reaches it. */
  readonly gate: Gate;
  readonly settings: Readonly<Record<string, unknown>>;
}
/** A provider's accepted messages and their reports, for every channel. */
type Taker = Pick<StandIn, 'messages' | 'receipt' | 'close'>;

/** A provider's stand-in for each channel, each behind a gate; they outlive the processes that call them. */
export interface KillProviders extends Readonly<Record<Channel, GatedProvider<Taker>>> {
  readonly sms: GatedProvider<InfobipStandIn>;
  readonly push: GatedProvider<Taker & { readonly fcm: FcmStandIn }>;
}

/** Longer than a call stands still before its process is killed. */
const TIMEOUT_MS = 10_000;

const gated = async <S extends StandIn>(standIn: S, more: Readonly<Record<string, unknown>> = {}) => {
  const gate = await startGate(standIn.baseUrl);
  return { standIn, gate, settings: { ...standIn.settings, ...more, baseUrl: gate.endpoint, timeoutMs: TIMEOUT_MS } };
};

/** Push goes to one service here: what differs between them ends before a process does. */
const gatedPush = async () => {
  const fcm = await startFcmStandIn(Date.now);
  const gate = await startGate(fcm.options.fcmUrl ?? '');
  const standIn = {
    fcm,
    get messages() {
      return fcm.pushes.map(({ token: to, providerMessageId, collapse: messageId = '' }) => {
        return { to, providerMessageId, messageId, from: '', text: '', callbackUrl: '' };
      });
    },
    receipt: () => {
      throw new Error('push services report nothing');
    },
    close: () => fcm.close(),
  };
  const { googleTokenUrl } = fcm.options;
  return { standIn, gate, settings: { fcmUrl: gate.endpoint, googleTokenUrl, timeoutMs: TIMEOUT_MS } };
};

/** Starts the stand-ins. `url` is the service's own address, where some of them deliver their events. */
export const startKillProviders = async (url: string): Promise<KillProviders> => {
  const [sms, rcs, ses, whatsapp, instagram] = await Promise.all([
    startInfobipStandIn(),
    startInfobipRcsStandIn(),
    startAmazonSesStandIn(),
    startWhatsappStandIn(),
    startInstagramStandIn(),
  ]);
  ses.endpoint = `${url}/callbacks/amazon_ses/receipts`;
  whatsapp.endpoint = `${url}/callbacks/whatsapp_cloud_api/events`;
  instagram.endpoint = `${url}/callbacks/instagram_messaging_api/events`;
  return {
    sms: await gated(sms, { logsLagMs: 0 }),
    rcs: await gated(rcs, { logsLagMs: 0 }),
    email: await gated(ses),
    whatsapp: await gated(whatsapp),
    instagram: await gated(instagram),
    push: await gatedPush(),
  };
};

/** The providers that an operator sets up; push has its own apps instead. */
const SET_UP = {
  sms: 'infobip',
  rcs: 'infobip',
  email: 'amazon_ses',
  whatsapp: 'whatsapp_cloud_api',
  instagram: 'instagram_messaging_api',
} as const;

/** An account of Instagram for each organization, since each account belongs to one. */
const accountsOf = (settings: Readonly<Record<string, unknown>>, organizations: readonly Id<'organization'>[]) => {
  const [account = {}] = settings.accounts as readonly { readonly id?: string }[];
  const own = organizations.map((organizationId, at) => ({
    ...account,
    id: `${account.id?.slice(0, -3)}${String(at).padStart(3, '0')}`,
    organizationId,
    accountId: `178414005${String(at).padStart(8, '0')}`,
  }));
  return [account, ...own];
};

/** A stage of a local data directory, for the operator's calls. */
const targetOf = (table: Table, keyFile: string) => {
  const provider = localKeyProvider(keyFile);
  const tables = { live: table, test: table };
  return { tables, ...rootKeysOf(tables, async () => () => provider) };
};

/** Sets every provider up for a stage and these organizations, with the key of its first start. */
export const setUpProviders = async (
  providers: KillProviders,
  table: Table,
  keyFile: string,
  organizations: readonly Id<'organization'>[],
): Promise<void> => {
  const target = targetOf(table, keyFile);
  for (const [channel, name] of Object.entries(SET_UP) as [keyof typeof SET_UP, string][]) {
    const { settings } = providers[channel];
    const own = channel === 'instagram' ? { accounts: accountsOf(settings, organizations) } : {};
    await saveProvider(target, 'live', { channel, name, settings: { ...settings, ...own } });
  }
};

/** Makes recipients of these victims' own: a device is registered, and who is answered on Instagram has just written. */
export const meetRecipients = async (
  { push }: KillProviders,
  table: Table,
  keyFile: string,
  victims: readonly Victim[],
): Promise<void> => {
  const vault = await targetOf(table, keyFile).vault('live', 'recipients');
  const on = (channel: Channel) => victims.filter((victim) => channelOf(victim) === channel);
  for (const { organizationId, to } of on('instagram'))
    await table.write({
      update: KEYS.lastInbound(organizationId, 'instagram', vault.blindIndex(organizationId, 'platform', to), ''),
      set: { at: Date.now() },
    });
  for (const [client, own] of Map.groupBy(on('push'), (victim) => victim.client)) {
    const app = await client.post('/v2/push/apps', { name: 'Kill', ...push.standIn.fcm.app });
    for (const { to: token } of own) {
      const { status, text } = await client.post('/v2/push/tokens', { appId: app.body.id, token, platform: 'android' });
      if (status !== 200) throw new Error(`a device was not registered: ${status} ${text}`);
    }
  }
};

export const closeProviders = async (providers: KillProviders): Promise<void> => {
  await Promise.all(Object.values(providers).flatMap(({ standIn, gate }) => [standIn.close(), gate.close()]));
};
