import { describe, expect, test, vi } from 'vitest';
import { type Client, startMessaging } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

/** Of its own: thousands of rows keep its workers from others' messages. */
const messaging = await use(startMessaging());
const PATH = '/contacts/import/jobs';
const ENDED = ['completed', 'failed', 'cancelled'];

let phones = 0;
const aPhone = () => `+551197${String(1_000_000 + phones++)}`;
const put = (address: { url: string; headers: Record<string, string> }, bytes: Buffer) =>
  fetch(address.url, {
    method: 'PUT',
    headers: { 'content-type': address.headers['content-type'] ?? '' },
    body: new Uint8Array(bytes),
  });
/** A job whose file was put. */
const uploaded = async (client: Client, file: string | Buffer, fields: object = {}) => {
  const bytes = Buffer.from(file);
  const about = { format: 'csv', onConflict: 'update', size: bytes.length, ...fields };
  const { status, body } = await client.post(PATH, about);
  expect(status).toBe(201);
  expect((await put(body.upload, bytes)).status).toBe(200);
  return body.id as string;
};
const ended = (client: Client, id: string) =>
  vi.waitFor(
    async () => {
      const { body } = await client.get(`${PATH}/${id}`);
      expect(ENDED).toContain(body.status);
      return body;
    },
    { timeout: 60_000, interval: 100 },
  );
/** The result of an import of a file. */
const imported = async (client: Client, file: string | Buffer, fields: object = {}) => {
  const id = await uploaded(client, file, fields);
  expect((await client.post(`${PATH}/${id}/start`, undefined)).status).toBe(200);
  return ended(client, id);
};
const contactOf = async (client: Client, externalId: string) =>
  (await client.get('/contacts', { externalId })).body.items[0];
const errorsOf = async (job: { errorFile: { url: string } }) => (await fetch(job.errorFile.url)).text();

