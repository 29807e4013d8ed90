import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../infra/local/engines.ts';
import type { ByteStream, FileInfo } from '../../shared/domain/channels/whatsapp/media/ports.ts';
import { graphAddress, metaMediaApi } from '../../shared/providers/meta/media.ts';
import { networkIo } from '../support/providers/io.ts';
import { type MediaPlay, startMetaMedia } from '../support/providers/meta-media-stand-in.ts';
import { use } from '../support/use.ts';

const meta = await use(startMetaMedia());

const io = networkIo(Date.now);
const number = () => ({ phoneNumberId: '106540352242922', accessToken: meta.accessToken });

async function* inParts(bytes: Buffer, size: number): ByteStream & AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const upload = (bytes: Buffer, about: Partial<FileInfo> = {}, sender = number()) =>
  metaMediaApi(io, graphAddress({ baseUrl: meta.baseUrl })).upload(sender, inParts(bytes, 1_000), {
    mimeType: 'application/pdf',
    filename: 'pedido.pdf',
    size: bytes.length,
    ...about,
  });

describe("an upload to Meta's media endpoint", () => {
  it('is one form whose file arrives unchanged, with its content-length', async () => {
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

  it('sends any file name, and none breaks out of its header', async () => {
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

  it('is refused with an invalid token, without repeating the token', async () => {
    const answer = await upload(Buffer.from('%PDF-'), {}, { ...number(), accessToken: 'EAA-secret' });
    expect(answer).toMatchObject({ kind: 'refused', cause: 'credentials' });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it.each([
    [400, 131_053, 'content'],
    [400, 100, 'content'],
    [400, 33, 'sender'],
    [403, 200, 'credentials'],
    [400, 130_429, 'throttled'],
  ])('that Meta answers with HTTP %i and code %i is refused: %s', async (status, code, cause) => {
    meta.script({ status, error: { code } });
    expect(await upload(Buffer.from('%PDF-'))).toMatchObject({ kind: 'refused', cause });
  });

  it.each<MediaPlay>([{ status: 500, error: { code: 131_000, is_transient: true } }, 'malformed', 'reset'])(
    'has an unknown outcome after %j',
    async (play) => {
      meta.script(play);
      expect(await upload(Buffer.from('%PDF-'))).toMatchObject({ kind: 'unknown' });
    },
  );

  it('is refused as unavailable if nothing is listening', async () => {
    const gone = metaMediaApi(io, graphAddress({ baseUrl: `http://127.0.0.1:${await freePort()}` }));
    const about = { mimeType: 'text/plain', filename: 'a.txt', size: 1 } as const;
    expect(await gone.upload(number(), inParts(Buffer.from('a'), 1), about)).toMatchObject({
      kind: 'refused',
      cause: 'unavailable',
    });
  });

  it('goes to the documented address of Meta by default', () => {
    expect(graphAddress(undefined)).toEqual({ baseUrl: 'https://graph.facebook.com', version: 'v24.0' });
  });
});
