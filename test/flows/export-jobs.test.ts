import { describe, expect, test, vi } from 'vitest';
import type { Client } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, PATIENCE } from './support.ts';

const messaging = await sharedMessaging();
const PATH = '/v2/exports/jobs';
const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();
const ABOUT = { kind: 'messages', channel: 'sms', format: 'csv' };
const window = (days = 300) => ({ from: iso(Date.now() - days * DAY_MS), to: iso(Date.now()) });

const completed = (client: Client, id: string) =>
  vi.waitFor(async () => {
    const { body } = await client.get(`${PATH}/${id}`);
    expect(body.status).toBe('completed');
    return body;
  }, PATIENCE);
/** The result of an export, and its file. */
const exported = async (client: Client, fields: object = {}) => {
  const { status, body } = await client.post(PATH, { ...ABOUT, ...window(), ...fields });
  expect(status).toBe(201);
  const job = await completed(client, body.id);
  return { job, text: job.url ? await (await fetch(job.url)).text() : undefined };
};

const exportedContacts = async (client: Client, format: string, source: object = {}) => {
  const { status, body } = await client.post(PATH, { kind: 'contacts', format, ...source });
  expect(status).toBe(201);
  const job = await completed(client, body.id);
  return { job, text: job.url ? await (await fetch(job.url)).text() : undefined };
};
const importedFile = async (client: Client, file: string, mapping: object) => {
  const imports = '/contacts/import/jobs';
  const about = { format: 'csv', onConflict: 'update', size: Buffer.byteLength(file), mapping };
  const { id, upload } = (await client.post(imports, about)).body;
  await fetch(upload.url, { method: 'PUT', headers: { 'content-type': upload.headers['content-type'] }, body: file });
  expect((await client.post(`${imports}/${id}/start`, undefined)).status).toBe(200);
  await becomes(client, `${imports}/${id}`, { status: 'completed' });
  return (await client.get(`${imports}/${id}`)).body;
};

