import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { mediaStore } from '../../shared/storage/whatsapp/media.ts';
import { FILES, filled, OTHERS } from '../media/files.ts';
import { useMediaNumbers } from '../media/setup.ts';
import { upload, uploadRaw } from '../support/media.ts';
import { expectProblem } from '../support/problems.ts';
import { wireClient } from '../support/wire.ts';

const KB = 1024;
const MB = 1024 * KB;

const { messaging, meta, owner, live, sandbox } = await useMediaNumbers();

const toLive = (bytes: Buffer, fields: object = {}) => upload(owner.live, live, bytes, fields);
const toSandbox = (bytes: Buffer, fields: object = {}) => upload(owner.test, sandbox, bytes, fields);
const rawToSandbox = (bytes: Buffer, options: Parameters<typeof uploadRaw>[3] = {}) =>
  uploadRaw(owner.test, sandbox, bytes, options);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const jsonOf = (bytes: Buffer): Buffer =>
  Buffer.from(JSON.stringify({ filename: 'a.pdf', mimeType: 'application/pdf', dataBase64: bytes.toString('base64') }));
const mediaRows = async (env: 'live' | 'test') =>
  (await messaging.rowsOf(env, owner.id)).filter(({ pk }) => pk.startsWith('MEDIA#'));

describe('media in base64', () => {
  test('reaches Meta byte for byte and is answered with its id, real type, size and hash', async () => {
    const bytes = filled(FILES.pdf, 200_000);
    const { status, body } = await toLive(bytes, { filename: 'pedido nº 1.pdf', mimeType: 'image/png' });
    const file = meta.files.at(-1);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        mediaId: file?.id,
        kind: 'document',
        mimeType: 'application/pdf',
        filename: 'pedido nº 1.pdf',
        size: bytes.length,
        sha256: sha256(bytes),
      },
    });
    expect(file).toMatchObject({ filename: 'pedido nº 1.pdf', mimeType: 'application/pdf', sha256: sha256(bytes) });
  });

  test('may be wrapped at 76 columns', async () => {
    const bytes = filled(FILES.jpeg, 100_000);
    const wrapped = bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
    const { status, body } = await toSandbox(bytes, { dataBase64: wrapped });
    expect({ status, hash: body.sha256, kind: body.kind }).toEqual({ status: 201, hash: sha256(bytes), kind: 'image' });
  });

  test('is marked as voice when it is Ogg/Opus with one channel, and not with two', async () => {
    expect((await toSandbox(FILES.monoOpus)).body).toMatchObject({ kind: 'audio', voice: true });
    expect((await toSandbox(FILES.stereoOpus)).body).not.toHaveProperty('voice');
  });

  test('is 422 with the position of the first character that is not base64, which is not repeated', async () => {
    const dataBase64 = `${FILES.pdf.toString('base64').slice(0, 20)}<script>`;
    const answer = await toSandbox(FILES.pdf, { dataBase64 });
    expectProblem(answer, 422, { errors: ['dataBase64'], meta: { position: 20 }, sent: 'script' });
  });

  test.each([
    ['no JSON', '{"filename": ', 400],
    ['an array', '[]', 422],
    ['no data', JSON.stringify({ filename: 'a', mimeType: 'text/plain' }), 422],
    ['no name', JSON.stringify({ mimeType: 'text/plain', dataBase64: 'YQ==' }), 422],
    ['a name with a folder', JSON.stringify({ filename: '../a', mimeType: 'text/plain', dataBase64: 'YQ==' }), 422],
    ['a name with a line break', JSON.stringify({ filename: 'a\nb', mimeType: 'text/plain', dataBase64: 'YQ==' }), 422],
    ['data that is a number', JSON.stringify({ filename: 'a', mimeType: 'text/plain', dataBase64: 5 }), 422],
    ['data that is empty', JSON.stringify({ filename: 'a', mimeType: 'text/plain', dataBase64: '' }), 422],
    ['an unknown field', JSON.stringify({ filename: 'a', mimeType: 'text/plain', dataBase64: 'YQ==', x: 1 }), 422],
    ['data given twice', '{"filename":"a","mimeType":"b","dataBase64":"YQ==","dataBase64":"YQ=="}', 422],
  ])('is refused with %s', async (_, body, status) => {
    expectProblem(await owner.test.post(`/numbers/${sandbox}/media`, body), status);
  });

  test('is 400 with another content type', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectProblem(await owner.test.call('POST', `/numbers/${sandbox}/media`, { body: '{}', headers }), 400);
  });
});

