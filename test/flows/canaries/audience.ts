import { expect, vi } from 'vitest';
import type { Answer, Client, Tenant } from '../../support/api.ts';
import { anAdmin } from '../support.ts';
import { noted, type Watched } from './callers.ts';
import { CANARIES } from './values.ts';

const { phone, otherPhone, name, email, externalId, attribute, tag, otherName, otherEmail } = CANARIES;
const WAIT = { timeout: 45_000, interval: 150 };
const IMPORTS = '/contacts/import/jobs';

/** Calls of one client; a refusal is recorded, an unexpected one fails the run. */
const callsOf = (watched: Watched, client: Client) => {
  const call = async (method: string, path: string, status: number, body?: unknown): Promise<Answer> => {
    const answer = noted(watched, `${method} ${path}`, await client.call(method, path, { body }));
    expect([method, path, answer.status, answer.status === status || answer.text]).toEqual([
      method,
      path,
      status,
      true,
    ]);
    return answer;
  };
  return {
    call,
    get: async (path: string) => (await call('GET', path, 200)).body,
    post: async (path: string, status: number, body?: unknown) => (await call('POST', path, status, body)).body,
    patch: (path: string, body: unknown, status = 200) => call('PATCH', path, status, body),
  };
};
type Calls = ReturnType<typeof callsOf>;

/** A person with everything that a contact can have. */
const person = {
  phone,
  name,
  email,
  externalId,
  externalIds: { hubspot: CANARIES.crmId },
  cpf: CANARIES.cpf,
  cnpj: CANARIES.cnpj,
  nascimento: CANARIES.birth,
  attributes: { nota: attribute },
  tags: [tag],
  debtorGroups: [{ company: 'Banco', phones: [CANARIES.debtPhone], reference: externalId }],
  optIn: { status: 'granted', source: 'checkout', ip: CANARIES.ip, userAgent: CANARIES.userAgent },
};

/** Creates, changes, merges and reads contacts, and refuses what they may not be. */
const useRecords = async ({ get, post, patch }: Calls): Promise<{ id: string; otherId: string }> => {
  const { id } = await post('/contacts', 201, person);
  await post('/contacts', 409, person);
  await patch(`/contacts/${id}`, { name: otherName, email: otherEmail, externalId: null });
  await patch(`/contacts/${id}`, { name, email, externalId });
  await patch(`/contacts/${id}`, { cpf: phone, email: name, tags: [[tag]], attributes: { [email]: { phone } } }, 422);
  const other = { phone: otherPhone, name: otherName, email, attributes: { nota: attribute } };
  const { id: otherId } = await post('/contacts', 201, other);
  await patch(`/contacts/${otherId}`, { phone }, 409);
  await get(`/contacts/${id}/duplicates`);
  await post(`/contacts/${id}/opt-out`, 200, { reason: CANARIES.reason });
  await post(`/contacts/${id}/opt-in`, 200, { source: 'loja', ip: CANARIES.ip, userAgent: CANARIES.userAgent });
  for (const q of [name, email, phone]) await get(`/contacts?q=${encodeURIComponent(q)}`);
  await get(`/contacts?externalId=${externalId}&tag=${tag}`);
  return { id, otherId };
};

/** Imports rows by a call and by files, right ones and wrong ones; what the answers and the files of errors say of the wrong ones is recorded. */
const useImports = async (watched: Watched, { get, post }: Calls): Promise<void> => {
  const [row, wrong] = [
    { phone: '+5521987654445', name: 'Outra Pessoa', externalId: 'outro' },
    { phone: email, name: [name], cpf: phone },
  ];
  const { erros } = await post('/contacts/import', 200, {
    contatos: [row, wrong, { ...row, externalId }, { [email]: name }, name],
    onConflict: 'update',
  });
  expect(erros).toHaveLength(4);
  watched.problems.push({ path: 'errors of an import', body: JSON.stringify(erros) });
  const files = [
    `phone,name,email,cpf\n${phone},${name},${email},\n${email},${name},${phone},${phone}\n"${phone}"x,${name}\n`,
    `phone,${email}\n${phone},${name}\n`,
    Buffer.concat([Buffer.from(`phone,name\n${phone},${name}`), Buffer.from([0xff])]),
  ];
  for (const file of files) {
    const size = Buffer.byteLength(file);
    const { id, upload } = await post(IMPORTS, 201, { format: 'csv', onConflict: 'update', size });
    const headers = { 'content-type': upload.headers['content-type'] };
    expect((await fetch(upload.url, { method: 'PUT', headers, body: new Uint8Array(Buffer.from(file)) })).status).toBe(
      200,
    );
    await post(`${IMPORTS}/${id}/start`, 200);
    const job = await vi.waitFor(async () => {
      const read = await get(`${IMPORTS}/${id}`);
      expect(['completed', 'failed']).toContain(read.status);
      return read;
    }, WAIT);
    const errors = job.errorFile ? await (await fetch(job.errorFile.url)).text() : '';
    watched.problems.push({ path: `end of an import: ${job.status}`, body: JSON.stringify(job.problem) + errors });
  }
};

