import { describe, expect, test, vi } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { pagesOf } from '../support/pages.ts';
import { expectProblem } from '../support/problems.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { use } from '../support/use.ts';
import { idsOf, keyed, kindsOf, PATIENCE } from './support.ts';

const messaging = await sharedMessaging();
const receiver = await use(startReceiver());
/** The endpoint of a subscription whose creator may not see phones. */
const masked = await use(startReceiver());
const PATH = '/v2/ai/interactions';
const PHONE = '+5511987650042';
const TURN = { channel: 'whatsapp', model: 'atendente-2', role: 'assistant', text: 'Seu pedido chega amanhã.' };

const contactOf = async ({ test: client }: Tenant): Promise<string> =>
  (await client.post('/contacts', { phone: PHONE, name: 'Ana', email: 'ana.ai@example.com' })).body.id;
const timelineOf = async (
  { test: client }: Tenant,
  id: string,
  query: Readonly<Record<string, string | number>> = {},
) => (await client.get(`/contacts/${id}/timeline`, query)).body;

describe("a turn of the organization's assistant", () => {
  test('is shown in the timelines of its contact and of its message', async () => {
    const tenant = await messaging.tenant();
    const contactId = await contactOf(tenant);
    const message = (await tenant.test.send({ contactId })).body.id;
    const report = { ...TURN, contactId, messageId: message, metadata: { step: 2 } };
    const { status, body } = await tenant.test.post(PATH, report);
    expect(status).toBe(201);
    expect(body).toEqual({ ...report, id: expect.stringMatching(/^ait_/), createdAt: expect.any(String) });
    const { items } = await timelineOf(tenant, contactId);
    expect(kindsOf(items)).toEqual(['ai', 'sent']);
    expect(items[0]).toMatchObject({ at: body.createdAt, messageId: message, turn: body });
    expect(items[1]).toMatchObject({ messageId: message, detail: expect.stringMatching(/^sms: /) });
    const steps = (await tenant.test.get(`/messages/${message}/timeline`)).body.items;
    expect(steps).toContainEqual({ at: body.createdAt, kind: 'ai', detail: 'atendente-2 on whatsapp' });
  });

  test('finds its contact by a phone or an address, which is not answered, and is no interaction of the person', async () => {
    const tenant = await messaging.tenant();
    const contactId = await contactOf(tenant);
    for (const [channel, to] of [
      ['sms', PHONE],
      ['rcs', PHONE],
      ['email', 'ANA.AI@example.com'],
    ]) {
      const answer = await tenant.test.post(PATH, { ...TURN, channel, to, role: 'user' });
      expect(answer).toMatchObject({ status: 201, body: { contactId, channel } });
      expect(answer.body.to).toBeUndefined();
    }
    expect((await timelineOf(tenant, contactId)).items).toHaveLength(3);
    expect((await tenant.test.get(`/contacts/${contactId}`)).body.lastInteractionAt).toBeUndefined();
  });

  test('raises one signed event, which shows the phone as the creator of the subscription may see it', async () => {
    const tenant = await messaging.tenant();
    const contactId = await contactOf(tenant);
    const hook = { events: ['ai.interaction'] };
    expect((await tenant.test.post('/webhooks', { url: receiver.url, ...hook })).status).toBe(201);
    const masking = await messaging.limited(tenant.test, ['webhooks:write']);
    expect((await masking.post('/webhooks', { url: masked.url, ...hook })).status).toBe(201);
    const { body } = await tenant.test.post(PATH, { ...TURN, contactId, metadata: { step: 1 } });
    await vi.waitFor(() => expect([receiver.events().length, masked.events().length]).toEqual([1, 1]), PATIENCE);
    const { createdAt: _, ...turn } = body;
    expect(receiver.events()[0]?.event).toMatchObject({ type: 'ai.interaction', data: { ...turn, phone: PHONE } });
    expect(masked.events()[0]?.event.data).toMatchObject({ ...turn, phone: '+55119****0042' });
  });

  test('is one turn and one event per idempotency key, for 20 concurrent reports; a different body with the key is 409', async () => {
    const tenant = await messaging.tenant({ takesEvents: true });
    const contactId = await contactOf(tenant);
    const key = keyed();
    const report = () => tenant.test.post(PATH, { ...TURN, contactId }, key);
    const answers = await Promise.all(Array.from({ length: 20 }, report));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await report()).body.replayed).toBe(true);
    expect((await timelineOf(tenant, contactId)).items).toHaveLength(1);
    const events = (await messaging.eventsOf('test', tenant.id)).filter(({ type }) => type === 'ai.interaction');
    expect(events).toHaveLength(1);
    expectProblem(await tenant.test.post(PATH, { ...TURN, contactId, text: 'Outro' }, key), 409);
  });

  test('of an unknown contact or message, or of a message of another contact, is 422 and names the field', async () => {
    const tenant = await messaging.tenant();
    const other = await messaging.tenant();
    const contactId = await contactOf(tenant);
    const theirs = await contactOf(other);
    const second = (await tenant.test.post('/contacts', { phone: '+5511987650043' })).body.id;
    const toSecond = (await tenant.test.send({ contactId: second, to: '+5511987650043' })).body.id;
    const theirMessage = (await other.test.send()).body.id;
    for (const [path, fields] of [
      ['contactId', { contactId: theirs }],
      ['contactId', {}],
      ['contactId', { contactId, to: PHONE }],
      ['to', { to: '+5511987659999' }],
      ['to', { to: 'nobody' }],
      ['messageId', { contactId, messageId: theirMessage }],
      ['messageId', { contactId, messageId: toSecond }],
    ] as const) {
      const answer = await tenant.test.post(PATH, { ...TURN, ...fields });
      expectProblem(answer, 422);
      expect(answer.body.errors, JSON.stringify(fields)).toMatchObject([{ path }]);
    }
    expect((await timelineOf(tenant, contactId)).items).toEqual([]);
  });

  test('needs messages:send, and the timeline contacts:read', async () => {
    const tenant = await messaging.tenant();
    const contactId = await contactOf(tenant);
    const limited = await messaging.limited(tenant.test, ['messages:read']);
    expectProblem(await limited.post(PATH, { ...TURN, contactId }), 403);
    expectProblem(await limited.get(`/contacts/${contactId}/timeline`), 403);
  });
});

