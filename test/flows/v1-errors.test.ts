import { describe, expect, test } from 'vitest';
import { bucketOfCredential } from '../../shared/domain/access/rate-limits.ts';
import { V1_CODES, type V1Code } from '../../shared/domain/core/errors.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { type Answer, apiClient, type Client } from '../support/api.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, connectNumber, keyed } from './support.ts';

const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';
const WAIT = { timeout: 45_000, interval: 200 };

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();
/** Its wallet is empty. */
const poor = (await messaging.tenant()).live;

/** An approved template with two variables; answers its id. */
const approved = async (): Promise<string> => {
  const components = [
    { type: 'BODY', payload: { text: 'Oi, {{1}}! O pedido {{2}} saiu.', example: { body_text: [['Bia', 'B-1']] } } },
  ];
  const numberId = await connectNumber(tenant.test);
  const draft = { numberId, name: 'pedido_enviado', language: 'pt-BR', category: 'utility', components };
  const { id } = (await tenant.test.post('/v2/templates', draft)).body;
  await tenant.test.post(`/v2/templates/${id}/submit`, {});
  await becomes(tenant.test, `/v2/templates/${id}`, { status: 'approved' }, WAIT);
  return id;
};
const template = await approved();

const sms = { channel: 'sms', to: DELIVERED, text: 'Seu pedido saiu.' };
type Body = Readonly<Record<string, unknown>>;
const send = (client: Client, body: Body) => client.post('/v1/messages', body, keyed());
const preview = (client: Client, body: Body) => client.post('/v1/messages/preview', body);
const bulk = (client: Client, body: Body, mode: string) => client.post('/v1/messages/bulk', { messages: [body], mode });
const resend = (client: Client, id: string, correction: Body) =>
  client.post('/v1/messages/bulk-resend', { items: [{ id, correction }] });
/** A message that failed, for a resend. */
const failed = async (body: Body): Promise<string> => {
  const { id } = (await send(tenant.test, body)).body;
  await becomes(tenant.test, `/messages/${id}`, { status: 'failed' }, WAIT);
  return id;
};

const isProblem = (answer: Answer, status: number, code: V1Code) => {
  expect(answer).toMatchObject({ status, body: { status, code, action: V1_CODES[code] } });
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
};
const isRow = (answer: Answer, code: V1Code) =>
  expect(answer).toMatchObject({ status: 202, body: { accepted: 0, rejected: 1, errors: [{ index: 0, code }] } });
const isStep = (answer: Answer, code: V1Code) =>
  expect(answer).toMatchObject({ status: 200, body: { hops: [{ refusal: { code, action: V1_CODES[code] } }] } });
const isStrict = (answer: Answer, code: V1Code) => {
  isProblem(answer, 422, 'invalid_request');
  expect(answer.body.errors).toEqual([{ path: 'messages.0', message: expect.stringContaining(`${code}: `) }]);
};

describe('the codes of v1 and their statuses', { timeout: 180_000 }, () => {
  test.each(['+55119', '11 99999-0005', '+999999990005', 'ana@example.com', ''])(
    'invalid_phone is 400 for %j, in a send, a preview and a fallback, and the code of its row in bulk',
    async (to) => {
      const body = { ...sms, to };
      isProblem(await send(tenant.test, body), 400, 'invalid_phone');
      isProblem(await preview(tenant.test, body), 400, 'invalid_phone');
      isProblem(await send(tenant.test, { ...sms, fallback: [{ channel: 'rcs', to }] }), 400, 'invalid_phone');
      isRow(await bulk(tenant.test, body, 'permissive'), 'invalid_phone');
      isStrict(await bulk(tenant.test, body, 'strict'), 'invalid_phone');
    },
  );

  test('invalid_request is 422 for a fallback with a text and a template, in a send, a preview and a batch', async () => {
    const body = { ...sms, fallback: ['rcs', { channel: 'rcs', text: 'a', template: 'b' }] };
    for (const answer of [await send(tenant.test, body), await preview(tenant.test, body)]) {
      isProblem(answer, 422, 'invalid_request');
      expect(answer.body.errors).toMatchObject([{ path: 'fallback.1.text' }]);
    }
    isRow(await bulk(tenant.test, body, 'permissive'), 'invalid_request');
    isStrict(await bulk(tenant.test, body, 'strict'), 'invalid_request');
  });

  test('invalid_phone is the code of a resend’s row', async () => {
    const id = await failed({ ...sms, to: FAILED });
    isRow(await resend(tenant.test, id, { to: '+55119' }), 'invalid_phone');
  });

  test('insufficient_funds is 402 in a send and a strict batch, and the code of a step and of a row', async () => {
    isProblem(await send(poor, sms), 402, 'insufficient_funds');
    isStep(await preview(poor, sms), 'insufficient_funds');
    isProblem(await bulk(poor, sms, 'strict'), 402, 'insufficient_funds');
    isRow(await bulk(poor, sms, 'permissive'), 'insufficient_funds');
  });

  test('window_closed is 409 in a send, and the code of a step and of a row', async () => {
    const body = { ...sms, channel: 'whatsapp' };
    isProblem(await send(tenant.test, body), 409, 'window_closed');
    isStep(await preview(tenant.test, body), 'window_closed');
    isRow(await bulk(tenant.test, body, 'permissive'), 'window_closed');
    isStrict(await bulk(tenant.test, body, 'strict'), 'window_closed');
  });

  test('invalid_template_variable is 422 in a send, and the code of a step and of every row', async () => {
    const body = { channel: 'whatsapp', to: DELIVERED, template, variables: { nome: 'Ana' } };
    isProblem(await send(tenant.test, body), 422, 'invalid_template_variable');
    isStep(await preview(tenant.test, body), 'invalid_template_variable');
    isRow(await bulk(tenant.test, body, 'permissive'), 'invalid_template_variable');
    isStrict(await bulk(tenant.test, body, 'strict'), 'invalid_template_variable');
    const id = await failed({ ...body, to: FAILED, variables: { nome: 'Ana', pedido: 'A-1' } });
    isRow(await resend(tenant.test, id, { templateVars: ['Ana'] }), 'invalid_template_variable');
  });

  test.each([
    ['/v1/messages', 'single_send'],
    ['/v1/messages/bulk', 'bulk_send'],
    ['/v1/messages/bulk-resend', 'bulk_send'],
  ] as const)('rate_limited is 429 with Retry-After at %s', async (path, bucket) => {
    const { live } = await messaging.tenant();
    const { body } = await live.post('/v2/api-keys', { name: 'Loja', scopes: ['messages:send', 'sms:send'] });
    const client = apiClient(messaging.url, body.key);
    const { name, perMinute, burst } = bucketOfCredential(bucket);
    // All are drawn, and the next one comes in 30 s.
    const fullAt = Date.now() + (60_000 / perMinute) * (burst - 1) + 30_000;
    const row = { ...KEYS.bucket(parseId('apiKey', body.id), name), fullAt, ttl: 2 ** 31 };
    await messaging.tables.live.write({ put: row });
    const answer = await client.post(path, {}, keyed());
    isProblem(answer, 429, 'rate_limited');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});