describe('media as bytes', () => {
  test.each([
    ['in the query', '?filename=pedido.pdf', {}],
    ['in the header', '', { 'x-filename': encodeURIComponent('pedido.pdf') }],
  ])('is named %s', async (_, query, headers) => {
    const bytes = filled(FILES.pdf, 100_000);
    const { status, body } = await uploadRaw(owner.live, live, bytes, { query, headers });
    expect({ status, filename: body.filename, hash: body.sha256 }).toEqual({
      status: 201,
      filename: 'pedido.pdf',
      hash: sha256(bytes),
    });
    expect(meta.files.at(-1)?.sha256).toBe(sha256(bytes));
  });

  test('is 422 without a filename or with an invalid one', async () => {
    for (const [query, headers] of [
      ['', {}],
      ['?filename=a%2Fb', {}],
      ['', { 'x-filename': '%zz' }],
    ] as const)
      expectProblem(await rawToSandbox(FILES.pdf, { query, headers }), 422, { errors: ['filename'] });
  });

  test.each(['multipart/form-data; boundary=x', 'application/json', 'application/x-www-form-urlencoded'])(
    'is 415 as %s: its framing would become part of the file',
    async (type) => {
      const form = Buffer.from('--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nOi\r\n--x--\r\n');
      expectProblem(await rawToSandbox(form, { headers: { 'content-type': type } }), 415);
    },
  );

  test('is 415 without a content type: a gateway would take the bytes for text', async () => {
    const wire = wireClient(messaging.url);
    const headers = ['Authorization', `Bearer ${owner.test.key}`];
    const target = `/numbers/${sandbox}/media/binary?filename=a`;
    const answer = await wire.send({ method: 'POST', target, headers, body: FILES.pdf });
    wire.close();
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test.each(['Application/Octet-Stream; charset=binary', 'text/plain; charset=utf-8', 'image/jpg'])(
    'may be declared as %s: its type is detected from the bytes',
    async (type) => {
      const headers = { 'content-type': type };
      const { status, body } = await rawToSandbox(FILES.pdf, { headers });
      expect({ status, mimeType: body.mimeType }).toEqual({ status: 201, mimeType: 'application/pdf' });
    },
  );

  test('is 422 without a byte', async () => {
    expectProblem(await rawToSandbox(Buffer.alloc(0)), 422);
  });
});

describe('a media type', () => {
  test.each(Object.entries(OTHERS).filter(([, bytes]) => bytes.length > 0))(
    'that Meta does not accept is 415: %s',
    async (_, bytes) => {
      expectProblem(await rawToSandbox(bytes, { headers: { 'content-type': 'image/png' } }), 415);
    },
  );

  test.each([
    ['a picture', FILES.jpeg, 5 * MB],
    ['a sound', FILES.mp3, 16 * MB],
    ['a sticker', FILES.stillWebp, 100 * KB],
    ['a sticker that moves', FILES.movingWebp, 500 * KB],
  ])('is accepted up to its limit and not a byte beyond: %s', async (_, head, most) => {
    expect((await rawToSandbox(filled(head, most))).status).toBe(201);
    expectProblem(await rawToSandbox(filled(head, most + 1)), 413);
    if (most < MB) expectProblem(await toSandbox(filled(head, most + 1)), 413);
  });
});

test('a body beyond the limit of the path is 413 with code BAD_REQUEST and names the upload operation, before it is sent', async () => {
  const wire = wireClient(messaging.url);
  for (const [path, length] of [
    [`/numbers/${sandbox}/media`, 150_000_001],
    [`/numbers/${sandbox}/media/binary?filename=a`, 105_000_001],
  ] as const) {
    const headers = [
      'Authorization',
      `Bearer ${owner.test.key}`,
      'Content-Length',
      String(length),
      'Content-Type',
      'application/json',
    ];
    const answer = await wire.send({ method: 'POST', target: path, headers });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({
      code: 'BAD_REQUEST',
      detail: expect.stringContaining('/numbers/{numberId}/media/uploads'),
    });
  }
  wire.close();
});

test.each([
  ['raw', '/binary?filename=a.pdf', (bytes: Buffer) => bytes],
  ['in base64', '', (bytes: Buffer) => jsonOf(bytes)],
])('an upload that breaks off leaves no row, and nothing of it reaches Meta: %s', async (_, path, bodyOf) => {
  const [rows, files] = [await mediaRows('live'), meta.files.length];
  const body = bodyOf(filled(FILES.pdf, 300_000));
  const sending = request(`${messaging.url}/numbers/${live}/media${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.live.key}`,
      'content-type': path === '' ? 'application/json' : 'application/octet-stream',
      'content-length': body.length,
    },
  });
  sending.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => void sending.once('close', resolve));
  sending.write(body.subarray(0, -1), () => sending.destroy());
  await closed;
  // A further upload is served only after the service has dealt with the first.
  expect((await toLive(FILES.jpeg)).status).toBe(201);
  expect(meta.files.slice(files).map(({ mimeType }) => mimeType)).toEqual(['image/jpeg']);
  expect(await mediaRows('live')).toHaveLength(rows.length + 1);
});

