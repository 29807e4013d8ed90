import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Play } from '../../support/providers/stand-in.ts';
import { startWhatsappStandIn, type WhatsappStandIn } from '../../support/providers/whatsapp-stand-in.ts';
import { setUpProvider } from '../support.ts';
import { postAll, type Watched } from './callers.ts';
import { takeWebhooks } from './channels.ts';
import { CANARIES } from './values.ts';

const { text, name, live: recipient, reply } = CANARIES;
const PLAYS: readonly Play[] = ['accept', 'throttle', 'server_error', 'malformed', { refuse: '400:131026' }];

/** Posts callbacks as Meta does, and faulty ones. */
const postCallbacks = async (watched: Watched, meta: WhatsappStandIn) => {
  const [message] = meta.messages;
  if (!message) throw new Error('nothing was accepted');
  const garbage = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ phone: recipient, text, name }] });
  const callbacks = [
    meta.receipt(message, 'delivered'),
    meta.receipt(message, 'undeliverable'),
    meta.inbound(recipient.slice(1), { type: 'text', text: { body: reply } }, { name }),
    meta.signed(message, garbage),
    meta.signed(message, text),
    { url: meta.endpoint, headers: { 'x-hub-signature-256': `sha256=${text}` }, body: garbage },
  ];
  expect(await postAll(watched, 'Meta', callbacks)).toEqual([200, 200, 200, 200, 400, 403]);
};

/** Live WhatsApp messages that are accepted, refused and lost, and Meta's receipts of them. */
export const useWhatsapp = async (watched: Watched): Promise<WhatsappStandIn> => {
  const { messaging, secrets } = watched;
  const meta = await startWhatsappStandIn();
  meta.endpoint = `${messaging.url}/callbacks/whatsapp_cloud_api/events`;
  const settings = { ...meta.settings, timeoutMs: 1_000 };
  const { accessToken, appSecret, verifyToken } = meta.settings;
  Object.assign(secrets, { metaToken: accessToken, metaSecret: appSecret, metaVerifyToken: verifyToken });
  await setUpProvider(messaging, 'whatsapp', 'whatsapp_cloud_api', settings);
  const { live } = await messaging.tenant({ live: 1_000_000 });
  await takeWebhooks(watched, live);
  meta.script(...PLAYS);
  const payload = { template: { name: 'exame', language: 'pt-BR' } };
  const body = { channel: 'whatsapp', to: recipient, type: 'template', payload, templateVars: [name, text] };
  for (const _ of PLAYS) await live.post('/messages', body, { 'idempotency-key': randomUUID() });
  const sends = () => meta.requests.filter(({ path }) => path.endsWith('/messages')).length;
  await vi.waitFor(() => expect(sends()).toBe(PLAYS.length), { timeout: 45_000, interval: 150 });
  await postCallbacks(watched, meta);
  return meta;
};
