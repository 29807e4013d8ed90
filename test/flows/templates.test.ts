import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Client, Tenant } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, connectNumber, keyed } from './support.ts';

const PATH = '/v2/templates';
const BODY = {
  type: 'BODY',
  payload: { text: 'Olá, {{1}}! O pedido {{2}} saiu.', example: { body_text: [['Ana', 'A-1842']] } },
};
const A_TEMPLATE = { name: 'pedido_enviado', language: 'pt-BR', category: 'utility', components: [BODY] };

let owner: Tenant;
let client: Client;
let numberId: string;
const fresh = async () => {
  owner = await messaging.tenant();
  client = owner.test;
  numberId = await connectNumber(client);
};
const messaging = await sharedMessaging();
beforeAll(fresh);

const create = (fields: object = {}) => client.post(PATH, { ...A_TEMPLATE, numberId, ...fields });
const patch = (id: string, body: object) => client.call('PATCH', `${PATH}/${id}`, { body });
const submit = (id: string) => client.call('POST', `${PATH}/${id}/submit`);
const made = async (fields: object = {}) => (await create(fields)).body;

describe('a template', () => {
  test('is a draft until submitted, and approved by the sandbox with one event', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      ...A_TEMPLATE,
      id: expect.stringMatching(/^tpl_[0-9A-Za-z]{21}$/),
      organizationId: owner.id,
      numberId,
      status: 'draft',
      version: 1,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    expect((await client.get(`${PATH}/${body.id}`)).body).toEqual(body);
    expect((await client.get(PATH)).body).toEqual({ items: [body], total: 1 });

    const approved = await submit(body.id);
    expect(approved.status).toBe(200);
    expect(approved.body).toEqual({
      ...body,
      status: 'approved',
      platformTemplateId: expect.any(String),
      updatedAt: approved.body.updatedAt,
    });
    expectProblem(await submit(body.id), 409, { meta: { status: 'approved' } });
    expectProblem(await patch(body.id, { category: 'marketing' }), 409, { meta: { status: 'approved' } });
    const events = await messaging.eventsOf('test', owner.id);
    const approval = { templateId: body.id, name: body.name, language: 'pt-BR' };
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([{ type: 'template.approved', data: approval }]);
    expect((await client.call('DELETE', `${PATH}/${body.id}`)).status).toBe(204);
    expectProblem(await client.get(`${PATH}/${body.id}`), 404);
    expect((await client.get(PATH)).body).toEqual({ items: [], total: 0 });
  });

  test('that is rejected has the reason, can be changed to a new version, and raises another event when rejected again', async () => {
    await fresh();
    const { id } = await made({ name: 'oferta_rejected' });
    expect((await submit(id)).body).toMatchObject({
      status: 'rejected',
      rejectionReason: 'INVALID_FORMAT',
      version: 1,
    });
    expectProblem(await patch(id, { name: 'oferta' }), 409);
    const changed = (await patch(id, { category: 'marketing' })).body;
    expect(changed).toMatchObject({ status: 'draft', category: 'marketing', version: 2 });
    expect(changed.rejectionReason).toBeUndefined();
    expect((await submit(id)).body).toMatchObject({ status: 'rejected', version: 2 });
    const types = (await messaging.eventsOf('test', owner.id)).map(({ type }) => type);
    expect(types).toEqual(['template.rejected', 'template.rejected']);
  });

  test('has a unique name per language and account: otherwise 409 with the id of the owner', async () => {
    await fresh();
    const first = await made();
    const meta = { field: 'name', templateId: first.id };
    expectProblem(await create(), 409, { meta });
    expect((await create({ language: 'en-US' })).status).toBe(201);
    const other = await connectNumber(client, '999');
    expect((await create({ numberId: other })).status).toBe(201);
    const second = await made({ name: 'outro' });
    expectProblem(await patch(second.id, { name: A_TEMPLATE.name }), 409, { meta });
    expect((await patch(first.id, { name: 'terceiro' })).status).toBe(200);
    expect((await patch(second.id, { name: A_TEMPLATE.name })).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 30 }, () => create({ name: 'corrida' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
  });

  test('is listed newest first by status, category, language and number, with exact totals', async () => {
    await fresh();
    const other = await connectNumber(client);
    await submit((await made({ name: 'a' })).id);
    await made({ name: 'b', language: 'en-US', category: 'marketing' });
    await made({ name: 'c', numberId: other });
    const list = async (query: Record<string, string | number>) => {
      const { body } = await client.get(PATH, query);
      return [body.items.map(({ name }: { name: string }) => name).join(''), body.total];
    };
    await vi.waitFor(async () => expect(await list({})).toEqual(['cba', 3]), PATIENCE);
    expect(await list({ limit: 1, skip: 1 })).toEqual(['b', 3]);
    expect(await list({ status: 'approved' })).toEqual(['a', 1]);
    expect(await list({ category: 'marketing' })).toEqual(['b', 1]);
    expect(await list({ language: 'pt-BR', limit: 1 })).toEqual(['c', 2]);
    expect(await list({ numberId: other })).toEqual(['c', 1]);
    expect(await list({ numberId: other, status: 'approved' })).toEqual(['', 0]);
    for (const query of [{ status: 'x' }, { numberId: 'x' }, { language: 'pt' }, { limit: 0 }])
      expectProblem(await client.get(PATH, query as Record<string, string>), 400);
  });

  test.each([
    ['no body', { components: [{ type: 'FOOTER', payload: { text: 'x' } }] }, 'components'],
    [
      'a gap in its variables',
      { components: [{ type: 'BODY', payload: { text: '{{1}} {{3}} x' } }] },
      'components.0.payload.text',
    ],
    ['a malformed name', { name: 'Pedido Enviado' }, 'name'],
    ['an unknown number', { numberId: `num_${'0'.repeat(21)}` }, 'numberId'],
  ])('with %s is refused with the path of the fault', async (_, fields, path) => {
    expectProblem(await create({ name: 'faulty', ...fields }), 422, { errors: [path] });
  });

  test('of a disconnected number cannot be submitted: 412', async () => {
    await fresh();
    const { id } = await made();
    await client.call('DELETE', `/numbers/${numberId}`);
    expectProblem(await submit(id), 412);
    expect((await client.get(`${PATH}/${id}`)).body.status).toBe('draft');
  });
});

describe('a WhatsApp send', () => {
  const TO = '+5511999990005';
  const send = (body: object) =>
    client.post('/messages', { channel: 'whatsapp', to: TO, type: 'template', ...body }, keyed());
  const sendV1 = (fields: object) => client.post('/v1/messages', { channel: 'whatsapp', to: TO, ...fields }, keyed());

  beforeAll(fresh);

  test('with an approved template uses its language, number and components, and its category as route', async () => {
    const { id } = await made();
    await submit(id);
    const sent = await send({ templateId: id, templateVars: ['Bia', 'A-7'] });
    expect(sent.status).toBe(201);
    expect(sent.body).toMatchObject({
      templateId: id,
      numberId,
      templateVars: ['Bia', 'A-7'],
      billing: { coins: 900 },
    });
    expect(sent.body.payload.template).toEqual({
      name: 'pedido_enviado',
      language: 'pt-BR',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Bia' },
            { type: 'text', text: 'A-7' },
          ],
        },
      ],
    });
    const byName = await sendV1({ template: 'pedido_enviado', variables: { nome: 'Bia', pedido: 'A-7' } });
    expect(byName.status).toBe(202);
    expect(byName.body.price).toEqual({ coins: 900 });
    expect((await client.get(`/messages/${byName.body.id}`)).body.payload.template).toEqual(sent.body.payload.template);
  });

  test('with too few or too many variables is refused and not charged', async () => {
    const before = await balanceOf(client);
    const [{ id }] = (await client.get(PATH)).body.items;
    for (const templateVars of [[], ['a'], ['a', 'b', 'c']])
      expectProblem(await send({ templateId: id, templateVars }), 422, { errors: ['templateVars'] });
    const refused = await sendV1({ template: 'pedido_enviado' });
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_template_variable']);
    expect(await balanceOf(client)).toBe(before);
  });

  test('with an unapproved template is 409, with an unknown one 422', async () => {
    const { id } = await made({ name: 'espera_pending' });
    expect((await submit(id)).body.status).toBe('pending');
    const meta = { code: 'template_not_approved', templateId: id };
    expectProblem(await send({ templateId: id, templateVars: ['a', 'b'] }), 409, { meta });
    expectProblem(await send({ payload: { template: { name: 'espera_pending', language: 'pt-BR' } } }), 409, { meta });
    expectProblem(await send({ templateId: `tpl_${'0'.repeat(21)}` }), 422, { errors: ['templateId'] });
    const refused = await sendV1({ template: 'espera_pending', variables: { 1: 'a', 2: 'b' } });
    expect([refused.status, refused.body.code]).toEqual([409, 'precondition_failed']);
  });

  test('by template id may have an empty payload', async () => {
    const [{ id }] = (await client.get(PATH)).body.items.filter(
      ({ status }: { status: string }) => status === 'approved',
    );
    expect((await send({ templateId: id, templateVars: ['a', 'b'], payload: {} })).status).toBe(201);
  });

  test('with a template name that the organization has not saved is sent unchanged', async () => {
    const sent = await send({ payload: { template: { name: 'do_gerente', language: 'es-ES' } }, templateVars: ['x'] });
    expect(sent.status).toBe(201);
    expect(sent.body.payload.template).toEqual({ name: 'do_gerente', language: 'es-ES' });
    expect((await send({ payload: { template: { name: 'pedido_enviado', language: 'en-US' } } })).status).toBe(201);
  });
});