const useGroups = async ({ get, post, call }: Calls, contactId: string): Promise<void> => {
  const list = (await post('/v2/lists', 201, { name: 'Pacientes' })).id;
  const members = { phones: [phone, otherPhone, '+5521900000000'], externalIds: [externalId], contactIds: [contactId] };
  await post(`/v2/lists/${list}/members`, 200, members);
  await call('PUT', `/v2/lists/${list}/members`, 200, { externalIds: [externalId] });
  await call('PUT', `/v2/lists/${list}/members`, 422, { phones: ['+5521900000000'], externalIds: [email] });
  await post(`/v2/lists/${list}/members`, 422, { phones: phone, [email]: [name] });
  const filters = [
    { field: 'attribute', key: 'nota', operator: 'is', value: attribute },
    { field: 'tag', operator: 'is', value: tag },
  ];
  const segment = (await post('/v2/segments', 200, { name: 'Alergicos', filters })).id;
  await post('/v2/segments/preview', 200, { filters });
  await post('/v2/segments', 422, { name: [name], filters: [{ field: email, operator: phone, value: { name } }] });
  await get(`/v2/segments/${segment}/contacts`);
  await get(`/v2/segments/${segment}/contacts/${contactId}`);
};

const useCustomerEvents = async ({ get, post }: Calls, contactId: string): Promise<void> => {
  const names = [
    { phone },
    { email },
    { externalId },
    { contactId },
    { phone: '+5521900000001' },
    { email: 'x@canario.example' },
  ];
  for (const [at, contact] of names.entries())
    await post('/v2/events', 201, { name: 'compra', eventId: `pedido-${at}`, contact, properties: { loja: 'Centro' } });
  await post('/v2/events', 422, { name: 'compra', eventId: 'dois', contact: { phone: otherPhone, externalId } });
  await post('/v2/events', 422, {
    name: [name],
    eventId: email,
    contact: { phone: name, email: phone },
    [email]: phone,
  });
  await get(`/contacts/${contactId}/timeline`);
};

/** Exports one person, and all in files; a session reads documents in clear. */
const useExports = async (watched: Watched, tenant: Tenant, { get, post }: Calls, contactId: string) => {
  await get(`/contacts/${contactId}/export`);
  await get(`/contacts/${contactId}/consents`);
  const { client } = await anAdmin(watched.messaging, tenant);
  expect((await client.post(`/v2/contacts/${contactId}/documentos/revelar`, {})).text).toContain(CANARIES.cpf);
  const window = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() };
  for (const about of [{ kind: 'messages', channel: 'sms', ...window }]) {
    const { id } = await post('/v2/exports/jobs', 201, { ...about, format: 'csv' });
    await vi.waitFor(async () => expect((await get(`/v2/exports/jobs/${id}`)).status).toBe('completed'), WAIT);
  }
};

/** The areas of the audience, by one tenant; the contact stays, another is merged into it, and one is erased. */
export const useAudience = async (watched: Watched, tenant: Tenant): Promise<string> => {
  const calls = callsOf(watched, tenant.test);
  const { id, otherId } = await useRecords(calls);
  await useGroups(calls, id);
  await useImports(watched, calls);
  await useCustomerEvents(calls, id);
  await calls.post(`/contacts/${id}/merge`, 200, { contactId: otherId });
  await useExports(watched, tenant, calls, id);
  await calls.post('/v2/accounts', 201, { name: CANARIES.accountName, email: CANARIES.accountEmail, role: 'viewer' });
  return id;
};
