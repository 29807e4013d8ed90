import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Client, Tenant } from '../../support/api.ts';
import { startReceiver } from '../../support/receiver.ts';
import { noted, type Watched } from './callers.ts';
import { CANARIES } from './values.ts';

const { phone, name, email, text, subject, url, externalId, pushToken } = CANARIES;
const WAIT = { timeout: 60_000, interval: 150 };
const METADATA = { pedido: 'A-1' };
const EVENTS = [
  'message.queued message.sent message.delivered message.read message.failed message.received',
  'contact.created contact.opted_out contact.merged segment.entered segment.left import.completed export.completed',
  'sms.delivered sms.failed sms.undelivered sms.received sms.clicked email.delivered email.bounced email.opened email.clicked',
  'rcs.delivered rcs.read rcs.failed rcs.clicked instagram.message.received instagram.message.sent ai.interaction',
].flatMap((line) => line.split(' '));

/** Subscribes endpoints to all events of a client's environment: as a caller who may see addresses, and as one who may not. */
export const takeWebhooks = async ({ messaging, receivers }: Watched, client: Client): Promise<void> => {
  const scopes = ['webhooks:read', 'webhooks:write', 'messages:read', 'contacts:read'];
  for (const unmasked of [true, false]) {
    const receiver = await startReceiver();
    const subscriber = unmasked ? client : await messaging.limited(client, scopes);
    const answer = await subscriber.post('/webhooks', { url: receiver.url, events: EVENTS });
    expect([answer.status, answer.status === 201 || answer.text]).toEqual([201, true]);
    receivers.push({ receiver, unmasked });
  }
};

/** Sends a person's data on every channel, at once and later, with fallbacks and in bulk, in the sandbox. */
export const useChannels = async (watched: Watched, { test: client }: Tenant, contactId: string): Promise<void> => {
  const post = async (path: string, status: number, body: unknown) => {
    const answer = noted(watched, `POST ${path}`, await client.post(path, body, { 'idempotency-key': randomUUID() }));
    expect([path, answer.status, answer.status === status || answer.text]).toEqual([path, status, true]);
    return answer.body;
  };
  const message = { text: `${text} ${url}`, contactId, metadata: METADATA };
  const inTwoDays = new Date(Date.now() + 48 * 3_600_000).toISOString();
  const way = { channel: 'email', to: email, text: `${text} ${url}`, after: '10s' };
  const sent = [
    await post('/v1/messages', 202, { ...message, channel: 'sms', to: CANARIES.undelivered, fallback: [way] }),
    await post('/v1/messages', 202, { ...message, channel: 'rcs', to: CANARIES.delivered }),
    await post('/v1/messages', 202, { ...message, channel: 'email', to: email }),
    await post('/v1/messages', 202, {
      ...message,
      channel: 'whatsapp',
      to: phone,
      text: undefined,
      template: 'exame',
      variables: { 1: name },
    }),
  ].map(({ id }: { id: string }) => id);
  await post('/v1/messages', 202, { ...message, channel: 'sms', to: phone, scheduledAt: inTwoDays });
  await post('/v1/messages/preview', 200, { ...message, channel: 'sms', to: phone });
  await post('/v1/messages', 422, { ...message, channel: 'sms', to: phone, contactId: email, [email]: name });
  await post('/v1/messages', 400, { ...message, channel: 'sms', to: name });
  await post('/v2/email/messages', 201, { to: email, subject, html: `<p>${text}</p>`, contactId });
  await post('/v2/email/messages', 422, { to: name, subject: `${subject}\r\nBcc: ${email}`, html: text });
  await post('/v2/rcs/messages', 201, {
    to: CANARIES.delivered,
    content: { text },
    contactId,
    route: 'easy_rcs',
    fallback: { text: name },
  });
  const bulk = {
    messages: [
      { ...message, channel: 'sms', to: phone },
      { channel: 'sms', to: name, text: [name] },
    ],
  };
  const { batchId, errors } = await post('/v1/messages/bulk', 202, { ...bulk, mode: 'permissive' });
  watched.problems.push({ path: 'errors of a bulk', body: JSON.stringify(errors) });
  await post('/v2/ai/interactions', 201, {
    contactId,
    channel: 'whatsapp',
    model: 'm',
    role: 'user',
    text: CANARIES.turn,
  });
  const counts = async () => (await client.get(`/v1/messages/bulk/${batchId}`)).body;
  await vi.waitFor(async () => expect(JSON.stringify(await counts())).toContain('delivered'), WAIT);
  for (const id of sent)
    await vi.waitFor(
      async () => expect((await client.get(`/messages/${id}`)).body.status).not.toMatch(/queued|sending|^sent/),
      WAIT,
    );
};

/** Registers a person's device and pushes to it, by each way to name it. */
export const usePush = async (watched: Watched, { test: client }: Tenant, contactId: string): Promise<void> => {
  const call = async (path: string, status: number, body: unknown) => {
    const answer = noted(watched, `POST ${path}`, await client.post(path, body, { 'idempotency-key': randomUUID() }));
    expect([path, answer.status, answer.status === status || answer.text]).toEqual([path, status, true]);
    return answer.body;
  };
  const { id: appId } = await call('/v2/push/apps', 201, { name: 'Clinica' });
  const device = { appId, token: pushToken, platform: 'ios', contactId, externalId, deviceName: CANARIES.device };
  await call('/v2/push/tokens', 200, { ...device, userName: name, userEmail: email, userPhone: phone });
  await call('/v2/push/tokens', 400, {
    appId: email,
    token: [pushToken],
    platform: name,
    userEmail: phone,
    [email]: name,
  });
  const ids = [
    (await call('/v1/messages', 202, { channel: 'push', to: externalId, text, contactId })).id,
    (
      await call('/v2/push/messages', 201, {
        title: 'Aviso',
        body: 'A todos.',
        platforms: ['ios'],
        segment: 'all_opt_in',
      })
    ).id,
  ];
  for (const id of ids)
    await vi.waitFor(
      async () => expect((await client.get(`/v2/push/messages/${id}`)).body.status).toMatch(/sent|failed/),
      WAIT,
    );
  const { items } = (await client.get(`/v2/push/messages/${ids[1]}/dispatches`)).body;
  await call(`/v2/push/dispatches/${items[0].dispatchId}/opened`, 200, undefined);
  await call('/v2/push/tokens/opt-out', 200, { appId, token: pushToken });
};
