import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { use } from '../support/use.ts';

const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';
const WAIT = { timeout: 40_000, interval: 200 };
const VARIABLES = { nome: 'Ana', pedido: 'A-1842' };
const SAID = 'Oi, Ana! O pedido A-1842 saiu.';

let templateId: string;
const messaging = await use(startMessaging());
const tenant = await messaging.tenant();
beforeAll(async () => {
  templateId = await approved('pedido_enviado');
});

let connected = 0;
const approved = async (name: string): Promise<string> => {
  const phoneNumberId = `77${String(++connected).padStart(6, '0')}1000`;
  const number = await tenant.test.post('/numbers', { phoneNumberId, wabaId: '102290129340398', accessToken: 'token' });
  const components = [
    { type: 'BODY', payload: { text: 'Oi, {{1}}! O pedido {{2}} saiu.', example: { body_text: [['Bia', 'B-1']] } } },
    { type: 'FOOTER', payload: { text: 'Loja' } },
  ];
  const fields = { numberId: number.body.id, name, language: 'pt-BR', category: 'utility', components };
  const { id } = (await tenant.test.post('/v2/templates', fields)).body;
  await tenant.test.post(`/v2/templates/${id}/submit`, {});
  await vi.waitFor(async () => {
    expect((await tenant.test.get(`/v2/templates/${id}`)).body.status).toBe('approved');
  }, WAIT);
  return id;
};

const send = (body: object, key: string = randomUUID(), of = tenant.test) =>
  of.post('/v1/messages', { channel: 'sms', to: DELIVERED, ...body }, { 'idempotency-key': key });
const read = async (id: string) => (await tenant.test.get(`/messages/${id}`)).body;
const became = (id: string, status: string) =>
  vi.waitFor(async () => expect((await read(id)).status).toBe(status), WAIT);

describe('a template on a channel that has none of its own', { timeout: 180_000 }, () => {
  test.each([
    ['sms', DELIVERED],
    ['rcs', DELIVERED],
    ['push', 'device-1'],
    ['instagram', '17841400008460056'],
  ])('leaves on %s as the text of its filled body, by its name and by its id', async (channel, to) => {
    for (const template of ['pedido_enviado', templateId]) {
      const sent = await send({ channel, to, template, variables: VARIABLES });
      expect(sent.status).toBe(202);
      const message = await read(sent.body.id);
      expect(message).toMatchObject({
        type: 'template',
        payload: { text: SAID },
        templateId,
        templateVars: ['Ana', 'A-1842'],
      });
      expect(message).not.toHaveProperty('numberId');
    }
  });

  test('is said by every fallback of a WhatsApp template, and each tells which way it was', async () => {
    const fallback = ['sms', { channel: 'rcs', to: DELIVERED }];
    const sent = await send({ channel: 'whatsapp', to: FAILED, template: templateId, variables: VARIABLES, fallback });
    expect(sent.status).toBe(202);
    const ways = async () =>
      (await messaging.eventsOf('test', tenant.id)).filter(
        ({ type, data }) => type === 'message.queued' && data.fallbackOf === sent.body.id,
      );
    await vi.waitFor(async () => expect(await ways()).toHaveLength(2), WAIT);
    for (const [at, { data }] of (await ways()).entries()) {
      expect(await read(String(data.id))).toMatchObject({ payload: { text: SAID }, templateId });
      const [step] = (await tenant.test.get(`/messages/${String(data.id)}/timeline`)).body.items;
      expect(step).toMatchObject({
        kind: 'fallback',
        detail: expect.stringContaining(`hop=${at + 1} of ${sent.body.id}`),
      });
    }
    const story = (await tenant.test.get(`/messages/${sent.body.id}/timeline`)).body.items;
    const told = (kind: string) => story.find((step: { kind: string }) => step.kind === kind)?.detail;
    expect(told('fallback')).toBe('if it does not deliver: sms at 800 coins, then rcs at 1200 coins');
    expect(told('window')).toBe('a template needs none');
  });

  test('is filled anew by a resend that brings other variables', async () => {
    const { body } = await send({ to: FAILED, template: templateId, variables: VARIABLES });
    await became(body.id, 'failed');
    const correction = { to: DELIVERED, templateVars: ['Bia', 'B-7'] };
    expect(await tenant.test.post(`/messages/${body.id}/resend`, correction)).toMatchObject({
      status: 201,
      body: { payload: { text: 'Oi, Bia! O pedido B-7 saiu.' }, templateId, templateVars: ['Bia', 'B-7'] },
    });
  });

  test.each([
    [{ template: 'pedido_enviado', variables: { nome: 'Ana' } }, 'invalid_template_variable'],
    [{ template: `tpl_${'0'.repeat(21)}` }, 'invalid_request'],
  ])('is refused where it cannot be said: %j', async (fields, code) => {
    expect(await send(fields)).toMatchObject({ status: 422, body: { code, action: expect.any(String) } });
  });

  test('that the organization does not keep is said with its values in test, and refused in live', async () => {
    const sent = await send({ template: 'boas_vindas', variables: { nome: 'Ana' } });
    expect(await read(sent.body.id)).toMatchObject({
      payload: { text: 'boas_vindas: Ana' },
      templateId: 'boas_vindas',
    });
    const live = await send({ template: 'boas_vindas' }, randomUUID(), tenant.live);
    expect(live).toMatchObject({ status: 422, body: { errors: [{ path: 'template', message: expect.any(String) }] } });
  });
});

describe('a repeat of a key', { timeout: 180_000 }, () => {
  test('answers as the first call did, although its template is gone; another body is 409', async () => {
    const template = await approved('que_sai_do_ar');
    const body = { template, variables: VARIABLES, fallback: ['rcs', 'sms'], fallback_after: '1h' };
    const { wallet: _, replayed: __, ...first } = (await send(body, 'kept')).body;
    expect(first.fallback.map(({ price }: { price: { coins: number } }) => price.coins)).toEqual([1_200, 800]);
    expect((await tenant.test.call('DELETE', `/v2/templates/${template}`)).status).toBeLessThan(300);
    expect(await send(body, 'kept')).toMatchObject({ status: 202, body: { ...first, replayed: true } });
    expect(await send({ ...body, template: templateId, to: FAILED }, 'kept')).toMatchObject({ status: 409 });
    expect(await send(body)).toMatchObject({ status: 422 });
  });
});
