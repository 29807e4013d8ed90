import { describe, expect, test } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { aMessage } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { queueSms } from '../support/queued.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, idsOf, keyed, kindsOf, optedOut } from './support.ts';

const HOUR = 3_600_000;
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();

const read = async (id: string) => (await tenant.test.get(`/messages/${id}`)).body;
const act = (id: string, what: string, body?: unknown, headers = {}) =>
  tenant.test.call('POST', `/messages/${id}/${what}`, { headers, ...(body === undefined ? {} : { body }) });
const reaches = (id: string, status: string) => becomes(tenant.test, `/messages/${id}`, { status });
const queue = () => queueSms(messaging, tenant, Date.now() + HOUR);
const rcs = (fields: object = {}) =>
  tenant.test.post(
    '/v2/rcs/messages',
    { to: '+5511999990005', content: { text: 'Seu pedido saiu.' }, route: 'easy_rcs', ...fields },
    keyed(),
  );

describe('a resend', () => {
  test('of a failed message sends the corrected one, bills it, and links both', async () => {
    const { id } = (await tenant.test.send({ to: '+5511999990008', metadata: { pedido: 'A-1' } })).body;
    await reaches(id, 'failed');
    const { status, body } = await act(id, 'resend', { to: '+5511999990005', payload: { text: 'Corrigido' } });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        status: 'queued',
        replaces: id,
        to: '+5511999990005',
        payload: { text: 'Corrigido' },
        metadata: { pedido: 'A-1' },
        billing: { coins: expect.any(Number) },
        replayed: false,
        attempts: 0,
      },
    });
    expect(await read(id)).toMatchObject({
      status: 'archived',
      reprocessed: true,
      replacedBy: body.id,
      lastError: `Replaced by ${body.id}.`,
      originalError: 'invalid_number',
      archivedAt: instant,
    });
    expect((await tenant.test.get(`/v2/sms/messages/${id}`)).body.status).toBe('failed');
    await reaches(body.id, 'delivered');
    for (const each of [id, body.id]) expectProblem(await act(each, 'resend', {}), 409);
    const archived = await tenant.test.get('/messages', { status: 'archived' });
    expect(idsOf(archived.body.items)).toContain(id);
  });

  test('of a queued message with fallbacks cancels them: only the new message is sent', async () => {
    const body = { channel: 'sms', to: '+5511999990005', text: 'Oi', fallback: ['rcs'] };
    const scheduledAt = new Date(Date.now() + HOUR).toISOString();
    const key = keyed();
    const { id } = (await tenant.test.post('/v1/messages', { ...body, scheduledAt }, key)).body;
    expect((await messaging.tables.test.get(KEYS.fallback(id)))?.state).toBe('waiting');
    expect((await act(id, 'resend', {})).status).toBe(201);
    expect(await messaging.tables.test.get(KEYS.fallback(id))).toMatchObject({ state: 'cancelled' });
    expect((await messaging.tables.test.get(KEYS.fallback(id)))?.duePk).toBeUndefined();
    const { items } = (await tenant.test.get(`/messages/${id}/timeline`)).body;
    expect(kindsOf(items).slice(0, 5)).toEqual(['contact', 'consent', 'price_band', 'hold', 'route']);
    expect(items.at(-1)).toMatchObject({ kind: 'operator', detail: expect.stringMatching(/^replaced by msg_/) });
  });

  test('with a key is replayed when repeated, and is 409 for another body or message', async () => {
    const [{ id }, other] = [await queue(), await queue()];
    const key = keyed();
    const first = await act(id, 'resend', { metadata: { pedido: 2 } }, key);
    const second = await act(id, 'resend', { metadata: { pedido: 2 } }, key);
    expect(second).toMatchObject({ status: 201, body: { ...first.body, replayed: true } });
    expectProblem(await act(id, 'resend', { metadata: { pedido: 3 } }, key), 409);
    expectProblem(await act(other.id, 'resend', { metadata: { pedido: 2 } }, key), 409);
    expectProblem(await act(other.id, 'resend', {}, { 'idempotency-key': 'a b' }), 400);
  });

  test('with a key is replayed when repeated after its provider refused it, too, and so is the send that it replaced', async () => {
    const body = { channel: 'sms', to: '+5511999990114', text: 'Seu pedido saiu.' };
    const first = await tenant.test.post('/v1/messages', body, keyed('replaced'));
    await reaches(first.body.id, 'failed');
    const resent = await act(first.body.id, 'resend', {}, keyed('again'));
    await reaches(resent.body.id, 'failed');
    const repeated = await act(first.body.id, 'resend', {}, keyed('again'));
    expect(repeated).toMatchObject({ status: 201, body: { id: resent.body.id, replayed: true } });
    expect((await tenant.test.post('/v1/messages', body, keyed('replaced'))).body).toEqual({
      ...first.body,
      replayed: true,
    });
  });

  test.each([
    [{ to: '12' }],
    [{ metadata: { '1x': 1 } }],
    [{ payload: 'text' }],
    [{ payload: { text: 'Oi', at: 2 ** 60 } }],
    [{ payload: { card: { title: 'Oi' } } }],
    [{ payload: { text: '' } }],
    [{ templateVars: [1] }],
    [{ unknown: true }],
  ])('with the correction %o is refused with 422 and does not change the original', async (correction) => {
    const { id } = await queue();
    const before = await read(id);
    expectProblem(await act(id, 'resend', correction), 422);
    expect(await read(id)).toEqual(before);
  });

  test('of an RCS message keeps its card and fallback; a payload of another kind is refused', async () => {
    const card = { title: 'Seu pedido', description: 'Chega hoje.' };
    const made = await rcs({ to: '+5511999990008', content: { card }, fallback: { text: 'Chega hoje.' } });
    const { id } = made.body;
    await reaches(id, 'failed');
    for (const payload of [
      { card: { ...card, title: 7 } },
      { card, text: 'Oi' },
      { email: { subject: 'Oi', text: 'Oi' } },
    ])
      expectProblem(await act(id, 'resend', { payload }), 422);
    const { status, body } = await act(id, 'resend', { to: '+5511999990005' });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { channel: 'rcs', payload: { card, fallback: { text: 'Chega hoje.' } }, replaces: id },
    });
    await reaches(body.id, 'delivered');
  });

  test('of an e-mail needs its payload again, since its body is not stored', async () => {
    const key = keyed();
    const email = { to: 'bounce@simulator.amazonses.com', subject: 'Oi', text: 'Oi' };
    const { id } = (await tenant.test.post('/v2/email/messages', email, key)).body;
    await reaches(id, 'failed');
    expectProblem(await act(id, 'resend', {}), 422, { errors: ['payload'] });
    const { status, body } = await act(id, 'resend', {
      to: 'success@simulator.amazonses.com',
      payload: { email: { subject: 'Oi de novo', text: 'Agora sim' } },
    });
    expect({ status, body }).toMatchObject({ status: 201, body: { payload: { email: { subject: 'Oi de novo' } } } });
    expect(JSON.stringify(body)).not.toContain('Agora sim');
    await reaches(body.id, 'delivered');
    await checkMoney(messaging.tables.test, tenant.id, { quiet: false });
  });

  test('to a contact that opted out is refused, and the original stays queued', async () => {
    await optedOut(tenant.test, { phone: '+5511999990004' });
    const { id } = await queue();
    expectProblem(await act(id, 'resend', { to: '+5511999990004' }), 422, { meta: { motivo: 'opt_out' } });
    expect((await read(id)).status).toBe('queued');
    expect(aMessage.to).toBe((await read(id)).to);
  });
});
