import { expect, test, vi } from 'vitest';
import { countWrite } from '../../shared/storage/contacts/sent-counts.ts';
import { apiClient, type Client } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { anAdmin, PATIENCE } from './support.ts';

const messaging = await sharedMessaging();

let phones = 0;
const aPhone = () => `+551197${String(9_000_000 + phones++)}`;
const create = async (client: Client, fields: object = {}) =>
  (await client.post('/contacts', { phone: aPhone(), ...fields })).body;
const patch = (client: Client, id: string, body: object) => client.call('PATCH', `/contacts/${id}`, { body });
const remove = (client: Client, id: string) => client.call('DELETE', `/contacts/${id}`);

const auditOf = async (client: Client, object: string) =>
  (await client.get(`/v2/audit?object=${object}`)).body.items.map(
    ({ action, actor, details }: { action: string; actor: { id: string }; details: object }) => ({
      action,
      actor: actor.id,
      details,
    }),
  );

test('a change answers the contact, masked or not as its reader may see it, and one of nothing leaves it as it is', async () => {
  const { test: client } = await messaging.tenant();
  const contact = await create(client, { name: 'Ana', email: 'ana@example.com' });
  const phone = aPhone();
  const body = { phone, name: null, debtorGroups: [{ company: 'Banco Azul', phones: [phone], status: 'em_dia' }] };
  const changed = await patch(client, contact.id, body);
  expect(changed).toMatchObject({ status: 200, body: { phone, email: 'ana@example.com' } });
  expect(changed.body).not.toHaveProperty('name');
  expect(changed.body.debtorGroups[0]).toMatchObject({ id: expect.stringMatching(/^grp_\w{21}$/), phones: [phone] });
  expect((await patch(client, contact.id, body)).body).toEqual(changed.body);
  expect((await client.get(`/contacts/${contact.id}`)).body).toEqual(changed.body);
  const scopes = ['contacts:read', 'contacts:write'];
  const { key } = (await client.post('/v2/api-keys', { name: 'No pii', scopes })).body;
  const blind = await patch(apiClient(messaging.url, key), contact.id, { name: 'Ana' });
  expect(JSON.stringify(blind.body)).not.toContain(phone);
  const other = await create(client);
  const taken = await patch(client, other.id, { phone });
  expectProblem(taken, 409);
  expect(taken.body.meta).toMatchObject({ code: 'TELEFONE_JA_CADASTRADO', contactId: contact.id });
  expectProblem(await patch(client, contact.id, { phone: null }), 422);
  expectProblem(await patch(client, contact.id, { optIn: { status: 'granted' } }), 422);
});

test('a deleted contact is gone immediately, and the person soon after from its messages; the audit log records it', async () => {
  const { test: client } = await messaging.tenant();
  const { phone, id } = await create(client, { name: 'João' });
  const sent = (await client.send({ to: phone, contactId: id, body: 'Oi João' })).body.id;
  expect(await remove(client, id)).toMatchObject({ status: 204 });
  expectProblem(await client.get(`/contacts/${id}`), 404);
  expectProblem(await remove(client, id), 404);
  expect((await client.post('/contacts', { phone })).status).toBe(201);
  await vi.waitFor(async () => {
    const { body } = await client.get(`/v2/sms/messages/${sent}`);
    expect(body).toMatchObject({ id: sent, to: '' });
    expect(JSON.stringify(body)).not.toContain('João');
    expect(body).not.toHaveProperty('contactId');
  }, PATIENCE);
  const { body: merged } = await client.get(`/messages/${sent}`);
  expect(JSON.stringify(merged)).not.toContain(phone);
  expect(await auditOf(client, id)).toMatchObject([{ action: 'contact.deleted', details: {} }]);
});

test('a contact whose phone opted out before is opted out, without the proof of a consent that never took effect', async () => {
  const { test: client } = await messaging.tenant();
  const first = await create(client);
  const optedOut = (await client.post(`/contacts/${first.id}/opt-out`, {})).body.optIn;
  await remove(client, first.id);
  const optIn = { status: 'granted', source: 'site', ip: '203.0.113.7', userAgent: 'Mozilla/5.0' };
  const kept = { status: 'denied', revokedAt: optedOut.revokedAt, revokedReason: 'opted out as an earlier contact' };
  const made = await create(client, { phone: first.phone, optIn });
  expect(made.optIn).toEqual(kept);
  const history = (await client.get(`/contacts/${made.id}/consents`)).body.items;
  expect(history).toEqual([{ status: 'denied', at: kept.revokedAt, reason: kept.revokedReason }]);
  await remove(client, made.id);
  const imported = async (body: object) => {
    expect((await client.post('/contacts/import', body)).body.erros).toEqual([]);
    return (await client.get('/contacts', { q: first.phone })).body.items;
  };
  const row = { phone: first.phone, optIn };
  expect(await imported({ contatos: [row], onConflict: 'skip' })).toMatchObject([{ optIn: kept }]);
  const { items } = (await client.get('/contacts', { q: first.phone })).body;
  expect(items[0].optIn).toEqual(kept);
  await remove(client, items[0].id);
  const { id } = await create(client, { externalId: 'loja:1' });
  const moved = await imported({ contatos: [{ ...row, externalId: 'loja:1' }], onConflict: 'update' });
  expect(moved).toMatchObject([{ id }]);
  expect(moved[0].optIn).toEqual(kept);
});