describe('an import of a file', () => {
  test('accepts what spreadsheets write: a BOM, semicolons, CRLF, accents, quotes and line breaks within quotes', async () => {
    const { test: client } = await messaging.tenant();
    const [ana, rui] = [aPhone(), aPhone()];
    const file = [
      '\uFEFFTelefone;Nome;Código;Observação;Tags;Ignorada',
      `'${ana};"Ana ""Nina"" Conceição";c-1;"duas\r\nlinhas; e ponto";vip|novo;x`,
      '',
      `${rui};João;c-2;;;`,
      '',
    ].join('\r\n');
    const mapping = {
      Telefone: 'phone',
      Nome: 'name',
      Código: 'externalId',
      Observação: 'attributes.obs',
      Tags: 'tags',
    };
    const job = await imported(client, file, { mapping });
    expect(job).toMatchObject({
      status: 'completed',
      progress: { rows: 2, created: 2, updated: 0, ignored: 0, errors: 0, bytes: Buffer.byteLength(file) },
    });
    expect(job.upload).toBeUndefined();
    expect(await contactOf(client, 'c-1')).toMatchObject({
      phone: ana,
      name: 'Ana "Nina" Conceição',
      attributes: { obs: 'duas\r\nlinhas; e ponto' },
      tags: ['vip', 'novo'],
      source: 'import',
    });
    expect(await contactOf(client, 'c-2')).toMatchObject({ phone: rui, name: 'João', attributes: {} });
  });

  test('accepts NDJSON, one contact per line, and updates or skips existing ones', async () => {
    const { test: client } = await messaging.tenant();
    const [one, two] = [aPhone(), aPhone()];
    await client.post('/contacts', { phone: one, name: 'Ana' });
    const lines = [
      { phone: one, name: 'Ana Lima' },
      { phone: two, attributes: { plano: 'ouro' } },
      { phone: two, name: 'Rui' },
    ];
    const file = lines.map((line) => JSON.stringify(line)).join('\n');
    const skipped = await imported(client, file, { format: 'ndjson', onConflict: 'skip' });
    expect(skipped.progress).toMatchObject({ rows: 3, created: 1, updated: 0, ignored: 2, errors: 0 });
    const updated = await imported(client, file, { format: 'ndjson' });
    expect(updated.progress).toMatchObject({ rows: 3, created: 0, updated: 3, ignored: 0, errors: 0 });
  });

  test('reports each invalid row by its line and without its values, in a file without spreadsheet formulas', async () => {
    const { test: client } = await messaging.tenant();
    const phone = aPhone();
    const file = [
      'phone,name,attributes.=cmd()',
      '123,Ana,x',
      `${phone},"a"b,x`,
      `${phone},Rui`,
      `${phone},Rui,x`,
      `${aPhone()},a\0b,x`,
    ];
    const job = await imported(client, file.join('\n'));
    expect(job.progress).toMatchObject({ rows: 5, created: 1, errors: 4 });
    const lines = (await errorsOf(job)).split('\r\n');
    expect(lines[0]).toBe('line,message');
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(['2', '3', '4', '6']);
    expect(lines.join()).not.toMatch(/123|Ana|Rui/);
    expect(lines.every((line) => !/(^|,)[=+@-]/.test(line))).toBe(true);
  });

  test.each([
    ['phone,apelido\n', { code: 'unknown_column', at: 2 }],
    ['phone,name,name\n', { code: 'duplicate_column', at: 3 }],
    ['name\nAna\n', { code: 'missing_column' }],
    [Buffer.from('phone,name\n+5511970000000,Jo\xe3o\n', 'latin1'), { code: 'not_utf8', at: 2 }],
    [`phone\n${'x'.repeat(600_000)}\n`, { code: 'record_too_long', at: 2 }],
    [`phone,name\n1,"${'x\n'.repeat(1000)}`, undefined],
  ])('fails with its cause and its place, and keeps what came before (%#)', async (file, problem) => {
    const { test: client } = await messaging.tenant();
    const job = await imported(client, file);
    if (problem) expect(job).toMatchObject({ status: 'failed', problem });
    else expect(job).toMatchObject({ status: 'completed' });
  });

  test('counts 5,000 rows of many parts, each once', async () => {
    const { test: client } = await messaging.tenant();
    const rows = Array.from({ length: 5_000 }, (_, at) => `+5511${960_000_000 + at},Ana ${at},c-${at}`);
    const job = await imported(client, ['phone,name,externalId', ...rows].join('\n'));
    expect(job).toMatchObject({
      status: 'completed',
      progress: { rows: 5_000, created: 5_000, updated: 0, errors: 0 },
    });
    expect((await client.get('/contacts', { limit: 1 })).body.total).toBe(5_000);
  }, 180_000);

  test('is started once its file is uploaded, one at a time per organization, and can be cancelled', async () => {
    const tenant = await messaging.tenant();
    const client = tenant.test;
    const empty = (await client.post(PATH, { format: 'csv', onConflict: 'skip', size: 10 })).body;
    expectProblem(await client.post(`${PATH}/${empty.id}/start`, undefined), 409);
    expect((await client.post(`${PATH}/${empty.id}/cancel`, undefined)).body).toMatchObject({ status: 'cancelled' });
    const rows = Array.from({ length: 6_000 }, () => aPhone());
    const first = await uploaded(client, ['phone', ...rows].join('\n'));
    const second = await uploaded(client, `phone\n${aPhone()}\n`);
    expect((await client.post(`${PATH}/${first}/start`, undefined)).body.status).toBe('running');
    const refused = await client.post(`${PATH}/${second}/start`, undefined);
    expectProblem(refused, 409);
    expect(refused.body.meta).toEqual({ jobId: first });
    expect((await client.post(`${PATH}/${first}/cancel`, undefined)).status).toBe(200);
    const { progress, status } = await ended(client, first);
    expect(status).toBe('cancelled');
    expect((await client.get('/contacts', { limit: 1 })).body.total).toBe(progress.created);
    expect((await client.post(`${PATH}/${second}/start`, undefined)).status).toBe(200);
    expect((await ended(client, second)).status).toBe('completed');
    const { body } = await client.get(PATH, { limit: 2 });
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect(body.nextCursor).toBeTypeOf('string');
  }, 180_000);

  test('is private to its organization, and refuses bytes of another size than it was created for', async () => {
    const [owner, other] = [await messaging.tenant(), await messaging.tenant()];
    const id = await uploaded(owner.test, 'phone\n');
    for (const client of [other.test, owner.live]) {
      expectProblem(await client.get(`${PATH}/${id}`), 404);
      for (const act of ['start', 'cancel']) expectProblem(await client.post(`${PATH}/${id}/${act}`, undefined), 404);
    }
    const { upload } = (await owner.test.get(`${PATH}/${id}`)).body;
    expect((await put(upload, Buffer.from('phone\n+5511970000000\n'))).status).toBe(403);
  });

  test.each([
    { mapping: { a: 'phone', b: 'phone' } },
    { mapping: { a: 'senha' } },
    { mapping: { a: 'name' } },
    { format: 'ndjson', mapping: { a: 'phone' } },
    { size: 200_000_001 },
    { size: 0 },
  ])('is refused if it can never succeed (%j)', async (fields) => {
    const { test: client } = await messaging.tenant();
    expectProblem(await client.post(PATH, { format: 'csv', onConflict: 'skip', size: 10, ...fields }), 422);
  });
});
