import { describe, expect, test } from 'vitest';
import type { Client } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, idsOf, keyed, storeReply } from './support.ts';

const messaging = await sharedMessaging();
const PATH = '/v2/exports/whatsapp';
const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();
const around = () => ({ from: iso(Date.now() - HOUR_MS), to: iso(Date.now() + HOUR_MS) });
const PHONE = '+5511987720042';

const sendWhatsapp = async (client: Client, fields: object = {}): Promise<string> => {
  const template = { type: 'template', payload: { template: { name: 'pedido', language: 'pt-BR' } } };
  const answer = await client.post('/messages', { channel: 'whatsapp', to: PHONE, ...template, ...fields }, keyed());
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const asCsv = (client: Client, path: string, query: Readonly<Record<string, string | number>>) =>
  client.call('GET', path, { query, headers: { accept: 'text/csv' } });

describe('an export of WhatsApp messages', () => {
  test('has a row a message with what correlates it, masked without pii:full', async () => {
    const { test: client } = await messaging.tenant();
    const contactId = (await client.post('/contacts', { phone: PHONE, externalId: 'cliente-7' })).body.id;
    const tags = { contactId, campaignId: 'natal', metadata: { orderId: 'A-1', vip: true } };
    const id = await sendWhatsapp(client, tags);
    await client.send();
    await becomes(client, `/messages/${id}`, { status: 'delivered' });
    const query = around();
    const { status, body, headers } = await client.get(PATH, query);
    expect(status).toBe(200);
    expect(headers.get('vary')).toBe('accept');
    const { createdAt, sentAt, deliveredAt } = (await client.get(`/messages/${id}`)).body;
    const row = { id, channel: 'whatsapp', direction: 'outbound', to: PHONE, status: 'delivered', createdAt, ...tags };
    expect(body).toEqual({
      items: [{ ...row, contactExternalId: 'cliente-7', sentAt, deliveredAt }],
      nextCursor: null,
    });
    const masking = await messaging.limited(client, ['messages:read']);
    expect((await masking.get(PATH, query)).body.items[0].to).toBe('+55119****0042');
    expect((await asCsv(masking, PATH, query)).text).not.toContain(PHONE);
  });

  test('is CSV on request, without formulas, and links to its next page', async () => {
    const { test: client } = await messaging.tenant();
    const made = [
      await sendWhatsapp(client),
      await sendWhatsapp(client, { campaignId: '=1+1', metadata: { note: '"x", y' } }),
    ];
    const first = await asCsv(client, PATH, { ...around(), limit: 1 });
    expect(first.headers.get('content-type')).toMatch(/^text\/csv/);
    const [columns = '', line = '', end, ...others] = first.text.split('\r\n');
    expect(columns).toMatch(/^id,channel,direction,to,status,createdAt,campaignId,/);
    expect(line.startsWith(`${made[1]},whatsapp,outbound,'${PHONE},`)).toBe(true);
    expect(line).toContain(`,'=1+1,`);
    expect(line).toContain(String.raw`"{""note"":""\""x\"", y""}"`);
    expect([end, others]).toEqual(['', []]);
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await client.call('GET', next, { headers: { accept: 'text/csv' } });
    expect(second.text.split('\r\n')[1]).toContain(made[0]);
    expect(second.headers.get('link')).toBeNull();
    const refused = await asCsv(client, PATH, { ...around(), limit: 1_001 });
    expectProblem(refused, 422);
  });

  test('is 422 for a window of more than 31 days, and 400 for a cursor of another export', async () => {
    const { test: client, live } = await messaging.tenant();
    for (let at = 0; at < 2; at++) await sendWhatsapp(client);
    const to = iso(Date.now());
    for (const from of [iso(Date.now() - 32 * 24 * HOUR_MS), iso(Date.now() + HOUR_MS), 'yesterday'])
      expectProblem(await client.get(PATH, { from, to }), 422);
    expectProblem(await client.get(PATH, { to }), 422);
    const query = around();
    const { nextCursor: cursor } = (await client.get(PATH, { ...query, limit: 1 })).body;
    expect((await client.get(PATH, { ...query, cursor })).body.items).toHaveLength(1);
    expectProblem(await client.get('/v2/exports/messages', { ...query, channel: 'whatsapp', cursor }), 400);
    for (const other of [live, (await messaging.tenant()).test])
      expectProblem(await other.get(PATH, { ...query, cursor }), 400);
    expectProblem(await (await messaging.limited(client, ['sms:read'])).get(PATH, query), 403);
  });
});

test('the messages of another channel are exported with its own columns, received ones among them', async () => {
  const owner = await messaging.tenant();
  const { test: client } = owner;
  const sms = (await client.send()).body.id;
  await storeReply(messaging, owner, sms);
  const mail = { to: 'success@simulator.amazonses.com', subject: 'Oi', text: 'Oi' };
  const email = (await client.post('/v2/email/messages', mail, keyed())).body.id;
  const exported = async (channel: string) =>
    (await client.get('/v2/exports/messages', { ...around(), channel })).body.items;
  const texts = await exported('sms');
  expect(idsOf(texts)).toContain(sms);
  expect(texts.find(({ id }: { id: string }) => id === sms)).toMatchObject({ segments: 1, direction: 'outbound' });
  expect(await exported('email')).toMatchObject([{ id: email, subject: 'Oi', channel: 'email' }]);
  expect(await exported('rcs')).toEqual([]);
  expectProblem(await client.get('/v2/exports/messages', { ...around(), channel: 'push' }), 422);
});
