import { beforeAll, describe, expect, test } from 'vitest';
import type { Client, Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
interface Listed {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly tags: readonly string[];
  readonly optIn: { readonly status: string };
  readonly source: string;
  readonly updatedAt: string;
}
const PEOPLE = [
  { name: 'Ana Souza', email: 'ana.souza@example.com', tags: ['vip', 'novo'], optIn: { status: 'granted' } },
  { name: 'JOÃO da Silva', email: 'jsilva@loja.example', tags: ['vip'], source: 'import', externalId: 'loja:42' },
  { name: 'Conceição Araújo', tags: ['novo'], optIn: { status: 'denied' } },
  { name: 'Bruno', tags: [] },
];
let tenant: Tenant;
let contacts: Listed[] = [];

const list = (query: Record<string, string | number> = {}, client: Client = tenant.test) =>
  client.get('/contacts', query);
const names = async (query: Record<string, string | number>, client?: Client) => {
  const { status, body } = await list(query, client);
  expect(status).toBe(200);
  expect(body.total).toBe(body.items.length);
  return (body.items as Listed[]).map(({ name }) => name);
};

beforeAll(async () => {
  tenant = await messaging.tenant();
  for (const [at, person] of PEOPLE.entries()) {
    const { body, status, text } = await tenant.test.post('/contacts', { phone: `+551198765432${at}`, ...person });
    expect(status, text).toBe(201);
    contacts = [body, ...contacts];
  }
});

describe('GET /contacts', () => {
  test('answers all contacts, newest first, by pages, with their total', async () => {
    const { body } = await list();
    expect(body).toEqual({ items: contacts, total: 4 });
    const pages = [await list({ limit: 3 }), await list({ limit: 3, skip: 3 })];
    expect(pages.flatMap((page) => page.body.items)).toEqual(contacts);
    expect(pages.map((page) => page.body.total)).toEqual([4, 4]);
  });

  test('filters by each field alone, and joins filters', async () => {
    expect(await names({ tag: 'vip' })).toEqual(['JOÃO da Silva', 'Ana Souza']);
    expect(await names({ optInStatus: 'denied' })).toEqual(['Conceição Araújo']);
    expect(await names({ optInStatus: 'unknown' })).toEqual(['Bruno', 'JOÃO da Silva']);
    expect(await names({ source: 'import' })).toEqual(['JOÃO da Silva']);
    expect(await names({ externalId: 'loja:42' })).toEqual(['JOÃO da Silva']);
    expect(await names({ externalId: 'loja:4' })).toEqual([]);
    expect(await names({ updatedSince: contacts[1]?.updatedAt ?? '' })).toEqual(['Bruno', 'Conceição Araújo']);
    expect(await names({ tag: 'novo', optInStatus: 'granted' })).toEqual(['Ana Souza']);
    expect(await names({ externalId: 'loja:42', tag: 'novo' })).toEqual([]);
    expect(await names({ tag: 'vip', q: 'silva' })).toEqual(['JOÃO da Silva']);
  });

  test('filters by a static list, alone and with others', async () => {
    const { body: made } = await tenant.test.post('/v2/lists', { name: 'Spring' });
    const members = contacts.slice(1, 3).map(({ id }) => id);
    await tenant.test.post(`/v2/lists/${made.id}/members`, { contactIds: members });
    expect(await names({ listId: made.id })).toEqual(['Conceição Araújo', 'JOÃO da Silva']);
    expect(await names({ listId: made.id, tag: 'vip' })).toEqual(['JOÃO da Silva']);
    expect(await names({ listId: made.id, externalId: 'loja:42' })).toEqual(['JOÃO da Silva']);
    expect(await names({ listId: `lst_${'0'.repeat(21)}` })).toEqual([]);
  });

  test('finds what names, addresses and phones contain, ignoring case and accents', async () => {
    expect(await names({ q: 'joao' })).toEqual(['JOÃO da Silva']);
    expect(await names({ q: 'ouz' })).toEqual(['Ana Souza']);
    expect(await names({ q: 'CONCEICAO ara' })).toEqual(['Conceição Araújo']);
    expect(await names({ q: '@loja.ex' })).toEqual(['JOÃO da Silva']);
    expect(await names({ q: '(11) 98765-4322' })).toEqual(['Conceição Araújo']);
    expect(await names({ q: '98765432' })).toHaveLength(4);
    // Of one or two characters: beginnings of words.
    expect(await names({ q: 'so' })).toEqual(['Ana Souza']);
    expect(await names({ q: 'a' })).toEqual(['Conceição Araújo', 'Ana Souza']);
    expect(await names({ q: 'zzz' })).toEqual([]);
  });

  test('drops q without pii:full, says so, and masks', async () => {
    const limited = await messaging.limited(tenant.test, ['contacts:read']);
    const { body } = await list({ q: 'joao', tag: 'vip' }, limited);
    expect(body).toMatchObject({ total: 2, warnings: [expect.stringContaining('pii:full')] });
    expect(JSON.stringify(body.items)).not.toMatch(/\+551198765432|jsilva/);
    expect((await list({ tag: 'vip' }, limited)).body.warnings).toBeUndefined();
  });

  test('shows a change immediately: a consent, a last interaction', async () => {
    const [bruno] = contacts;
    await tenant.test.post(`/contacts/${bruno?.id}/opt-in`, { source: 'checkout' });
    expect(await names({ optInStatus: 'granted' })).toEqual(['Bruno', 'Ana Souza']);
  });

  test('shows nothing of other organizations and the other environment', async () => {
    expect(await names({ tag: 'vip' }, tenant.live)).toEqual([]);
    const other = await messaging.tenant();
    expect(await names({ q: 'silva' }, other.test)).toEqual([]);
    expect(await names({ externalId: 'loja:42' }, other.test)).toEqual([]);
  });

  test('names the field of a query that is not valid', async () => {
    for (const query of [
      { optInStatus: 'no' },
      { limit: 0 },
      { q: ' ' },
      { updatedSince: 'yesterday' },
      { name: 'Ana' },
    ])
      expectProblem(await list(query), 400);
  });
});