test('an export has the segments that the person is in at that moment', async () => {
  const { test: client } = await messaging.tenant();
  const contact = await create(client, { tags: ['vip'] });
  const filtered = (value: string) => ({ name: value, filters: [{ field: 'tag', operator: 'is', value }] });
  const { id } = (await client.post('/v2/segments', filtered('vip'))).body;
  await client.post('/v2/segments', filtered('novo'));
  expect((await client.get(`/v2/segments/${id}/contacts/${contact.id}`)).body.member).toBe(true);
  const { segments } = (await client.get(`/contacts/${contact.id}/export`)).body;
  expect(segments).toEqual([{ id, name: 'vip', member: true }]);
});

test('documents are revealed to a person in a session alone, and never without an entry', async () => {
  const tenant = await messaging.tenant();
  const { client, accountId } = await anAdmin(messaging, tenant);
  const { id } = await create(tenant.test, { cpf: '529.982.247-25', nascimento: '1990-05-20' });
  const path = `/v2/contacts/${id}/documentos/revelar`;
  expectProblem(await tenant.test.post(path, undefined), 403);
  expectProblem(await client.post(path, { campos: ['cpf'] }), 422, { errors: ['campos'] });
  expectProblem(await client.post(path, ['cpf']), 422);
  const revealed = await client.post(path, {});
  expect(revealed).toMatchObject({ status: 200, body: { cpf: '52998224725', nascimento: '1990-05-20' } });
  const entry = { action: 'contact.documents_revealed', actor: accountId, details: { fields: ['cpf', 'nascimento'] } };
  expect(await auditOf(tenant.test, id)).toEqual([entry]);
  const other = await anAdmin(messaging, await messaging.tenant());
  expectProblem(await other.client.post(path, undefined), 404);
  const answers = await Promise.all(Array.from({ length: 35 }, () => client.post(path, undefined)));
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  expect(limited[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
});

test('an import answers for each of its rows, in either order and however often it is sent', async () => {
  const { test: client } = await messaging.tenant();
  const contatos = Array.from({ length: 60 }, () => ({ phone: aPhone(), tags: ['planilha'] }));
  const rows = [...contatos, { phone: 'x' }, { phone: aPhone(), unknown: 1 }, 7];
  const first = await client.post('/contacts/import', { contatos: rows, onConflict: 'skip' });
  expect(first).toMatchObject({ status: 200, body: { criados: 60, atualizados: 0, ignorados: 0 } });
  expect(first.body.erros.map(({ linha }: { linha: number }) => linha)).toEqual([61, 62, 63]);
  const again = await client.post('/contacts/import', { contatos, onConflict: 'skip' });
  expect(again.body).toEqual({ criados: 0, atualizados: 0, ignorados: 60, erros: [] });
  const tooMany = Array.from({ length: 5_001 }, () => ({ phone: 'x' }));
  for (const body of [
    { contatos, onConflict: 'merge' },
    { contatos: [], onConflict: 'skip' },
    { contatos: tooMany, onConflict: 'skip' },
  ])
    expectProblem(await client.post('/contacts/import', body), 422);
});

test('an export contains everything stored about a person, page by page, for callers who may see it, and is recorded', async () => {
  const { test: client } = await messaging.tenant();
  const optIn = { status: 'granted', source: 'checkout', ip: '203.0.113.7', userAgent: 'Mozilla/5.0' };
  const { id, phone } = await create(client, { email: 'ana@example.com', optIn, cpf: '529.982.247-25' });
  for (const body of ['um', 'dois', 'seis']) await client.send({ to: phone, contactId: id, body });
  await client.post(`/contacts/${id}/opt-out`, { reason: 'asked by phone' });
  await client.post('/v2/ai/interactions', { contactId: id, channel: 'sms', model: 'm', role: 'user', text: 'Oi' });
  const first = (await client.get(`/contacts/${id}/export?limit=3`)).body;
  expect(first.contact).toMatchObject({ phone, email: 'ana@example.com', documentos: { cpf: '***.982.247-**' } });
  const { status: _, ...proof } = optIn;
  const history = [
    { status: 'denied', reason: 'asked by phone' },
    { status: 'granted', ...proof },
  ];
  expect(first.consents).toMatchObject(history);
  expect((await client.get(`/contacts/${id}/consents`)).body.items).toMatchObject(history);
  expect(first).toMatchObject({ segments: [], sent: [], lists: [] });
  const hour = Date.parse('2026-11-25T09:00:00.000Z') / 3_600_000;
  const counted = { contactId: id, hour, sends: 2, version: 0, stale: [] };
  await messaging.tables.test.write(countWrite(counted));
  const { sent } = (await client.get(`/contacts/${id}/export`)).body;
  expect(sent).toEqual([{ hour: '2026-11-25T09:00:00.000Z', messages: 2 }]);
  const items = [...first.items];
  for (let { nextCursor } = first; nextCursor !== undefined; ) {
    const next = (await client.get(`/contacts/${id}/export?limit=3&cursor=${nextCursor}`)).body;
    expect(next).not.toHaveProperty('consents');
    items.push(...next.items);
    ({ nextCursor } = next);
  }
  const texts = items.map(({ message, turn }) => turn?.text ?? message.payload.text);
  expect(texts).toEqual(['Oi', 'seis', 'dois', 'um']);
  expect(items[1].message.to).toBe(phone);
  expect((await auditOf(client, id)).map(({ action }: { action: string }) => action)).toEqual([
    'contact.exported',
    'contact.exported',
  ]);
  const { key } = (await client.post('/v2/api-keys', { name: 'No pii', scopes: ['contacts:read'] })).body;
  expectProblem(await apiClient(messaging.url, key).get(`/contacts/${id}/export`), 403);
});
