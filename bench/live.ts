import { keyFileOf } from '../infra/local/stages.ts';
import { operatorOf } from '../infra/provisioning/organizations.ts';
import { buildKey, KEY_SCOPES } from '../shared/domain/access/keys.ts';
import { MAX_SENDS_PER_MINUTE } from '../shared/domain/access/rate-limits.ts';
import { isRefusal } from '../shared/domain/core/errors.ts';
import type { Id } from '../shared/domain/core/ids.ts';
import type { Channel } from '../shared/domain/message/channel.ts';
import { newKeyWrites } from '../shared/storage/access/keys.ts';
import { setOrganization } from '../shared/storage/access/organization-settings.ts';
import type { Table } from '../shared/storage/client/table.ts';
import type { Client } from '../test/support/api.ts';
import { operatorAct } from '../test/support/audit.ts';
import {
  closeProviders,
  type KillProviders,
  meetRecipients,
  setUpProviders,
  startKillProviders,
} from '../test/support/kill-providers.ts';
import { giveSenders } from '../test/support/senders.ts';
import { startService, tablesAt } from './processes.ts';
import type { Plan } from './variant.ts';

/** A live key may send 600 a minute and 100 at once, so that load comes from many keys of one organization. */
const KEYS_OF_LOAD = 64;
/** Who is sent to: a thousand phones and mailboxes, one device and one Instagram user. */
const PHONE = '+5511987{nnn}321';
const USER = '17841400000000001';
const DEVICE = 'device-1';
const TEXT = 'Your order is on its way.';
const template = { template: { name: 'order_sent', language: 'pt-BR' } };

/** What a live organization sends on each channel, and what it is answered with. */
export interface LiveSend {
  readonly path: string;
  readonly status: string;
  readonly body: object;
  /** Whether the answer comes before the provider is called. */
  readonly queued?: true;
}
const created = (channel: Channel, to: string, fields: object): LiveSend => ({
  path: '/messages',
  status: '201',
  body: { channel, to, ...fields },
  queued: true,
});
/** The channel's own operation where it has one for single messages; it calls the provider before it answers. */
export const LIVE_SENDS: Readonly<Record<Channel, LiveSend>> = {
  sms: { path: '/v2/sms/messages', status: '201', body: { to: PHONE, body: TEXT, route: 'premium' } },
  rcs: { path: '/v2/rcs/messages', status: '201', body: { to: PHONE, content: { text: TEXT }, route: 'easy_rcs' } },
  email: {
    path: '/v2/email/messages',
    status: '201',
    body: { to: 'p{nnn}@loja.example', from: 'ola@azul.example', subject: 'Your order', text: TEXT },
  },
  whatsapp: created('whatsapp', PHONE, { type: 'template', payload: template }),
  push: created('push', DEVICE, { type: 'text', payload: { text: TEXT } }),
  instagram: created('instagram', USER, { type: 'text', payload: { text: TEXT } }),
};
/** The operation of all channels: it answers once the message is queued. */
export const V1_SEND: LiveSend = {
  path: '/v1/messages',
  status: '202',
  body: { channel: 'sms', to: PHONE, text: TEXT },
  queued: true,
};

/** Stand-ins of every channel's provider that answer at once. Calls pass `gated` ones by their gate, others go straight to them. */
export const startProviders = async (gated?: Channel) => {
  const all = await startKillProviders('http://127.0.0.1');
  const { sms, rcs, email, whatsapp, instagram, push } = all;
  const direct = <P extends KillProviders[Exclude<Channel, 'push'>]>(provider: P, baseUrl: string): P => ({
    ...provider,
    settings: { ...provider.settings, baseUrl },
  });
  const addressOf = ({ standIn }: KillProviders[Channel]) => ('baseUrl' in standIn ? String(standIn.baseUrl) : '');
  const channels: KillProviders = {
    sms: direct(sms, addressOf(sms)),
    rcs: direct(rcs, addressOf(rcs)),
    email: direct(email, addressOf(email)),
    whatsapp: direct(whatsapp, addressOf(whatsapp)),
    instagram: direct(instagram, addressOf(instagram)),
    push: { ...push, settings: { ...push.settings, fcmUrl: push.standIn.fcm.options.fcmUrl } },
  };
  return { channels: gated ? { ...channels, [gated]: all[gated] } : channels, close: () => closeProviders(all) };
};

/** Further live keys of an organization, with every scope. */
const moreKeys = async (table: Table, organizationId: Id<'organization'>, count: number): Promise<string[]> => {
  const secrets: string[] = [];
  for (let at = 0; at < count; at++) {
    const planned = buildKey(
      operatorOf(organizationId, 'live'),
      { name: `Load ${at}`, scopes: KEY_SCOPES },
      Date.now(),
    );
    if (isRefusal(planned)) throw new Error(planned.details.detail);
    await table.transact([...newKeyWrites(planned.key)]);
    secrets.push(planned.secret.text);
  }
  return secrets;
};

/** Who is equipped: an organization with its live key, and where its table and master key are. */
interface Equipped {
  readonly organizationId: Id<'organization'>;
  readonly table: Table;
  readonly folder: string;
  readonly client: Client;
}
/** Lets an organization send on all six channels without a limit of its own; answers the keys that its load comes from. */
export const equip = async (
  { organizationId, table, folder, client }: Equipped,
  providers: KillProviders,
): Promise<string[]> => {
  const keyFile = keyFileOf(folder);
  await giveSenders(table, organizationId);
  await setOrganization(table, organizationId, 'sendsPerMinute', MAX_SENDS_PER_MINUTE, operatorAct(organizationId));
  await setUpProviders(providers, table, keyFile, [organizationId]);
  const recipient = { step: 'answered', key: '', client, organizationId } as const;
  await meetRecipients(providers, table, keyFile, [
    { ...recipient, channel: 'push', to: DEVICE },
    { ...recipient, channel: 'instagram', to: USER },
  ]);
  return moreKeys(table, organizationId, KEYS_OF_LOAD);
};

/** The service with an organization that sends live on all six channels, by providers' stand-ins that answer at once. */
export const startLive = async (options: NonNullable<Parameters<typeof startService>[0]> = {}) => {
  const providers = await startProviders();
  const env = { ...options.env, PUSH_SERVICES: JSON.stringify(providers.channels.push.settings) };
  const service = await startService({ ...options, env });
  const { organizationId, store, keys } = service;
  const table = tablesAt(store.endpoint).live;
  const client = service.clientOf(keys.live);
  const credentials = await equip({ organizationId, table, folder: store.folder, client }, providers.channels);
  return {
    ...service,
    providers: providers.channels,
    credentials,
    async stop() {
      await service.stop();
      await providers.close();
    },
  };
};
export type Live = Awaited<ReturnType<typeof startLive>>;

/** Load of live sends, by all keys in turn. */
export const livePlan = (credentials: readonly string[], { path, body }: LiveSend): Plan => ({
  path,
  headers: { authorization: 'Bearer {key}', 'content-type': 'application/json', 'idempotency-key': 'bench-{n}' },
  body: JSON.stringify(body),
  credentials,
});