describe('an export into a file', () => {
  test('has the rows of the paged export, in both formats, and an address for its file at each read', async () => {
    const { test: client } = await messaging.tenant();
    const name = '=1+1';
    for (const body of ['um', 'dois', 'três']) {
      const { id } = (await client.send({ body, campaignId: name })).body;
      await becomes(client, `/v2/sms/messages/${id}`, { status: 'delivered' });
    }
    const pages = await client.get('/v2/exports/messages', { ...window(20), channel: 'sms' });
    const { job, text } = await exported(client);
    expect(job).toMatchObject({ ...ABOUT, status: 'completed', masked: false, progress: { rows: 3 } });
    expect(Buffer.byteLength(text ?? '')).toBe(job.progress.bytes);
    const again = (await client.get(`${PATH}/${job.id}`)).body.url;
    expect(await (await fetch(again)).text()).toBe(text);
    const lines = text?.split('\r\n') ?? [];
    expect(lines[0]).toMatch(/^id,channel,direction,to,status,createdAt,/);
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(
      pages.body.items.map(({ id }: { id: string }) => id),
    );
    expect(lines[1]).toContain(`'${name}`);
    const ndjson = await exported(client, { format: 'ndjson' });
    expect(
      ndjson.text
        ?.split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(pages.body.items);
    const empty = await exported(client, { channel: 'rcs', format: 'ndjson' });
    expect(empty).toMatchObject({ text: '', job: { progress: { rows: 0, bytes: 0 } } });
  });

  test('masks addresses for callers who may not see them, and is available in full only to those who may', async () => {
    const { test: client } = await messaging.tenant();
    const sent = await client.send();
    const masking = await messaging.limited(client, ['messages:read']);
    const phone = (await client.get(`/v2/sms/messages/${sent.body.id}`)).body.to;
    const masked = await exported(masking);
    expect(masked.job.masked).toBe(true);
    expect(masked.text).not.toContain(phone);
    expect(masked.text).toContain(sent.body.id);
    const full = await exported(client);
    expect(full.text).toContain(phone);
    const read = await masking.get(`${PATH}/${full.job.id}`);
    expect(read).toMatchObject({ status: 200, body: { status: 'completed', masked: false } });
    expect(read.body.url).toBeUndefined();
  });

  test('has all contacts, as their list shows them; an import of the file finds them as they are', async () => {
    const { test: client } = await messaging.tenant();
    const formula = '=HYPERLINK("https://evil.example")';
    for (const fields of [
      {
        phone: '+5511970000001',
        name: formula,
        tags: ['vip', '-1', 'a|b'],
        attributes: { plano: '=1+1' },
        externalId: 'loja:1',
      },
      {
        phone: '+5511970000002',
        name: '＝Rui',
        email: 'rui@example.com',
        cpf: '529.982.247-25',
        externalIds: { hubspot: '@x' },
      },
      { phone: '+5511970000003' },
    ])
      expect((await client.post('/contacts', fields)).status).toBe(201);
    const listed = (await client.get('/contacts')).body.items;
    const ndjson = await exportedContacts(client, 'ndjson');
    const rows = ndjson.text
      ?.split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const shown = listed.map(({ cpfCipher: _, ...contact }: { cpfCipher?: string }) => contact);
    expect(rows).toEqual(shown);
    expect(ndjson.text).not.toMatch(/"529|529\.?982/);

    const csv = await exportedContacts(client, 'csv');
    expect(csv.job).toMatchObject({ kind: 'contacts', progress: { rows: 3 }, masked: false });
    expect(csv.job.channel).toBeUndefined();
    const lines = csv.text?.split('\r\n').slice(0, -1) ?? [];
    expect(lines[0]).toMatch(/^id,phone,name,email,externalId,/);
    expect(lines[3]).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(csv.text).toContain("'@x");
    expect(lines.slice(1).every((line) => line.split(',')[1]?.startsWith("'+"))).toBe(true);
    const mapping = {
      phone: 'phone',
      name: 'name',
      email: 'email',
      externalId: 'externalId',
      tags: 'tags',
      'externalIds.hubspot': 'externalIds.hubspot',
    };
    const again = await importedFile(client, csv.text ?? '', mapping);
    expect(again.progress).toMatchObject({ rows: 3, updated: 3, errors: 0 });
    expect((await client.get('/contacts')).body.items).toEqual(listed);
  });

  test('has the contacts of a list, of a segment, or those that are in both, and refuses those that there are not', async () => {
    const { test: client } = await messaging.tenant();
    const people = [];
    for (const [at, tags] of [['vip'], ['vip'], [], ['vip']].entries()) {
      const { status, body } = await client.post('/contacts', { phone: `+551197000001${at}`, tags });
      expect(status).toBe(201);
      people.unshift(body.id);
    }
    const [fourth, third, , first] = people;
    const listId = (await client.post('/v2/lists', { name: 'Da loja' })).body.id;
    await client.post(`/v2/lists/${listId}/members`, { contactIds: [first, third, fourth] });
    const filters = [{ field: 'tag', operator: 'is', value: 'vip' }];
    const segmentId = (await client.post('/v2/segments', { name: 'Vips', filters })).body.id;
    const idsOf = async (source: object) => {
      const { job, text = '' } = await exportedContacts(client, 'ndjson', source);
      expect(job).toMatchObject(source);
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id);
    };
    expect(await idsOf({ listId })).toEqual([fourth, third, first]);
    expect(await idsOf({ segmentId })).toEqual(people.filter((id) => id !== third));
    expect(await idsOf({ listId, segmentId })).toEqual([fourth, first]);
    const { test: other } = await messaging.tenant();
    const refused = await other.post(PATH, { kind: 'contacts', format: 'csv', listId, segmentId });
    expectProblem(refused, 422);
    expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual(['listId', 'segmentId']);
    const unknown = await other.post(PATH, { ...ABOUT, ...window(), listId });
    expectProblem(unknown, 422);
  });

  test('of contacts is masked without pii:full, and needs contacts:read at its creation and for its file', async () => {
    const { test: client } = await messaging.tenant();
    await client.post('/contacts', { phone: '+5511970000004', email: 'ana@example.com' });
    const reader = await messaging.limited(client, ['messages:read', 'contacts:read']);
    const { job, text } = await exportedContacts(reader, 'csv');
    expect(job.masked).toBe(true);
    expect(text).toContain('+55119****0004');
    expect(text).not.toMatch(/970000004|ana@example/);
    const other = await messaging.limited(client, ['messages:read']);
    expectProblem(await other.post(PATH, { kind: 'contacts', format: 'csv' }), 403);
    const read = await other.get(`${PATH}/${job.id}`);
    expect(read).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(read.body.url).toBeUndefined();
  });

  test('is listed, newest first, and cancelled once: then another may start', async () => {
    const { test: client } = await messaging.tenant();
    const { job: first } = await exportedContacts(client, 'csv');
    expectProblem(await client.post(`${PATH}/${first.id}/cancel`, undefined), 409);
    const second = (await client.post(PATH, { ...ABOUT, ...window() })).body;
    const cancelled = await client.post(`${PATH}/${second.id}/cancel`, undefined);
    // Whether it had ended by then is the worker's.
    if (cancelled.status === 200) {
      expect(cancelled.body).toMatchObject({ status: 'cancelled', endedAt: expect.any(String) });
      expect(await client.post(`${PATH}/${second.id}/cancel`, undefined)).toMatchObject({
        status: 200,
        body: cancelled.body,
      });
      expect((await client.get(`${PATH}/${second.id}`)).body.url).toBeUndefined();
    } else expectProblem(cancelled, 409);
    await exportedContacts(client, 'csv');
    await vi.waitFor(async () => {
      const { items } = (await client.get(PATH, { limit: 2 })).body;
      expect(items.map(({ id }: { id: string }) => id)).toHaveLength(2);
      expect(items[1].id).toBe(second.id);
    }, PATIENCE);
    const { nextCursor } = (await client.get(PATH, { limit: 2 })).body;
    expect((await client.get(PATH, { limit: 2, cursor: nextCursor })).body).toMatchObject({
      items: [{ id: first.id }],
    });
  });

  test('is private to its organization, and at most a year long', async () => {
    const [owner, other] = [await messaging.tenant(), await messaging.tenant()];
    const { job } = await exported(owner.test);
    for (const client of [other.test, owner.live]) expectProblem(await client.get(`${PATH}/${job.id}`), 404);
    for (const fields of [
      { ...window(367) },
      { from: iso(Date.now()), to: iso(0) },
      { kind: 'contacts' },
      { kind: 'lists' },
      { channel: 'push' },
    ])
      expectProblem(await owner.test.post(PATH, { ...ABOUT, ...window(), ...fields }), 422);
    const unsigned = new URL(job.url);
    unsigned.searchParams.delete('X-Amz-Signature');
    expect((await fetch(unsigned)).status).toBe(403);
  });
});
