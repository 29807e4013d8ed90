import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { uploadBucketName } from '../../infra/local/stages.ts';
import { MAX_CARD_FILES } from '../../shared/domain/activities/card-file.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { cardFileBucket } from '../../shared/storage/activities/card-file-bucket.ts';
import { cardFileStore } from '../../shared/storage/activities/card-files.ts';
import { bucketClient } from '../../shared/storage/client/bucket-client.ts';
import { tombstoneWrite } from '../../shared/storage/crm/tombstones.ts';
import { FILES, filled } from '../media/files.ts';
import type { Client, Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const BYTES = filled(FILES.pdf, 100_000);
const ABOUT = { nome: 'Proposta São João.pdf', mimeType: 'application/pdf', tamanho: BYTES.length };

let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  tenant = await messaging.tenant();
  client = tenant.test;
});
const table = messaging.tables.test;
const makeCard = async (): Promise<Id<'card'>> => {
  const id = newId('card');
  await table.write({ put: { ...KEYS.card(id), org: tenant.id } });
  return id;
};
const put = async (url: string, bytes: Buffer, type = 'application/pdf') =>
  (await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: new Uint8Array(bytes) })).status;
const begin = (card: string, about: object = {}) => client.post(`/cards/${card}/files/uploads`, { ...ABOUT, ...about });
const register = (card: string, uploadId: string) => client.post(`/cards/${card}/files`, { uploadId });
/** A file that is registered. */
const upload = async (card: string, about: object = {}, bytes = BYTES) => {
  const { body } = await begin(card, { tamanho: bytes.length, ...about });
  expect(await put(body.url, bytes, body.headers['content-type'])).toBe(200);
  return { address: body, ...(await register(card, body.uploadId)) };
};
const objects = (url: string) => cardFileBucket(bucketClient(new URL(url).origin), uploadBucketName('test'));

describe('a file of a card', () => {
  test('is uploaded, listed, saved under its name, and deleted with its bytes', async () => {
    const card = await makeCard();
    const { address, status, body: file } = await upload(card);
    const sha256 = createHash('sha256').update(BYTES).digest('hex');
    expect({ status, file }).toEqual({
      status: 201,
      file: {
        id: expect.stringMatching(/^arq_/),
        cardId: card,
        ...ABOUT,
        sha256,
        criadoPorId: expect.stringMatching(/^key_/),
        createdAt: expect.any(String),
      },
    });
    expect((await client.get(`/cards/${card}/files`)).body).toEqual({ items: [file], total: 1 });
    const { body: download } = await client.get(`/cards/${card}/files/${file.id}/download`);
    const saved = await fetch(download.url);
    expect(saved.headers.get('content-disposition')).toBe(
      `attachment; filename="Proposta Sao Joao.pdf"; filename*=UTF-8''Proposta%20S%C3%A3o%20Jo%C3%A3o.pdf`,
    );
    expect(saved.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await saved.arrayBuffer())).toEqual(BYTES);
    expect((await client.call('DELETE', `/cards/${card}/files/${file.id}`)).status).toBe(204);
    expect((await client.get(`/cards/${card}/files`)).body).toEqual({ items: [], total: 0 });
    expect((await fetch(download.url)).status).toBe(404);
    expectProblem(await client.get(`/cards/${card}/files/${file.id}/download`), 404);
    expectProblem(await register(card, address.uploadId), 404);
  });

  test('is registered once by a repeat and by five concurrent calls', async () => {
    const card = await makeCard();
    const { body } = await begin(card);
    await put(body.url, BYTES);
    const answers = await Promise.all(Array.from({ length: 5 }, () => register(card, body.uploadId)));
    const [first] = answers;
    for (const answer of [...answers, await register(card, body.uploadId)])
      expect([answer.status, answer.body]).toEqual([201, first?.body]);
    expect((await client.get(`/cards/${card}/files`)).body.total).toBe(1);
  });

  test('stays as checked, even if somebody still has the address of its upload', async () => {
    const card = await makeCard();
    const { address, body: file } = await upload(card);
    await put(address.url, filled(Buffer.from('<script>'), BYTES.length));
    const { body: download } = await client.get(`/cards/${card}/files/${file.id}/download`);
    expect(Buffer.from(await (await fetch(download.url)).arrayBuffer())).toEqual(BYTES);
  });

  test('of bytes that differ from the declaration is 422, and its bytes are deleted', async () => {
    const card = await makeCard();
    const { address, ...answer } = await upload(card, {}, filled(FILES.png, 5_000));
    expectProblem(answer, 422, { errors: ['uploadId'] });
    expect(await objects(address.url).read(`card-uploads/${tenant.id}/${address.uploadId}`, 10_000)).toBeUndefined();
    expectProblem(await register(card, address.uploadId), 409);
    expect((await client.get(`/cards/${card}/files`)).body.total).toBe(0);
  });

  test('is refused before any byte by its type, its size and its name', async () => {
    const card = await makeCard();
    expectProblem(await begin(card, { mimeType: 'text/html' }), 415);
    expectProblem(await begin(card, { tamanho: 25 * 1024 * 1024 + 1 }), 413);
    expect((await begin(card, { tamanho: 25 * 1024 * 1024 })).status).toBe(201);
    expectProblem(await begin(card, { nome: '' }), 422);
    const separators = ['a/b.pdf', 'a\\b.pdf', 'a\r\nb.pdf', 'a\u0085.pdf', '../a.pdf', 'a\u202efdp.exe'];
    for (const nome of [...separators, '.', '..', ' .. ', 'x'.repeat(201)])
      expectProblem(await begin(card, { nome }), 422, { errors: ['nome'] });
    for (const nome of ['...', '.env', 'a..b.pdf']) expect((await begin(card, { nome })).status).toBe(201);
    expectProblem(await begin(newId('card')), 404);
  });

  test('is 409 while nothing was uploaded', async () => {
    const card = await makeCard();
    const { body } = await begin(card);
    expectProblem(await register(card, body.uploadId), 409);
  });

  test('of an upload of another card or organization is 404', async () => {
    const [card, other] = [await makeCard(), await makeCard()];
    const { body } = await begin(card);
    await put(body.url, BYTES);
    expectProblem(await register(other, body.uploadId), 404);
    const stranger = (await messaging.tenant()).test;
    expectProblem(await stranger.post(`/cards/${card}/files`, { uploadId: body.uploadId }), 404);
  });
});

