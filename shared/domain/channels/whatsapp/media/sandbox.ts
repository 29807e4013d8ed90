import { createHash } from 'node:crypto';
import type { MetaMediaApi } from './ports.ts';

/** Digits of Meta's media ids. */
const DIGITS = 16;

/**
 * Meta's media API in the sandbox: reads the file, stores nothing, and derives an id in Meta's format from number, name, type and contents,
 * so that an id always refers to the same file.
 */
export const sandboxMediaApi: MetaMediaApi = {
  upload: async ({ phoneNumberId }, file, { filename, mimeType }) => {
    const hash = createHash('sha256').update(`${phoneNumberId}\n${filename}\n${mimeType}\n`);
    for await (const chunk of file) hash.update(chunk);
    const digits = BigInt(`0x${hash.digest('hex')}`)
      .toString()
      .slice(0, DIGITS)
      .padStart(DIGITS, '1');
    return { kind: 'accepted', providerMessageId: digits };
  },
};
