import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../infra/local/engines.ts';
import type { ByteStream, FileInfo } from '../../shared/domain/channels/whatsapp/media/ports.ts';
import { graphAddress, metaMediaApi } from '../../shared/providers/meta/media.ts';
import { type MediaPlay, startMetaMedia } from '../support/providers/meta-media-stand-in.ts';
import { use } from '../support/use.ts';

const meta = await use(startMetaMedia());

const io = { fetch: globalThis.fetch, now: () => Date.now() };
const number = () => ({ phoneNumberId: '106540352242922', accessToken: meta.accessToken });

async function* inPieces(bytes: Buffer, piece: number): ByteStream & AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
}
const upload = (bytes: Buffer, about: Partial<FileInfo> = {}, sender = number()) =>
  metaMediaApi(io, graphAddress({ baseUrl: meta.baseUrl })).upload(sender, inPieces(bytes, 1_000), {
    mimeType: 'application/pdf',
    filename: 'pedido.pdf',
    size: bytes.length,
    ...about,
  });

describe("an upload to the platform's media endpoint", () => {
  it('is one form whose file arrives byte by byte, behind its length', async () => {
    const bytes = Buffer.from(Array.from({ length: 10_001 }, (_, at) => (at * 31) % 256));
    expect(await upload(bytes)).toEqual({ kind: 'accepted', providerMessageId: meta.files.at(-1)?.id });
    expect(meta.files.at(-1)).toMatchObject({
      path: '/v24.0/106540352242922/media',
      fields: { messaging_product: 'whatsapp', type: 'application/pdf' },
      filename: 'pedido.pdf',
      mimeType: 'application/pdf',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(Number(meta.files.at(-1)?.length)).toBeGreaterThan(bytes.length);
  });

  it('carries any name, and no name breaks out of its header', async () => {
    for (const [filename, seen] of [
      ['Relatório – março.pdf', 'Relatório – março.pdf'],
      ['a"; name="type', 'a%22; name=%22type'],
      ['a\r\nx: y.pdf', 'a%0D%0Ax: y.pdf'],
    ] as const) {
      expect(await upload(Buffer.from('%PDF-'), { filename })).toMatchObject({ kind: 'accepted' });
      const decoded = meta.files.at(-1)?.filename ?? '';
      expect([seen, seen.replaceAll('%22', '"').replaceAll('%0D%0A', '\r\n')]).toContain(decoded);
      expect(meta.files.at(-1)?.fields.type).toBe('application/pdf');
    }
  });

  it('is refused without a token that the platform knows, and says nothing of the token', async () => {
    const answer = await upload(Buffer.from('%PDF-'), {}, { ...number(), accessToken: 'EAA-secret' });
    expect(answer).toMatchObject({ kind: 'refused', cause: 'credentials' });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it.each<[MediaPlay, object]>([
    [
      { status: 400, error: { code: 131_053 } },
      { kind: 'refused', cause: 'content' },
    ],
    [
      { status: 400, error: { code: 100 } },
      { kind: 'refused', cause: 'content' },
    ],
    [
      { status: 400, error: { code: 33 } },
      { kind: 'refused', cause: 'sender' },
    ],
    [
      { status: 403, error: { code: 200 } },
      { kind: 'refused', cause: 'credentials' },
    ],
    [
      { status: 400, error: { code: 130_429 } },
      { kind: 'refused', cause: 'throttled' },
    ],
    [{ status: 500, error: { code: 131_000, is_transient: true } }, { kind: 'unknown' }],
    ['malformed', { kind: 'unknown' }],
    ['reset', { kind: 'unknown' }],
  ])('means what the platform says: %j', async (play, meant) => {
    meta.script(play);
    expect(await upload(Buffer.from('%PDF-'))).toMatchObject(meant);
  });

  it('is certain not to have happened where nobody listens', async () => {
    const gone = metaMediaApi(io, graphAddress({ baseUrl: `http://127.0.0.1:${await freePort()}` }));
    const about = { mimeType: 'text/plain', filename: 'a.txt', size: 1 } as const;
    expect(await gone.upload(number(), inPieces(Buffer.from('a'), 1), about)).toMatchObject({
      kind: 'refused',
      cause: 'unavailable',
    });
  });

  it('goes to the address that Meta documents where the operator names none', () => {
    expect(graphAddress(undefined)).toEqual({ baseUrl: 'https://graph.facebook.com', version: 'v24.0' });
  });
});
