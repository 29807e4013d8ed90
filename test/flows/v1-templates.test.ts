import { describe, expect, test, vi } from 'vitest';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, connectNumber, keyed, registerDevice } from './support.ts';

const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';
const WAIT = { timeout: 45_000, interval: 200 };
const VARIABLES = { nome: 'Ana', pedido: 'A-1842' };
const TEXT = 'Oi, Ana! O pedido A-1842 saiu.';

const messaging = await sharedMessaging();
const tenant = await messaging.tenant({ takesEvents: true });

/** An approved template on a number of its own; answers its id. */
const approved = async (name: string): Promise<string> => {
  const numberId = await connectNumber(tenant.test);
  const components = [
    { type: 'BODY', payload: { text: 'Oi, {{1}}! O pedido {{2}} saiu.', example: { body_text: [['Bia', 'B-1']] } } },
    { type: 'FOOTER', payload: { text: 'Loja' } },
  ];
  const draft = { numberId, name, language: 'pt-BR', category: 'utility', components };
  const { id } = (await tenant.test.post('/v2/templates', draft)).body;
  await tenant.test.post(`/v2/templates/${id}/submit`, {});
  await becomes(tenant.test, `/v2/templates/${id}`, { status: 'approved' }, WAIT);
  return id;
};
const templateId = await approved('pedido_enviado');
await registerDevice(tenant.test, 'device-1');

const send = (body: object, key?: string, of = tenant.test) =>
  of.post('/v1/messages', { channel: 'sms', to: DELIVERED, ...body }, keyed(key));
const read = async (id: string) => (await tenant.test.get(`/messages/${id}`)).body;

describe('a WhatsApp template on a channel without templates', { timeout: 180_000 }, () => {
  test.each([
    ['sms', DELIVERED],
    ['rcs', DELIVERED],
    ['push', 'device-1'],
    ['instagram', '17841400008460056'],
  ])('is sent on %s as the text of its filled body, by name and by id', async (channel, to) => {
    for (const template of ['pedido_enviado', templateId]) {
      const sent = await send({ channel, to, template, variables: VARIABLES });
      expect(sent.status).toBe(202);
      const message = await read(sent.body.id);
      expect(message).toMatchObject({
        type: 'template',
        payload: { text: TEXT },
        templateId,
        templateVars: ['Ana', 'A-1842'],
      });
      expect(message).not.toHaveProperty('numberId');
    }
  });

  test('is sent by every fallback of a WhatsApp message, each with its step in the timeline', async () => {
    const fallback = ['sms', { channel: 'rcs', to: DELIVERED }];
    const sent = await send({ channel: 'whatsapp', to: FAILED, template: templateId, variables: VARIABLES, fallback });
    expect(sent.status).toBe(202);
    const steps = async () =>
      (await messaging.eventsOf('test', tenant.id)).filter(
        ({ type, data }) => type === 'message.queued' && data.fallbackOf === sent.body.id,
      );
    await vi.waitFor(async () => expect(await steps()).toHaveLength(2), WAIT);
    for (const [at, { data }] of (await steps()).entries()) {
      expect(await read(String(data.id))).toMatchObject({ payload: { text: TEXT }, templateId });
      const [step] = (await tenant.test.get(`/messages/${String(data.id)}/timeline`)).body.items;
      expect(step).toMatchObject({
        kind: 'fallback',
        detail: expect.stringContaining(`step=${at + 1} of ${sent.body.id}`),
      });
    }
    const timeline = (await tenant.test.get(`/messages/${sent.body.id}/timeline`)).body.items;
    const detailOf = (kind: string) => timeline.find((step: { kind: string }) => step.kind === kind)?.detail;
    expect(detailOf('fallback')).toBe('if it does not deliver: sms at 800 coins, then rcs at 1200 coins');
    expect(detailOf('window')).toBe('a template needs none');
  });

  test('is filled again by a resend with other variables', async () => {
    const { body } = await send({ to: FAILED, template: templateId, variables: VARIABLES });
    await becomes(tenant.test, `/messages/${body.id}`, { status: 'failed' }, WAIT);
    const correction = { to: DELIVERED, templateVars: ['Bia', 'B-7'] };
    expect(await tenant.test.post(`/messages/${body.id}/resend`, correction)).toMatchObject({
      status: 201,
      body: { payload: { text: 'Oi, Bia! O pedido B-7 saiu.' }, templateId, templateVars: ['Bia', 'B-7'] },
    });
  });

  test.each([
    [{ template: 'pedido_enviado', variables: { nome: 'Ana' } }, 'invalid_template_variable'],
    [{ template: `tpl_${'0'.repeat(21)}` }, 'invalid_request'],
  ])('is refused when it cannot be filled: %j', async (fields, code) => {
    expect(await send(fields)).toMatchObject({ status: 422, body: { code, action: expect.any(String) } });
  });

  test('that the organization has not saved is sent with its values in test, and refused in live', async () => {
    const sent = await send({ template: 'boas_vindas', variables: { nome: 'Ana' } });
    const message = await read(sent.body.id);
    expect(message).toMatchObject({ payload: { text: 'boas_vindas: Ana' }, templateVars: ['Ana'] });
    // It has an id for what the organization keeps only.
    expect(message).not.toHaveProperty('templateId');
    const live = await send({ template: 'boas_vindas' }, undefined, tenant.live);
    expect(live).toMatchObject({ status: 422, body: { errors: [{ path: 'template', message: expect.any(String) }] } });
  });
});

describe('a message of a saved template', { timeout: 180_000 }, () => {
  test('names it by its id on WhatsApp, though the send named it by its name', async () => {
    const sent = await send({ channel: 'whatsapp', template: 'pedido_enviado', variables: VARIABLES });
    expect(await read(sent.body.id)).toMatchObject({ templateId });
    const unknown = await send({ channel: 'whatsapp', template: 'so_na_meta' });
    expect(await read(unknown.body.id)).not.toHaveProperty('templateId');
  });

  test('names it by its id on e-mail, in every operation', async () => {
    const draft = { name: 'aviso', subject: 'Aviso', format: 'html', source: '<p>Oi</p>' };
    const { id } = (await tenant.test.post('/v2/email/templates', draft)).body;
    const to = 'success@simulator.amazonses.com';
    const v1 = await send({ channel: 'email', to, template: 'aviso' });
    const own = await tenant.test.post('/v2/email/messages', { to, templateId: id }, keyed());
    for (const { body } of [v1, own]) expect(await read(body.id)).toMatchObject({ type: 'template', templateId: id });
    expect(id).toMatch(/^etpl_/);
  });
});

describe('a repeated idempotency key', { timeout: 180_000 }, () => {
  test('is replayed even if the template is deleted; another body is 409', async () => {
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
