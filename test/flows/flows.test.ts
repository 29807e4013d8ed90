import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Client, Tenant } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { connectNumber } from './support.ts';

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
const fresh = async () => {
  owner = await messaging.tenant();
  client = owner.test;
  numberId = await connectNumber(client);
};
const messaging = await sharedMessaging();
beforeAll(fresh);

const A_FLOW = { name: 'Atendimento', platformCategories: ['CUSTOMER_SUPPORT'], flowJson: { screens: [SCREEN] } };
const create = (fields: object = {}) => client.post(PATH, { ...A_FLOW, numberId, ...fields });
const made = async (fields: object = {}) => (await create(fields)).body;
const patch = (id: string, body: object) => client.call('PATCH', `${PATH}/${id}`, { body });
const act = (id: string, verb: string) => client.call('POST', `${PATH}/${id}/${verb}`);

describe('a flow', () => {
  test('starts as a draft with the default versions, and is changed, published, deprecated and archived', async () => {
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

    const published = (await act(id, 'publish')).body;
    expect(published).toEqual({
      ...changed,
      status: 'active',
      platformFlowId: expect.any(String),
      platformStatus: 'PUBLISHED',
      publishedAt: expect.any(String),
      updatedAt: published.updatedAt,
    });
    expect((await act(id, 'sync')).body).toEqual(published);
    for (const verb of ['publish', 'archive']) expectProblem(await act(id, verb), 409, { meta: { status: 'active' } });
    expectProblem(await patch(id, { name: 'x' }), 409, { meta: { status: 'active' } });
    expectProblem(await client.call('DELETE', `${PATH}/${id}`), 409, { meta: { status: 'active' } });

    const deprecated = (await act(id, 'deprecate')).body;
    expect(deprecated).toMatchObject({ status: 'deprecated', platformStatus: 'DEPRECATED' });
    expect((await act(id, 'deprecate')).body).toEqual(deprecated);
    const archived = (await act(id, 'archive')).body;
    expect(archived).toMatchObject({ status: 'archived', platformStatus: 'DEPRECATED' });
    expect((await act(id, 'archive')).body).toEqual(archived);
    expectProblem(await act(id, 'deprecate'), 409, { meta: { status: 'archived' } });
  });

  test('in draft can be deleted, and neither deprecated nor synced', async () => {
    const { id } = await made();
    for (const verb of ['deprecate', 'sync']) expectProblem(await act(id, verb), 409, { meta: { status: 'draft' } });
    expect((await client.call('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expectProblem(await client.call('DELETE', `${PATH}/${id}`), 404);
    expectProblem(await act(id, 'publish'), 404);
  });

  test('of a disconnected number cannot be published: 412', async () => {
    await fresh();
    const { id } = await made();
    await client.call('DELETE', `/numbers/${numberId}`);
    expectProblem(await act(id, 'publish'), 412);
  });

  test('is listed newest first by status, platform status, category and number, with exact totals', async () => {
    await fresh();
    const other = await connectNumber(client);
    await act((await made({ name: 'a', platformCategories: ['SURVEY', 'OTHER'] })).id, 'publish');
    await made({ name: 'b', platformCategories: ['OTHER'] });
    await made({ name: 'c', numberId: other });
    const list = async (query: Record<string, string | number>) => {
      const { body } = await client.get(PATH, query);
      return [body.items.map(({ name }: { name: string }) => name).join(''), body.total];
    };
    await vi.waitFor(async () => expect(await list({})).toEqual(['cba', 3]), PATIENCE);
    expect(await list({ limit: 1, skip: 2 })).toEqual(['a', 3]);
    expect(await list({ status: 'draft' })).toEqual(['cb', 2]);
    expect(await list({ platformStatus: 'PUBLISHED' })).toEqual(['a', 1]);
    expect(await list({ category: 'OTHER' })).toEqual(['ba', 2]);
    expect(await list({ category: 'SURVEY', status: 'draft' })).toEqual(['', 0]);
    expect(await list({ numberId: other })).toEqual(['c', 1]);
    expect((await client.get(PATH, { limit: 1 })).body.items[0].flowJson.screens).toEqual([SCREEN]);
    for (const query of [{ status: 'x' }, { platformStatus: 'draft' }, { category: 'X' }, { limit: 201 }])
      expectProblem(await client.get(PATH, query as Record<string, string>), 400);
  });

  const second = { ...SCREEN, id: 'FIM' };
  test.each([
    ['no screens', { flowJson: { screens: [] } }, 'flowJson.screens'],
    ['no terminal screen', { flowJson: { screens: [{ ...SCREEN, terminal: false }] } }, 'flowJson.screens'],
    ['a screen twice', { flowJson: { screens: [SCREEN, SCREEN] } }, 'flowJson.screens.1.id'],
    ['a reserved screen id', { flowJson: { screens: [{ ...SCREEN, id: 'SUCCESS' }] } }, 'flowJson.screens.0.id'],
    [
      'another layout',
      { flowJson: { screens: [{ ...SCREEN, layout: { type: 'Grid', children: [] } }] } },
      'flowJson.screens.0.layout.type',
    ],
    [
      'a route to an unknown screen',
      { flowJson: { screens: [SCREEN, second], routing_model: { DADOS: ['X'] } } },
      'flowJson.routing_model',
    ],
    ['an endpoint secret', { endpointSecret: 'x' }, 'endpointSecret'],
    ['no categories', { platformCategories: [] }, 'platformCategories'],
    ['an unknown number', { numberId: `num_${'0'.repeat(21)}` }, 'numberId'],
    ['too much JSON', { flowJson: { screens: [{ ...SCREEN, data: { a: 'x'.repeat(110_000) } }] } }, 'flowJson'],
  ])('with %s is refused with the path of the fault', async (_, fields, path) => {
    expectProblem(await create(fields), 422, { errors: [path] });
  });

  test('is read only with flows:read and changed only with flows:write', async () => {
    const reader = await messaging.limited(client, ['flows:read']);
    expect((await reader.get(PATH)).status).toBe(200);
    expectProblem(await reader.post(PATH, A_FLOW), 403);
    const writer = await messaging.limited(client, ['flows:write']);
    expectProblem(await writer.get(PATH), 403);
  });
});
