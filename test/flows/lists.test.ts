import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const PATH = '/v2/lists';
const MAX_IDENTIFIERS = 50_000;

const messaging = await sharedMessaging();
const phoneOf = (at: number) => `+55119${String(86_000_000 + at)}`;

/** A client with a list and some contacts, each with a phone and an external id. */
const begin = async (contacts = 3) => {
  const owner = await messaging.tenant();
  const client = owner.test;
  const ids: string[] = [];
  for (let at = 0; at < contacts; at++)
    ids.push((await client.post('/contacts', { phone: phoneOf(at), externalId: `loja:${at}` })).body.id);
  const list = (await client.post(PATH, { name: 'Clientes VIP' })).body;
  const path = `${PATH}/${list.id}`;
  return { owner, client, ids, list, path };
};

describe('a static list', () => {
  test('is created empty, read, listed, changed in part and deleted', async () => {
    const { client, list, path } = await begin(0);
    expect(list).toEqual({
      id: expect.stringMatching(/^lst_[0-9A-Za-z]{21}$/),
      name: 'Clientes VIP',
      size: 0,
      createdAt: expect.any(String),
      updatedAt: list.createdAt,
    });
    expect((await client.get(path)).body).toEqual(list);
    const second = (await client.post(PATH, { name: '  Outra ', description: 'Um texto' })).body;
    expect(second).toMatchObject({ name: 'Outra', description: 'Um texto' });
    expect((await client.get(PATH)).body).toEqual({ items: [second, list] });
    const changed = await client.call('PATCH', path, { body: { name: 'Ouro', description: 'Melhores' } });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Ouro', description: 'Melhores', size: 0 } });
    expect((await client.call('PATCH', path, { body: { description: null } })).body.description).toBeUndefined();
    expect((await client.call('DELETE', path)).status).toBe(204);
    expectProblem(await client.get(path), 404);
    expect((await client.get(PATH)).body).toEqual({ items: [second] });
  });

  test('has a unique name: another with it is 409 and names the list, at creation and at change', async () => {
    const { client, list, path } = await begin(0);
    const repeated = await client.post(PATH, { name: 'clientes vip' });
    expectProblem(repeated, 409);
    expect(repeated.body.meta).toEqual({ field: 'name', listId: list.id });
    await client.post(PATH, { name: 'Outra' });
    expectProblem(await client.call('PATCH', path, { body: { name: 'OUTRA' } }), 409);
    for (const name of ['', ' ', 'a\nb', 'a'.repeat(129), 7]) expectProblem(await client.post(PATH, { name }), 422);
  });

  test('accepts contacts by identifiers of any kind, removes them, and can be replaced by exactly some', async () => {
    const { client, ids, list, path } = await begin();
    const named = {
      contactIds: [ids[0], newId('contact')],
      phones: [phoneOf(1), phoneOf(99)],
      externalIds: ['loja:2'],
    };
    const added = await client.post(`${path}/members`, named);
    expect(added).toMatchObject({
      status: 200,
      body: { listId: list.id, matched: 3, added: 3, removed: 0, total: 3, notFoundCount: 2 },
    });
    expect(added.body.notFound).toEqual({ externalIds: [], contactIds: [named.contactIds[1]], phones: [phoneOf(99)] });
    expect((await client.get(path)).body.size).toBe(3);
    const exactly = await client.call('PUT', `${path}/members`, { body: { externalIds: ['loja:0'] } });
    expect(exactly.body).toMatchObject({ matched: 1, added: 0, removed: 2, total: 1 });
    expectProblem(await client.call('PUT', `${path}/members`, { body: { externalIds: ['none'] } }), 422);
    expect((await client.get(path)).body.size).toBe(1);
    const emptied = await client.post(`${path}/members/remove`, { contactIds: ids });
    expect(emptied.body).toMatchObject({ matched: 3, added: 0, removed: 1, total: 0 });
    expect((await client.get(`/contacts/${ids[0]}`)).status).toBe(200);
  });

  test('neither finds the contacts of another organization nor those of the other environment', async () => {
    const [mine, theirs] = [await begin(1), await begin(1)];
    const body = { contactIds: theirs.ids, externalIds: ['loja:0'] };
    expect((await mine.client.post(`${mine.path}/members`, body)).body).toMatchObject({ matched: 1, notFoundCount: 1 });
    expectProblem(await mine.client.post(`${theirs.path}/members`, body), 404);
    expectProblem(await mine.owner.live.get(mine.path), 404);
  });
});

test(`a call names ${MAX_IDENTIFIERS} contacts of mixed kinds; one more is 422 at the kind that exceeds it`, async () => {
  const { owner, client, path } = await begin(1);
  const numbers = Array.from({ length: 1_000 }, (_, at) => 70 * at + 2);
  const org = owner.id;
  const ids = numbers.map(() => newId('contact'));
  await messaging.tables.test.putMany(
    numbers.flatMap((number, at) => [
      { ...KEYS.externalId(org, `cliente:${at}`), number, org },
      { ...KEYS.contact(ids[at] ?? newId('contact')), org, number: number + 1 },
    ]),
  );
  const half = Array.from({ length: MAX_IDENTIFIERS / 2 }, (_, at) => at);
  const externalIds = half.map((at) => `cliente:${at}`);
  const contactIds = half.map((at) => ids[at] ?? newId('contact'));
  const counts = { matched: 2_000, added: 2_000, total: 2_000, notFoundCount: 48_000 };
  expect(await client.post(`${path}/members`, { externalIds, contactIds })).toMatchObject({
    status: 200,
    body: counts,
  });
  const tooMany = await client.post(`${path}/members`, { externalIds, contactIds, phones: [phoneOf(0)] });
  expectProblem(tooMany, 422);
  expect(tooMany.body.errors).toEqual([{ path: 'phones', message: expect.stringContaining('50000') }]);
  const ofOneKind = await client.post(`${path}/members`, { contactIds: [...contactIds, ...contactIds, 'more'] });
  expect(ofOneKind.body.errors.map((error: { path: string }) => error.path)).toEqual(['contactIds']);
  expect((await client.get(path)).body.size).toBe(2_000);
}, 180_000);

test('without pii:full phones are limited to 60 lookups a minute, a call counting as 60 at most; other identifiers are not limited', async () => {
  const { owner, path } = await begin(1);
  const masking = await messaging.limited(owner.test, ['contacts:write', 'contacts:read']);
  const add = (body: object) => masking.post(`${path}/members`, body);
  const phones = Array.from({ length: 1_000 }, (_, at) => phoneOf(at));
  expect(await add({ phones })).toMatchObject({ status: 200, body: { matched: 1 } });
  const refused = await add({ phones });
  expectProblem(refused, 429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await add({ externalIds: ['loja:0'], phones: [] })).status).toBe(200);
});
