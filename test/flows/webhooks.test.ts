import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { use } from '../support/use.ts';

const PATIENCE = { timeout: 45_000, interval: 50 };

const messaging = await sharedMessaging();
const receiver = await use(startReceiver());
afterEach(() => {
  receiver.received.length = 0;
  receiver.answer(() => 200);
});

const subscribe = async (owner: Tenant, fields: Record<string, unknown> = {}) => {
  const { status, body } = await owner.test.post('/webhooks', {
    url: receiver.url,
    events: ['sms.delivered', 'sms.failed'],
    ...fields,
  });
  expect(status).toBe(201);
  return body as { id: string; secret: string };
};

describe('a subscription', () => {
  test('receives each event of its types, with unchanged metadata and a signature that independent libraries verify', async () => {
    const owner = await messaging.tenant();
    const { id, secret } = await subscribe(owner, { headers: [{ key: 'X-Tenant', value: 'loja-1' }] });
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.validation']);
    const sent = await owner.test.send({ metadata: { pedido: 'A-1' } });
    await expect.poll(() => receiver.events().length, PATIENCE).toBe(1);
    const [delivered] = receiver.events();
    expect(delivered?.event).toMatchObject({
      type: 'sms.delivered',
      sequence: 1,
      env: 'test',
      organizationId: owner.id,
      data: { id: sent.body.id, to: '+5511999990005', status: 'delivered', metadata: { pedido: 'A-1' } },
    });
    expect(delivered?.headers).toMatchObject({
      'webhook-id': delivered?.event.id,
      'x-tenant': 'loja-1',
      'content-type': 'application/json',
      'user-agent': expect.stringContaining('messaging'),
    });
    for (const Verifier of [StandardWebhook, SvixWebhook]) {
      expect(() => new Verifier(secret).verify(delivered?.body ?? '', { ...delivered?.headers })).not.toThrow();
      expect(() => new Verifier(secret).verify(`${delivered?.body} `, { ...delivered?.headers })).toThrow();
      const old = { ...delivered?.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) };
      expect(() => new Verifier(secret).verify(delivered?.body ?? '', old)).toThrow();
    }
    await expect
      .poll(async () => (await owner.test.get(`/webhooks/${id}/deliveries`)).body.items[0]?.status, PATIENCE)
      .toBe('delivered');
    const list = await owner.test.get(`/webhooks/${id}/deliveries`, { status: 'delivered' });
    expect(list.body).toMatchObject({
      total: 1,
      items: [{ type: 'sms.delivered', sequence: 1, attempts: [{ status: 200 }] }],
    });
    const read = await owner.test.get(`/webhooks/${id}/deliveries/${list.body.items[0].id}`);
    expect(read.body.attempts).toMatchObject([
      {
        status: 200,
        requestBody: delivered?.body,
        responseBody: 'thanks',
        requestHeaders: { 'webhook-id': delivered?.event.id },
      },
    ]);
    expect((await owner.test.get(`/webhooks/${id}/events`, { after: '0' })).body).toMatchObject({
      items: [{ id: delivered?.event.id, sequence: 1 }],
      lastSequence: 1,
    });
  });

  test('is not created when its endpoint does not answer the validation with 200', async () => {
    const owner = await messaging.tenant();
    for (const status of [204, 301, 404, 500]) {
      receiver.answer(() => status);
      expectProblem(await owner.test.post('/webhooks', { url: receiver.url, events: ['sms.delivered'] }), 422);
    }
    expect((await owner.test.get('/webhooks')).body).toEqual({ items: [], total: 0 });
  });

  test('is listed by status and event, read, changed, paused, resumed and revoked; its secret is never shown again', async () => {
    const owner = await messaging.tenant();
    const { id, secret } = await subscribe(owner);
    const found = await owner.test.get('/webhooks', { status: 'active', event: 'sms.failed' });
    expect(found.body).toMatchObject({
      total: 1,
      items: [
        {
          id,
          url: receiver.url,
          secretVersion: 1,
          status: 'active',
          consecutiveFailures: 0,
          retry: { maxAttempts: 8, backoffSeconds: 30 },
        },
      ],
    });
    expect(JSON.stringify(found.body)).not.toContain(secret);
    expect((await owner.test.get('/webhooks', { event: 'wallet.depleted' })).body.total).toBe(0);
    expect(
      (await owner.test.call('PATCH', `/webhooks/${id}`, { body: { status: 'paused', description: 'Pedidos' } })).body,
    ).toMatchObject({ status: 'paused', description: 'Pedidos' });
    await owner.test.send();
    await expect.poll(async () => (await owner.test.get(`/webhooks/${id}/deliveries`)).body.total, PATIENCE).toBe(1);
    expect(receiver.events()).toEqual([]);
    await owner.test.call('PATCH', `/webhooks/${id}`, { body: { status: 'active', description: null } });
    await expect.poll(() => receiver.events().length, PATIENCE).toBe(1);
    expect((await owner.test.call('DELETE', `/webhooks/${id}`)).status).toBe(204);
    const revoked = (await owner.test.get(`/webhooks/${id}`)).body;
    expect(revoked.status).toBe('revoked');
    expect(revoked).not.toHaveProperty('description');
    expectProblem(await owner.test.call('PATCH', `/webhooks/${id}`, { body: { status: 'active' } }), 409);
  });

  test('receives nothing of another environment or organization', async () => {
    const [owner, other] = [await messaging.tenant(), await messaging.tenant()];
    const { id } = await subscribe(owner);
    await other.test.send();
    expectProblem(await owner.live.get(`/webhooks/${id}`), 404);
    expectProblem(await other.test.get(`/webhooks/${id}`), 404);
    await owner.test.send();
    await expect.poll(() => receiver.events().length, PATIENCE).toBe(1);
    expect(receiver.events()[0]?.event).toMatchObject({ organizationId: owner.id, env: 'test' });
  });

  test('receives examples and replays on request', async () => {
    const owner = await messaging.tenant();
    const { id } = await subscribe(owner);
    const delivered = (total: number) =>
      vi.waitFor(async () => {
        const { body } = await owner.test.get(`/webhooks/${id}/deliveries`, { status: 'delivered' });
        expect(body.total).toBe(total);
      }, PATIENCE);
    expect((await owner.test.post(`/webhooks/${id}/test`, { event: 'wallet.low_balance' })).status).toBe(202);
    await expect
      .poll(() => receiver.received.map(({ event }) => event.type), PATIENCE)
      .toEqual(['webhook.validation', 'wallet.low_balance']);
    await owner.test.send();
    await expect.poll(() => receiver.events().length, PATIENCE).toBe(1);
    await delivered(2);
    const [delivery] = (await owner.test.get(`/webhooks/${id}/deliveries`)).body.items;
    expect((await owner.test.post(`/webhooks/${id}/deliveries/${delivery.id}/replay`, {})).status).toBe(202);
    await expect.poll(() => receiver.events().length, PATIENCE).toBe(2);
    expect(receiver.events()[1]?.body).toBe(receiver.events()[0]?.body);
    const [from, to] = [Date.now() - 60_000, Date.now()].map((at) => new Date(at).toISOString());
    const range = { from, to, status: 'delivered' };
    await delivered(2);
    expect((await owner.test.post(`/webhooks/${id}/replay`, range)).body).toEqual({ replayed: 2 });
    await expect.poll(() => receiver.events().length, PATIENCE).toBe(3);
  });

  test('signs with both secrets while a rotation overlaps', async () => {
    const owner = await messaging.tenant();
    const { id, secret } = await subscribe(owner);
    const rotated = await owner.test.post(`/webhooks/${id}/rotate-secret`, { overlapHours: 1 });
    expect(rotated.body).toMatchObject({ secretVersion: 2 });
    await owner.test.send();
    await expect.poll(() => receiver.events().length, PATIENCE).toBe(1);
    const [delivered] = receiver.events();
    for (const each of [secret, rotated.body.secret as string])
      expect(() => new StandardWebhook(each).verify(delivered?.body ?? '', { ...delivered?.headers })).not.toThrow();
  });
});
