import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CannotStart } from '../../infra/local/cannot-start.ts';
import { freePort } from '../../infra/local/engines.ts';
import { keyFileOf } from '../../infra/local/stages.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { Tenant } from '../support/api.ts';
import {
  closeProviders,
  type KillProviders,
  meetRecipients,
  setUpProviders,
  startKillProviders,
} from '../support/kill-providers.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { giveSenders } from '../support/senders.ts';
import { answered, type CostRow, documentedUnder, measureRows } from './cost-table.ts';
import { startMetered } from './metering.ts';

const PHONE = '+5511987654321';
const INSTAGRAM_USER = '17841400000000001';
const DEVICE = 'device-1';
const BATCH = 100;
const TEXT = 'Seu pedido saiu.';
const EMAIL = { to: 'ana@loja.example', from: 'ola@azul.example', subject: 'Seu pedido', text: TEXT };
const TEMPLATE = { name: 'order_sent', language: 'pt-BR' };

let service: Awaited<ReturnType<typeof startMetered>>;
let providers: KillProviders;
let tenant: Tenant;
const documented = documentedUnder('What a live message of each channel consumes');
let measured: Awaited<ReturnType<typeof measureRows>>;

const sent = (path: string, body: object, status = 201) =>
  answered(tenant.live.post(path, body, { 'idempotency-key': randomUUID() }), status);
/** A message that a queue hands over, and its provider takes. */
const created = (channel: Channel, to: string, fields: object) => sent('/messages', { channel, to, ...fields });

const delivered = async (channel: Exclude<Channel, 'push'>) => {
  const { standIn } = providers[channel];
  const message = standIn.messages.at(-1);
  if (!message) throw new Error(`${channel}: the provider took nothing`);
  const { status } = await deliver(standIn.receipt(message, 'delivered'));
  expect(status).toBe(200);
};
const email = () => sent('/v2/email/messages', EMAIL);
const rcs = () => sent('/v2/rcs/messages', { to: PHONE, content: { text: TEXT }, route: 'easy_rcs' });
const whatsapp = () => created('whatsapp', PHONE, { type: 'template', payload: { template: TEMPLATE } });
const bulk = () =>
  sent(
    '/v1/messages/bulk',
    {
      mode: 'strict',
      messages: Array.from({ length: BATCH }, () => ({ channel: 'sms', to: PHONE, text: TEXT })),
    },
    202,
  );

/** The rows of the page's second table, in its order. Each is counted with the work of its consumers. */
const ROWS: readonly CostRow[] = [
  { name: 'E-mail', run: email },
  { name: 'Delivery of an e-mail', run: () => delivered('email'), first: email },
  { name: 'RCS message', run: rcs },
  { name: 'Delivery of an RCS message', run: () => delivered('rcs'), first: rcs },
  { name: 'WhatsApp template', run: whatsapp },
  { name: 'Delivery of a WhatsApp template', run: () => delivered('whatsapp'), first: whatsapp },
  {
    name: 'Instagram text',
    run: () => created('instagram', INSTAGRAM_USER, { type: 'text', payload: { text: TEXT } }),
  },
  { name: 'Push to one device', run: () => created('push', DEVICE, { type: 'text', payload: { text: TEXT } }) },
  { name: `SMS of a bulk send of ${BATCH}`, run: bulk, of: BATCH },
];

/** The providers call the service back, so its port is chosen before it starts: another one if a process took it in between. */
const start = async (attempts = 3): Promise<void> => {
  const port = await freePort();
  providers = await startKillProviders(`http://127.0.0.1:${port}`);
  try {
    service = await startMetered({ port, env: { PUSH_SERVICES: JSON.stringify(providers.push.settings) } });
  } catch (error) {
    await closeProviders(providers);
    if (attempts > 1 && error instanceof CannotStart) return start(attempts - 1);
    throw error;
  }
};

beforeAll(async () => {
  await start();
  const { tables, dataDir } = service.messaging;
  tenant = await service.messaging.tenant({ live: 100_000_000 });
  const keyFile = keyFileOf(dataDir);
  await giveSenders(tables.live, tenant.id);
  await setUpProviders(providers, tables.live, keyFile, [tenant.id]);
  const recipient = { step: 'answered', key: '', client: tenant.live, organizationId: tenant.id } as const;
  await meetRecipients(providers, tables.live, keyFile, [
    { ...recipient, channel: 'push', to: DEVICE },
    { ...recipient, channel: 'instagram', to: INSTAGRAM_USER },
  ]);
  measured = await measureRows(service, ROWS, { documented, withConsumers: true });
}, 300_000);
afterAll(async () => {
  await service?.close();
  await closeProviders(providers);
});

test('the figures of docs/cost.md for a live message of each channel match the running service', () => {
  expect(documented).toEqual(measured);
});
