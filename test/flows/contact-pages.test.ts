import { beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();

/** The maximum size of a function's response, whose body is a text in JSON. */
const MAX_RESPONSE = 6_291_456;
const HEAVY = 100;
const avatarUrl = `data:image/png;base64,${'A'.repeat(65_000)}`;
/** The largest attributes: 200 KB of JSON, of which nearly every character is escaped, and once more in a response. */
const attributes = Object.fromEntries(Array.from({ length: 98 }, (_, at) => [`k${at}`, '"'.repeat(1_024)]));

let tenant: Tenant;
let companyId: string;
let heavy: readonly string[] = [];

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly nextCursor?: string;
}
/** A page that fits into a function's response. */
const pageOf = async (path: string, query: Record<string, string | number>): Promise<Page> => {
  const { status, text, body } = await tenant.test.get(path, query);
  expect(status).toBe(200);
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(MAX_RESPONSE);
  return body;
};
/** The ids of all pages of a list, where the next page begins after the items answered. */
const walk = async (path: string, query: Record<string, string | number>): Promise<string[]> => {
  const ids: string[] = [];
  for (;;) {
    const { items } = await pageOf(path, { ...query, skip: ids.length });
    if (items.length === 0) return ids;
    ids.push(...items.map(({ id }) => id));
  }
};

beforeAll(async () => {
  tenant = await messaging.tenant();
  companyId = (await tenant.test.post('/v2/companies', { nome: 'Padaria Aurora' })).body.id;
  const rows = Array.from({ length: HEAVY }, (_, at) => ({
    phone: `+5511986${500_000 + at}`,
    companyId,
    tags: ['pesado'],
    avatarUrl,
  }));
  for (const contatos of [rows.slice(0, HEAVY / 2), rows.slice(HEAVY / 2)]) {
    const { status, body } = await tenant.test.post('/contacts/import', { contatos, onConflict: 'skip' });
    expect([status, body.criados]).toEqual([200, HEAVY / 2]);
  }
  heavy = (await walk('/contacts', { limit: 20 })).sort();
});

test('a page of contacts ends early where a response cannot hold more, and the next ones have every other contact once', async () => {
  expect(new Set(heavy).size).toBe(HEAVY);
  for (const query of [{}, { tag: 'pesado' }]) {
    const first = await pageOf('/contacts', { ...query, limit: 200 });
    expect(first.items.length).toBeGreaterThan(HEAVY / 2);
    expect((await walk('/contacts', { ...query, limit: 200 })).sort()).toEqual(heavy);
  }
});

test("a page of a company's contacts ends early in the same way", async () => {
  expect((await walk(`/v2/companies/${companyId}/contacts`, { limit: 100 })).sort()).toEqual(heavy);
});

test("a page of a segment's contacts ends early, and its cursor continues after the last contact answered", async () => {
  const filters = [{ field: 'tag', operator: 'is', value: 'pesado' }];
  const { id } = (await tenant.test.post('/v2/segments', { name: 'Pesados', filters })).body;
  const path = `/v2/segments/${id}/contacts`;
  const first = await pageOf(path, { limit: 200 });
  const rest = await pageOf(path, { limit: 200, cursor: first.nextCursor ?? '' });
  expect(rest.nextCursor).toBeUndefined();
  expect([...first.items, ...rest.items].map((contact) => contact.id).sort()).toEqual(heavy);
});

test('likely duplicates with the largest attributes are as many as a response can hold', async () => {
  const email = 'casa@example.com';
  const ids: string[] = [];
  for (let at = 0; at < 21; at++) {
    const body = { phone: `+5511986${600_000 + at}`, email, avatarUrl, attributes };
    const created = await tenant.test.post('/contacts', body);
    expect(created.status, created.text.slice(0, 500)).toBe(201);
    ids.push(created.body.id);
  }
  const { items } = await pageOf(`/contacts/${ids[0]}/duplicates`, {});
  expect(items.length).toBeGreaterThan(5);
  expect(items.length).toBeLessThan(20);
});
