import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, startMessaging, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

const PATH = '/v2/flows';
const SCREEN = {
  id: 'DADOS',
  title: 'Seus dados',
  terminal: true,
  success: true,
  sensitive: ['cpf'],
  data: { nome: { type: 'string', __example__: 'Ana' } },
  layout: { type: 'SingleColumnLayout', children: [{ type: 'TextHeading', text: 'Olá' }] },
};

let owner: Tenant;
let client: Client;
let numberId: string;
let connected = 0;
const connect = async (): Promise<string> => {
  const phoneNumberId = `99${String(++connected).padStart(6, '0')}1000`;
  return (await client.post('/numbers', { phoneNumberId, wabaId: '102290129340398', accessToken: 'token' })).body.id;
};
const fresh = async () => {
  owner = await messaging.tenant();
  client = owner.test;
  numberId = await connect();
};
const messaging = await use(startMessaging());
beforeAll(async () => {
  await fresh();
});

const A_FLOW = { name: 'Atendimento', platformCategories: ['CUSTOMER_SUPPORT'], flowJson: { screens: [SCREEN] } };
const create = (fields: object = {}) => client.post(PATH, { ...A_FLOW, numberId, ...fields });
const made = async (fields: object = {}) => (await create(fields)).body;
const patch = (id: string, body: object) => client.call('PATCH', `${PATH}/${id}`, { body });
const move = (id: string, verb: string) => client.call('POST', `${PATH}/${id}/${verb}`);

describe('a flow', () => {
  test('is a draft with the default versions, changed, published, deprecated and archived', async () => {
    const { status, body } = await create({ description: 'Abre um chamado' });
    expect(status).toBe(201);
    const flowJson = { version: '6.2', data_api_version: '3.0', screens: [SCREEN] };
    expect(body).toEqual({
      ...A_FLOW,
      id: expect.stringMatching(/^flw_[0-9A-Za-z]{21}$/),
      organizationId: owner.id,
      numberId,
      description: 'Abre um chamado',
      status: 'draft',
      version: 1,
      flowJson,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    const { id } = body;
    expect((await client.get(`${PATH}/${id}`)).body).toEqual(body);
    const changed = (await patch(id, { name: 'Outro', description: null })).body;
    expect(changed).toMatchObject({ name: 'Outro', version: 2, flowJson });
    expect(changed.description).toBeUndefined();

    const published = (await move(id, 'publish')).body;
    expect(published).toEqual({
      ...changed,
      status: 'active',
      platformFlowId: expect.any(String),
      platformStatus: 'PUBLISHED',
      publishedAt: expect.any(String),
      updatedAt: published.updatedAt,
    });
    expect((await move(id, 'sync')).body).toEqual(published);
    for (const verb of ['publish', 'archive']) expectProblem(await move(id, verb), 409, { meta: { status: 'active' } });
    expectProblem(await patch(id, { name: 'x' }), 409, { meta: { status: 'active' } });
    expectProblem(await client.call('DELETE', `${PATH}/${id}`), 409, { meta: { status: 'active' } });

    const deprecated = (await move(id, 'deprecate')).body;
    expect(deprecated).toMatchObject({ status: 'deprecated', platformStatus: 'DEPRECATED' });
    expect((await move(id, 'deprecate')).body).toEqual(deprecated);
    const archived = (await move(id, 'archive')).body;
    expect(archived).toMatchObject({ status: 'archived', platformStatus: 'DEPRECATED' });
    expect((await move(id, 'archive')).body).toEqual(archived);
    expectProblem(await move(id, 'deprecate'), 409, { meta: { status: 'archived' } });
  });

  test('that is a draft is deleted; one that never was published cannot be deprecated', async () => {
    const { id } = await made();
    for (const verb of ['deprecate', 'sync']) expectProblem(await move(id, verb), 409, { meta: { status: 'draft' } });
    expect((await client.call('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expectProblem(await client.call('DELETE', `${PATH}/${id}`), 404);
    expectProblem(await move(id, 'publish'), 404);
  });

  test('of a number that was disconnected cannot be published: 412', async () => {
    await fresh();
    const { id } = await made();
    await client.call('DELETE', `/numbers/${numberId}`);
    expectProblem(await move(id, 'publish'), 412);
  });

  test('are listed newest first by state, platform state, category and number, with exact totals', async () => {
    await fresh();
    const other = await connect();
    await move((await made({ name: 'a', platformCategories: ['SURVEY', 'OTHER'] })).id, 'publish');
    await made({ name: 'b', platformCategories: ['OTHER'] });
    await made({ name: 'c', numberId: other });
    const list = async (query: Record<string, string | number>) => {
      const { body } = await client.get(PATH, query);
      return [body.items.map(({ name }: { name: string }) => name).join(''), body.total];
    };
    await vi.waitFor(async () => expect(await list({})).toEqual(['cba', 3]));
    expect(await list({ limit: 1, skip: 2 })).toEqual(['a', 3]);
    expect(await list({ status: 'draft' })).toEqual(['cb', 2]);
    expect(await list({ platformStatus: 'PUBLISHED' })).toEqual(['a', 1]);
    expect(await list({ category: 'OTHER' })).toEqual(['ba', 2]);
    expect(await list({ category: 'SURVEY', status: 'draft' })).toEqual(['', 0]);
    expect(await list({ numberId: other })).toEqual(['c', 1]);
    expect((await client.get(PATH, { limit: 1 })).body.items[0].flowJson.screens).toEqual([SCREEN]);
    for (const query of [{ status: 'x' }, { platformStatus: 'draft' }, { category: 'X' }, { limit: 51 }])
      expectProblem(await client.get(PATH, query as Record<string, string>), 400);
  });

  const second = { ...SCREEN, id: 'FIM' };
  test.each([
    ['no screens', { flowJson: { screens: [] } }, 'flowJson.screens'],
    ['no terminal screen', { flowJson: { screens: [{ ...SCREEN, terminal: false }] } }, 'flowJson.screens'],
    ['a screen twice', { flowJson: { screens: [SCREEN, SCREEN] } }, 'flowJson.screens.1.id'],
    ['a screen of the platform', { flowJson: { screens: [{ ...SCREEN, id: 'SUCCESS' }] } }, 'flowJson.screens.0.id'],
    [
      'another layout',
      { flowJson: { screens: [{ ...SCREEN, layout: { type: 'Grid', children: [] } }] } },
      'flowJson.screens.0.layout.type',
    ],
    [
      'a way to nowhere',
      { flowJson: { screens: [SCREEN, second], routing_model: { DADOS: ['X'] } } },
      'flowJson.routing_model',
    ],
    ['an endpoint secret', { endpointSecret: 'x' }, ''],
    ['no categories', { platformCategories: [] }, 'platformCategories'],
    ['a number that is not there', { numberId: `num_${'0'.repeat(21)}` }, 'numberId'],
    ['too much JSON', { flowJson: { screens: [{ ...SCREEN, data: { a: 'x'.repeat(110_000) } }] } }, 'flowJson'],
  ])('with %s is refused with the place of the fault', async (_, fields, path) => {
    expectProblem(await create(fields), 422, { errors: [path] });
  });

  test('is read with flows:read and changed with flows:write alone', async () => {
    const reader = await messaging.limited(client, ['flows:read']);
    expect((await reader.get(PATH)).status).toBe(200);
    expectProblem(await reader.post(PATH, A_FLOW), 403);
    const writer = await messaging.limited(client, ['flows:write']);
    expectProblem(await writer.get(PATH), 403);
  });
});
