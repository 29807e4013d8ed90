import { describe, expect, test } from 'vitest';
import type { Client } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, idsOf } from './support.ts';

const messaging = await sharedMessaging();
const PATH = '/v2/events';
const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();
const around = () => ({ from: iso(Date.now() - 24 * HOUR_MS), to: iso(Date.now() + HOUR_MS) });

let people = 0;
const contactOf = async (client: Client, fields: object = {}) => {
  const phone = `+55119871${String(10_000 + people++)}`;
  return (await client.post('/contacts', { phone, ...fields })).body as { id: string; phone: string };
};
const EVENT = { name: 'compra', eventId: 'pedido-1' };

describe('an event of a customer', () => {
  test('keeps its name as it was given, by which journeys and filters find it; a name of blanks or of two lines is 422', async () => {
    const { test: client } = await messaging.tenant();
    const { id: contactId } = await contactOf(client);
    const record = (name: string) => client.post(PATH, { ...EVENT, name, contact: { contactId } });
    expect((await record(' compra ')).body.name).toBe(' compra ');
    for (const name of [' ', 'com\npra', 'compra\u0000']) expectProblem(await record(name), 422, { errors: ['name'] });
  });

  test('is 201 once and then 200 with what was stored, and is attributed to the last message', async () => {
    const { test: client } = await messaging.tenant();
    const { id: contactId } = await contactOf(client, { externalId: 'cliente-77' });
    const { id: messageId } = (await client.send({ contactId, campaignId: 'natal' })).body;
    await becomes(client, `/messages/${messageId}`, { status: 'delivered' });
    const body = {
      ...EVENT,
      contact: { externalId: 'cliente-77' },
      value: 199.9,
      properties: { loja: 'Centro', itens: 3 },
    };
    const first = await client.post(PATH, body);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      ...EVENT,
      id: expect.stringMatching(/^cev_/),
      contactId,
      contactExternalId: 'cliente-77',
      occurredAt: expect.any(String),
      value: 199.9,
      currency: 'BRL',
      properties: body.properties,
      attribution: {
        messageId,
        channel: 'sms',
        campaignId: 'natal',
        sentAt: expect.any(String),
        horasAteOEvento: expect.any(Number),
      },
      duplicate: false,
    });
    const again = await client.post(PATH, { ...EVENT, name: 'outra', contact: { phone: 'no phone' }, value: 1 });
    expect([again.status, again.body]).toEqual([200, { ...first.body, duplicate: true }]);
    expect((await client.get(PATH, around())).body).toEqual({ items: [first.body] });
    expect((await client.get(PATH, { ...around(), name: 'compra', contactId })).body.items).toHaveLength(1);
    expect((await client.get(PATH, { ...around(), name: 'visita' })).body.items).toEqual([]);
  });

  test('is attributed by when it happened, within its window', async () => {
    const { test: client } = await messaging.tenant();
    const { id: contactId } = await contactOf(client);
    const { id: messageId } = (await client.send({ contactId })).body;
    await becomes(client, `/messages/${messageId}`, { status: 'delivered' });
    const record = async (eventId: string, occurredAt: string, hours: number) =>
      (
        await client.post(PATH, {
          ...EVENT,
          eventId,
          occurredAt,
          attributionWindowHours: hours,
          contact: { contactId },
        })
      ).body;
    expect((await record('late', iso(Date.now() - HOUR_MS), 720)).attribution).toBeNull();
    expect((await record('now', iso(Date.now() + 1_000), 1)).attribution).toMatchObject({ messageId });
  });

  test('finds its contact by phone and e-mail address, and is stored without one for somebody unknown', async () => {
    const { test: client } = await messaging.tenant();
    const { id: contactId, phone } = await contactOf(client, { email: 'ana.cev@example.com' });
    const names = [{ phone }, { email: 'ANA.CEV@example.com' }, { externalId: 'unknown', phone }, { contactId, phone }];
    for (const [at, contact] of names.entries()) {
      const { status, body } = await client.post(PATH, { ...EVENT, eventId: `e-${at}`, contact });
      expect([status, body.contactId]).toEqual([201, contactId]);
      expect(JSON.stringify(body)).not.toContain(phone);
    }
    const { status, body } = await client.post(PATH, {
      ...EVENT,
      contact: { externalId: 'nobody', phone: '+5511987199999' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ contactExternalId: 'nobody', attribution: null });
    expect(body.contactId).toBeUndefined();
  });

  test('that names different people, or is impossible, is 422 with the path and stores nothing', async () => {
    const { test: client } = await messaging.tenant();
    const stranger = await contactOf((await messaging.tenant()).test);
    const one = await contactOf(client, { externalId: 'one', email: 'one.cev@example.com' });
    const two = await contactOf(client, { externalId: 'two' });
    for (const [path, fields] of [
      ['contact.phone', { contact: { externalId: 'one', phone: two.phone } }],
      ['contact.email', { contact: { contactId: two.id, email: 'one.cev@example.com' } }],
      ['contact.externalId', { contact: { externalId: 'three', phone: one.phone } }],
      ['contact.contactId', { contact: { contactId: stranger.id } }],
      ['contact.contactId', { contact: { contactId: 'cnt_1' } }],
      ['contact.phone', { contact: { phone: '11 98765' } }],
      ['contact.email', { contact: { email: 'nobody' } }],
      ['contact', { contact: {} }],
      ['occurredAt', { occurredAt: iso(Date.now() + HOUR_MS) }],
      ['occurredAt', { occurredAt: '1969-12-31T23:59:59Z' }],
      ['currency', { currency: 'ABC' }],
      ['currency', { currency: 'brl' }],
      ['attributionWindowHours', { attributionWindowHours: 721 }],
      ['attributionWindowHours', { attributionWindowHours: 0 }],
      ['value', { value: 2 ** 60 }],
      ['properties', { properties: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, at])) }],
    ] as const) {
      const answer = await client.post(PATH, { ...EVENT, contact: { externalId: 'one' }, ...fields });
      expectProblem(answer, 422);
      expect(answer.body.errors, JSON.stringify(fields)).toMatchObject([{ path }]);
    }
    expect((await client.get(PATH, around())).body.items).toEqual([]);
  });

  test('is listed latest first, page by page, and never to another organization or environment', async () => {
    const owner = await messaging.tenant();
    const made: string[] = [];
    for (let hour = 10; hour > 0; hour--) {
      const event = { name: 'visita', eventId: `v-${hour}`, occurredAt: iso(Date.now() - hour * HOUR_MS) };
      made.unshift((await owner.test.post(PATH, { ...event, contact: { externalId: 'x' } })).body.id);
    }
    const window = around();
    const { items, nextCursor } = (await owner.test.get(PATH, { ...window, limit: 4 })).body;
    const rest = (await owner.test.get(PATH, { ...window, limit: 200, cursor: nextCursor })).body;
    expect(idsOf([...items, ...rest.items])).toEqual(made);
    expect(rest.nextCursor).toBeUndefined();
    for (const client of [owner.live, (await messaging.tenant()).test]) {
      expect((await client.get(PATH, window)).body).toEqual({ items: [] });
      expectProblem(await client.get(PATH, { ...window, cursor: nextCursor }), 400);
    }
  });

  test('needs contacts:write, its list contacts:read and both ends of a window', async () => {
    const { test: client } = await messaging.tenant();
    const reading = await messaging.limited(client, ['contacts:read']);
    const writing = await messaging.limited(client, ['contacts:write']);
    expectProblem(await reading.post(PATH, { ...EVENT, contact: { externalId: 'x' } }), 403);
    expectProblem(await writing.get(PATH, around()), 403);
    expectProblem(await client.get(PATH, { from: around().from }), 400);
    expect((await writing.post(PATH, { ...EVENT, contact: { externalId: 'x' } })).status).toBe(201);
  });

  test('without pii:full names people by an address 60 times a minute, then is 429 and not stored', async () => {
    const { test: client } = await messaging.tenant();
    const masking = await messaging.limited(client, ['contacts:write']);
    const record = (at: number) =>
      masking.post(PATH, { ...EVENT, eventId: `a-${at}`, contact: { email: `pessoa${at}@example.com` } });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => record(at)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectProblem(answer, 429);
    const { items } = (await client.get(PATH, { ...around(), limit: 200 })).body;
    expect(items).toHaveLength(100 - refused.length);
    expect((await masking.post(PATH, { ...EVENT, eventId: 'b', contact: { externalId: 'x' } })).status).toBe(201);
  });
});
