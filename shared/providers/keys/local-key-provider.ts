import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyProvider } from '../../domain/core/secrets.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
/** Prefix of every wrapped key; names provider and format, and is authenticated with it. */
const PREFIX = 'local.v1.';
const OWNER_ONLY = 0o600;
const ANYONE_ELSE = 0o077;

const isCode = (fault: unknown, code: string): boolean =>
  fault instanceof Error && 'code' in fault && fault.code === code;

/** Writes a temporary file and links it to its name, unless another process was first: a partial key is never visible. */
const create = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', OWNER_ONLY);
  try {
    await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (fault) {
    if (!isCode(fault, 'EEXIST')) throw fault;
  } finally {
    await rm(draft, { force: true });
  }
};

const read = async (path: string): Promise<KeyObject> => {
  const file = await open(path, 'r');
  try {
    const { mode } = await file.stat();
    // Windows reports all permission bits as set.
    if (process.platform !== 'win32' && (mode & ANYONE_ELSE) !== 0)
      throw new Error(`${path} is open to others; run chmod 600 on it`);
    const text = (await file.readFile('utf8')).trim();
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text)
      throw new Error(`${path} holds no 32-byte key`);
    return createSecretKey(bytes);
  } finally {
    await file.close();
  }
};

const readOrCreate = async (path: string): Promise<KeyObject> => {
  try {
    return await read(path);
  } catch (fault) {
    if (!isCode(fault, 'ENOENT')) throw fault;
  }
  await create(path);
  return read(path);
};

const wrap = (master: KeyObject, plaintext: Uint8Array): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, master, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(PREFIX));
  const parts = [nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
  return PREFIX + Buffer.concat(parts).toString('base64url');
};

const unwrap = (master: KeyObject, wrapped: string): Uint8Array => {
  const bytes = Buffer.from(wrapped.slice(PREFIX.length), 'base64url');
  if (!wrapped.startsWith(PREFIX) || bytes.length !== NONCE_BYTES + KEY_BYTES + TAG_BYTES)
    throw new Error('no key wrapped by a local master key');
  const decipher = createDecipheriv(CIPHER, master, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(PREFIX))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new Error('the key was altered, or wrapped under another local master key', { cause });
  }
};

/**
 * Wraps data keys with a master key in a file, for one machine without KMS. The file is created on first use, readable by its owner only.
 * One that others can read, or that has no valid key, is refused and never replaced: everything wrapped with it would be lost.
 */
export const localKeyProvider = (path: string): KeyProvider => {
  let master: Promise<KeyObject> | undefined;
  const masterKey = () => {
    master ??= readOrCreate(path).catch((fault: unknown) => {
      master = undefined;
      throw fault;
    });
    return master;
  };
  return {
    generate: async () => {
      const plaintext = randomBytes(KEY_BYTES);
      return { plaintext, wrapped: wrap(await masterKey(), plaintext) };
    },
    unwrap: async (wrapped) => unwrap(await masterKey(), wrapped),
  };
};
