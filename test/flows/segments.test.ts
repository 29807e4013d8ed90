import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Segment } from '../../shared/domain/segments/segment.ts';
import { segmentStore } from '../../shared/storage/segments/segments.ts';
import type { Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const leaf = (filter: object) => ({ kind: 'leaf', filter });
const vip = { field: 'tag', operator: 'is', value: 'vip' };
const gold = { field: 'attribute', key: 'plan', operator: 'is', value: 'gold' };
const reachable = { field: 'channel', operator: 'has', value: 'email' };

let tenant: Tenant;
let ids: string[] = [];
const create = (body: object) => tenant.test.post('/v2/segments', body);
const preview = async (body: object) => {
  const answer = await tenant.test.post('/v2/segments/preview', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as { count: number; sample: string[] };
};

beforeAll(async () => {
  tenant = await messaging.tenant();
  const people = [
    { tags: ['vip'], attributes: { plan: 'gold', age: 31 }, email: 'ana@example.com' },
    { tags: ['vip', 'novo'], attributes: { plan: 'silver', since: '2026-01-05' } },
    { tags: [], attributes: { plan: 'gold', age: 29 } },
  ];
  for (const [at, person] of people.entries()) {
    const { body, status, text } = await tenant.test.post('/contacts', { phone: `+551198765433${at}`, ...person });
    expect(status, text).toBe(201);
    ids = [...ids, body.id];
  }
});

describe('a preview', () => {
  test('counts the contacts that match all filters, names the newest, and saves nothing', async () => {
    expect(await preview({ filters: [vip] })).toMatchObject({ count: 2, sample: [ids[1], ids[0]] });
    expect(await preview({ filters: [vip, gold] })).toMatchObject({ count: 1, sample: [ids[0]] });
    expect(await preview({ filters: [reachable] })).toMatchObject({ count: 1 });
    const older = { field: 'attribute', key: 'age', operator: 'gt', value: 30 };
    expect(await preview({ filters: [older] })).toMatchObject({ sample: [ids[0]] });
    expect((await tenant.test.get('/v2/segments')).body).toEqual({ items: [], total: 0 });
  });

  test('gives a tree precedence over the filters', async () => {
    const filterTree = {
      kind: 'group',
      operator: 'or',
      nodes: [
        leaf(reachable),
        { kind: 'group', operator: 'and', nodes: [leaf(gold), leaf({ ...vip, operator: 'isNot' })] },
      ],
    };
    expect(await preview({ filters: [vip], filterTree })).toMatchObject({ count: 2, sample: [ids[2], ids[0]] });
  });

  test('names each condition that is not valid', async () => {
    const bad = [
      [{ field: 'tag', operator: 'gt', value: 'x' }, 'filters.0.operator'],
      [{ field: 'attribute', operator: 'is', value: 'x' }, 'filters.0.key'],
      [{ field: 'optIn', operator: 'is', value: 'yes' }, 'filters.0.value'],
      [{ field: 'lastInteraction', operator: 'withinDays', value: '0' }, 'filters.0.value'],
      [{ field: 'lastInteraction', operator: 'before', value: 'monday' }, 'filters.0.value'],
      [{ field: 'channel', operator: 'has', value: 'fax' }, 'filters.0.value'],
      [{ field: 'tag', operator: 'is' }, 'filters.0.value'],
      [{ field: 'tag', operator: 'is', value: '' }, 'filters.0.value'],
      [{ field: 'lastInteraction', operator: 'after', value: '2026-02-30' }, 'filters.0.value'],
      [{ field: 'lastInteraction', operator: 'after', value: '2026-02-03T10:00' }, 'filters.0.value'],
    ] as const;
    for (const [filter, path] of bad) {
      const answer = await tenant.test.post('/v2/segments/preview', { filters: [filter] });
      expectProblem(answer, 422, { errors: [path] });
    }
    const filterTree = {
      kind: 'group',
      operator: 'and',
      nodes: [leaf(vip), { kind: 'group', operator: 'or', nodes: [] }],
    };
    expectProblem(await tenant.test.post('/v2/segments/preview', { filters: [vip], filterTree }), 422, {
      errors: ['filterTree.nodes.1.nodes'],
    });
    expectProblem(
      await tenant.test.post('/v2/segments/preview', { filters: [vip], filterTree: { ...leaf(vip), operator: 'and' } }),
      422,
      { errors: ['filterTree.operator'] },
    );
    const deep = Array.from({ length: 12 }).reduce<object>(
      (node) => ({ kind: 'group', operator: 'and', nodes: [node] }),
      leaf(vip),
    );
    expectProblem(await tenant.test.post('/v2/segments/preview', { filters: [vip], filterTree: deep }), 422);
    expectProblem(await tenant.test.post('/v2/segments/preview', { filters: [] }), 422);
  });
});

const NO_ORDER = ['abc', '15/01/2024', '2024-02-30', 'NaN', '', '2024-01-15T12:00:00', true];
const ORDER = [30, '-1.5e3', '2024-01-15', '2024-02-29T12:00:00-03:00', '2024-01-15T12:00:00.5Z'];
const above = (value: unknown) => ({ field: 'attribute', operator: 'gt', key: 'age', value });

describe('a comparison with a value that has no order', () => {
  test('is 422 with its path, in a preview, a new segment and a change', async () => {
    const kept = (await create({ name: 'Ages', filters: [above(30)] })).body;
    for (const value of NO_ORDER)
      for (const operator of ['gt', 'lt']) {
        const body = { filters: [vip, { ...above(value), operator }] };
        const errors = { errors: ['filters.1.value'] };
        expectProblem(await tenant.test.post('/v2/segments/preview', body), 422, errors);
        expectProblem(await create({ name: 'Never', ...body }), 422, errors);
        expectProblem(await tenant.test.call('PATCH', `/v2/segments/${kept.id}`, { body }), 422, errors);
      }
    const filterTree = { kind: 'group', operator: 'or', nodes: [leaf(vip), leaf(above('abc'))] };
    const answer = await tenant.test.call('PATCH', `/v2/segments/${kept.id}`, { body: { filterTree } });
    expectProblem(answer, 422, { errors: ['filterTree.nodes.1.filter.value'] });
    for (const value of ORDER)
      expect((await tenant.test.post('/v2/segments/preview', { filters: [above(value)] })).status).toBe(200);
    await tenant.test.call('DELETE', `/v2/segments/${kept.id}`);
  });

  test('that was stored earlier is read, evaluated and kept by changes that do not name it', async () => {
    const id = newId('segment');
    const times = { createdAt: Date.now(), updatedAt: Date.now() };
    const filterTree = {
      kind: 'group',
      operator: 'or',
      nodes: [leaf(vip), leaf(above('abc'))],
    } as Segment['filterTree'];
    const filters = [above('abc')] as Segment['filters'];
    const owner = { organizationId: tenant.id, env: 'test' } as const;
    const older = { ...owner, ...times, id, name: 'Older', filters, filterTree, version: 1 };
    expect(await segmentStore(messaging.tables.test).create(older)).toEqual({ kind: 'saved' });
    const path = `/v2/segments/${id}`;
    expect((await tenant.test.get(path)).body).toMatchObject({ filters, filterTree, size: 2 });
    expect((await tenant.test.get(`${path}/contacts`)).body.items).toHaveLength(2);
    expect((await tenant.test.get('/v2/segments', { q: 'older' })).body.items).toMatchObject([{ id, size: 2 }]);
    const patch = (body: object) => tenant.test.call('PATCH', path, { body });
    expect(await patch({ name: 'Old' })).toMatchObject({ status: 200, body: { name: 'Old', filters, filterTree } });
    expect(await patch({ filters: [above(30)] })).toMatchObject({ status: 200, body: { filterTree } });
    expect((await tenant.test.call('DELETE', path)).status).toBe(204);
  });
});

describe('a saved segment', () => {
  test('is read with its size, which follows the contacts immediately', async () => {
    const { status, body } = await create({ name: 'VIPs', description: 'All of them', filters: [vip] });
    expect([status, body]).toEqual([200, expect.objectContaining({ name: 'VIPs', filters: [vip], size: 2 })]);
    const added = await tenant.test.post('/contacts', { phone: '+5511987654339', tags: ['vip'] });
    const read = await tenant.test.get(`/v2/segments/${body.id}`);
    expect(read.body).toMatchObject({ ...body, size: 3, evaluatedAt: expect.any(String) });
    const { items, total } = (await tenant.test.get('/v2/segments', { q: 'vip' })).body;
    expect([total, items[0]]).toMatchObject([1, { id: body.id, size: 3 }]);
    const page = await tenant.test.get(`/v2/segments/${body.id}/contacts`, { limit: 2 });
    expect(page.body.items.map(({ id }: { id: string }) => id)).toEqual([added.body.id, ids[1]]);
    const rest = await tenant.test.get(`/v2/segments/${body.id}/contacts`, { limit: 2, cursor: page.body.nextCursor });
    expect(rest.body).toMatchObject({ items: [{ id: ids[0] }] });
    expect(rest.body.nextCursor).toBeUndefined();
    expectProblem(await tenant.test.get(`/v2/segments/${body.id}/contacts`, { cursor: 'x' }), 400);
  });

  test('has a unique name, ignoring case and accents, even with ten concurrent creations', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => create({ name: at % 2 ? 'São Paulo' : 'SAO PAULO', filters: [gold] })),
    );
    const created = answers.filter(({ status }) => status === 200);
    expect(created).toHaveLength(1);
    const id = created[0]?.body.id;
    for (const answer of answers)
      if (answer.status !== 200) expectProblem(answer, 409, { meta: { code: 'NOME_JA_CADASTRADO', segmentId: id } });
    const other = await create({ name: 'Ouro', filters: [gold] });
    expectProblem(
      await tenant.test.call('PATCH', `/v2/segments/${other.body.id}`, { body: { name: 'sao paulo' } }),
      409,
    );
    const renamed = await tenant.test.call('PATCH', `/v2/segments/${id}`, { body: { name: 'SP' } });
    expect(renamed.body).toMatchObject({ name: 'SP', filters: [gold] });
    expect((await create({ name: 'São Paulo', filters: [gold] })).status).toBe(200);
  });

  test('keeps what a change does not name; null clears; a tree outlasts new filters', async () => {
    const { body } = await create({ name: 'Tree', description: 'x', filters: [vip], filterTree: leaf(gold) });
    expect(body).toMatchObject({ size: 2, filterTree: leaf(gold) });
    const patch = (change: object) => tenant.test.call('PATCH', `/v2/segments/${body.id}`, { body: change });
    expect((await patch({ description: null })).body).toMatchObject({ filterTree: leaf(gold) });
    expect((await patch({ description: null })).body.description).toBeUndefined();
    const still = (await patch({ filters: [reachable] })).body;
    expect([still.filterTree, still.filters, still.size]).toEqual([leaf(gold), [reachable], 2]);
    const flat = (await patch({ filterTree: null })).body;
    expect([flat.filterTree, flat.filters, flat.size]).toEqual([undefined, [reachable], 1]);
    expectProblem(await patch({ filters: [{ ...vip, operator: 'has' }] }), 422, { errors: ['filters.0.operator'] });
  });

  test('with the largest conditions is saved, or refused with its path; a page of such ends early', async () => {
    const largest = { field: 'attribute', key: 'k'.repeat(64), operator: 'contains', value: '界'.repeat(1_024) };
    const filters = Array.from({ length: 100 }, () => largest);
    const filterTree = { kind: 'group', operator: 'or', nodes: filters.map(leaf) };
    expectProblem(await create({ name: 'Too large', filters, filterTree }), 422, { errors: ['filterTree'] });
    const emoji = { ...largest, value: '😀'.repeat(1_024) };
    expect((await preview({ filters: [emoji] })).count).toBe(0);
    for (let at = 0; at < 9; at++) expect((await create({ name: `Large ${at}`, filters })).status).toBe(200);
    const { items, total } = (await tenant.test.get('/v2/segments', { q: 'large' })).body;
    expect([items.length, total]).toEqual([7, 9]);
  });

  test('whose change changes nothing keeps its time', async () => {
    const { body } = await create({ name: 'Still', filters: [vip], filterTree: leaf(gold) });
    const same = { name: 'Still', filterTree: leaf(gold) };
    for (const change of [{}, same])
      expect((await tenant.test.call('PATCH', `/v2/segments/${body.id}`, { body: change })).body).toMatchObject({
        updatedAt: body.updatedAt,
      });
  });

  test('explains why a contact is in it, and is deleted permanently', async () => {
    const { body } = await create({ name: 'Explained', filters: [vip, gold] });
    const path = `/v2/segments/${body.id}`;
    expect((await tenant.test.get(`${path}/contacts/${ids[0]}`)).body).toMatchObject({ member: true });
    expect((await tenant.test.get(`${path}/contacts/${ids[1]}`)).body).toMatchObject({
      member: false,
      conditions: [
        { filter: vip, met: true },
        { filter: gold, met: false },
      ],
    });
    expect((await tenant.test.call('DELETE', path)).status).toBe(204);
    for (const gone of [path, `${path}/contacts`, `${path}/contacts/${ids[0]}`])
      expectProblem(await tenant.test.get(gone), 404);
    expect((await create({ name: 'Explained', filters: [vip] })).status).toBe(200);
  });
});