describe('a card', () => {
  test('has a limited number of files, even with twenty concurrent registrations', async () => {
    const card = await makeCard();
    await table.write({ put: { ...KEYS.cardFileCount(card), count: MAX_CARD_FILES - 3 } });
    const uploads = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { body } = await begin(card);
        await put(body.url, BYTES);
        return String(body.uploadId);
      }),
    );
    const answers = await Promise.all(uploads.map((id) => register(card, id)));
    const refused = answers.filter(({ status }) => status === 409);
    expect([answers.length - refused.length, refused.length]).toEqual([3, 17]);
    for (const { body } of refused) expect(body.meta).toEqual({ code: 'LIMITE_DE_ARQUIVOS', limite: MAX_CARD_FILES });
    expect((await client.get(`/cards/${card}/files`)).body.total).toBe(3);
  });

  test('that is deleted also deletes its files, their bytes and its activities', async () => {
    const card = await makeCard();
    const { address, body: file } = await upload(card);
    const { body: activity } = await client.post('/activities', { tipo: 'ligacao', titulo: 'Ligar', cardId: card });
    await table.transact([
      { delete: KEYS.card(card) },
      tombstoneWrite({ organizationId: tenant.id, id: card, at: Date.now() }),
    ]);
    expectProblem(await client.get(`/cards/${card}/files`), 404);
    expectProblem(await client.get(`/activities/${activity.id}`), 404);
    expect((await client.get('/activities', { cardId: card })).body).toEqual({ items: [], total: 0 });
    const key = `cards/${tenant.id}/${card}/${file.id}`;
    await vi.waitFor(
      async () => {
        expect(await objects(address.url).read(key, 1_000_000)).toBeUndefined();
        expect(await table.queryAll({ partition: KEYS.card(card).pk, consistent: true })).toEqual([]);
        expect(await table.get(KEYS.activity(activity.id))).toBeUndefined();
      },
      { timeout: 60_000, interval: 250 },
    );
  });
});

describe('an upload that is never registered', () => {
  test('is deleted with its bytes once it expired', async () => {
    const card = await makeCard();
    const { body } = await begin(card);
    await put(body.url, BYTES);
    const store = cardFileStore(table);
    const found = (await store.readUpload(body.uploadId)) ?? expect.fail('an upload');
    await store.begin({ ...found, expiresAt: Date.now() - 120_000 });
    expectProblem(await register(card, body.uploadId), 404);
    await vi.waitFor(
      async () => {
        expect(await store.readUpload(body.uploadId)).toBeUndefined();
        expect(await objects(body.url).read(`card-uploads/${tenant.id}/${body.uploadId}`, 1_000_000)).toBeUndefined();
      },
      { timeout: 60_000, interval: 250 },
    );
  });
});
