import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Spool } from '../../domain/channels/whatsapp/media/ports.ts';

const READ_BYTES = 256 * 1024;

/**
 * A spool in a temporary file. The file is unlinked right after it is opened: it vanishes with the process, however that ends, and no other
 * process can open it.
 */
export const openFileSpool = async (): Promise<Spool> => {
  const folder = await mkdtemp(join(tmpdir(), 'upload-'));
  const file = await open(join(folder, 'file'), 'wx+', 0o600);
  await rm(folder, { recursive: true, force: true });
  let size = 0;
  return {
    write: async (chunk) => {
      let written = 0;
      while (written < chunk.length)
        written += (await file.write(chunk, written, chunk.length - written, size + written)).bytesWritten;
      size += chunk.length;
    },
    read: async function* () {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.read(buffer, 0, READ_BYTES, at);
        if (bytesRead === 0) throw new Error('the spool ended early');
        at += bytesRead;
        // A copy, because the buffer is reused for the next read.
        yield Uint8Array.prototype.slice.call(buffer, 0, bytesRead);
      }
    },
    discard: () => file.close(),
  };
};