describe('Meta', () => {
  test.each([
    ['refuses the file', { status: 400, error: { code: 131_053 } }],
    ['fails', { status: 500, error: { code: 131_000 } }],
    ['hangs up', 'reset'],
    ['answers nonsense', 'malformed'],
  ] as const)('that %s gives 502, and nothing is stored', async (_, play) => {
    const before = await mediaRows('live');
    meta.script(play);
    expectProblem(await toLive(FILES.pdf), 502);
    expect(await mediaRows('live')).toEqual(before);
  });

  test('receives nothing of a file that is refused for its last byte', async () => {
    const before = meta.files.length;
    const text = filled(FILES.pdf, 300_000).toString('base64');
    expectProblem(await toLive(FILES.pdf, { dataBase64: `${text.slice(0, -1)}!` }), 422);
    expect(meta.files).toHaveLength(before);
  });

  test('is never called from the test environment, where the same file gets the same id', async () => {
    const before = meta.files.length;
    const [first, second] = [await toSandbox(FILES.pdf), await toSandbox(FILES.pdf)];
    const other = await toSandbox(FILES.text);
    expect(first.body.mediaId).toMatch(/^\d{16}$/);
    expect(second.body.mediaId).toBe(first.body.mediaId);
    expect(other.body.mediaId).not.toBe(first.body.mediaId);
    expect(meta.files).toHaveLength(before);
  });
});

describe('the record of media', () => {
  test('stores the response for 30 days, and none of the bytes', async () => {
    const { body } = await toLive(FILES.monoOpus, { filename: 'recado.ogg' });
    const row = (await mediaRows('live')).find(({ mediaId }) => mediaId === body.mediaId);
    const { pk: _pk, sk: _sk, org, numberId, storedAt, expiresAt, ttl, ...stored } = row as Row;
    expect(stored).toEqual(body);
    expect({ org, numberId }).toEqual({ org: owner.id, numberId: live });
    expect(Date.parse(String(expiresAt)) - Date.parse(String(storedAt))).toBe(30 * 86_400_000);
    expect(ttl).toBe(Math.ceil(Date.parse(String(expiresAt)) / 1000));
  });

  test('is found until it expires, by its own organization only', async () => {
    const { mediaId } = (await toLive(FILES.jpeg)).body;
    const end = Date.parse(String((await mediaRows('live')).find((row) => row.mediaId === mediaId)?.expiresAt));
    const { find } = mediaStore(messaging.tables.live);
    expect(await find(owner.id, mediaId, end - 1)).toMatchObject({ mediaId, kind: 'image' });
    expect(await find(owner.id, mediaId, end)).toBeUndefined();
    expect(await find(newId('organization'), mediaId, end - 1)).toBeUndefined();
  });

  test('is one per filename for the same bytes, also in the sandbox', async () => {
    const [first, second] = [
      await toSandbox(FILES.docx, { filename: 'a.docx' }),
      await toSandbox(FILES.docx, { filename: 'b.docx' }),
    ];
    const named = async (mediaId: string) => (await mediaRows('test')).find((row) => row.mediaId === mediaId)?.filename;
    expect([await named(first.body.mediaId), await named(second.body.mediaId)]).toEqual(['a.docx', 'b.docx']);
  });
});

test('a number of another organization or environment is 404 like one that does not exist, before the body is read', async () => {
  const stranger = await messaging.tenant();
  for (const [client, id] of [
    [stranger.test, sandbox],
    [owner.live, sandbox],
    [owner.test, live],
    [owner.test, `num_${'0'.repeat(21)}`],
  ] as const) {
    expectProblem(await upload(client, id, OTHERS.gif as Buffer), 404);
    expectProblem(await uploadRaw(client, id, OTHERS.gif as Buffer, { query: '' }), 404);
    const started = { filename: 'a.pdf', mimeType: 'application/pdf', size: 1 };
    expectProblem(await client.post(`/numbers/${id}/media/uploads`, started), 404);
  }
});