describe('the timeline of a contact', () => {
  test('is paged newest first without gaps or repeats, across channels and turns', async () => {
    const tenant = await messaging.tenant();
    const contactId = await contactOf(tenant);
    const made: string[] = [];
    for (let round = 0; round < 4; round++) {
      made.push((await tenant.test.send({ contactId, to: PHONE })).body.id);
      made.push((await tenant.test.post(PATH, { ...TURN, contactId })).body.id);
      const rcs = { contactId, to: PHONE, content: { text: 'Oi' }, route: 'easy_rcs' };
      made.push((await tenant.test.post('/v2/rcs/messages', rcs, keyed())).body.id);
    }
    const pages = await pagesOf((cursor) => timelineOf(tenant, contactId, { limit: 5, ...(cursor ? { cursor } : {}) }));
    expect(pages).toHaveLength(3);
    const read: { messageId?: string; turn?: { id: string } }[] = pages.flatMap(({ items }) => items);
    expect(idsOf(read.map(({ messageId, turn }) => ({ id: turn?.id ?? messageId ?? '' })))).toEqual(made.reverse());
  });

  test("takes no cursor of another contact's: 400", async () => {
    const tenant = await messaging.tenant();
    const contactId = await contactOf(tenant);
    for (let turn = 0; turn < 2; turn++) await tenant.test.post(PATH, { ...TURN, contactId });
    const { nextCursor } = await timelineOf(tenant, contactId, { limit: 1 });
    const other = (await tenant.test.post('/contacts', { phone: '+5511987650044' })).body.id;
    expectProblem(await tenant.test.get(`/contacts/${other}/timeline`, { cursor: nextCursor }), 400);
  });
});
