import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { BrokenSeal, createVault } from '../../shared/domain/core/secrets.ts';
import { kmsKeyProvider } from '../../shared/providers/keys/kms-key-provider.ts';
import { localKeyProvider } from '../../shared/providers/keys/local-key-provider.ts';
import { type KmsStandIn, kmsError, startKms } from './kms-stand-in.ts';

const ROOT = Buffer.alloc(32, 7);
const vault = createVault(ROOT);
const PHONE = '+5511999991234';

/** Every text that differs from `text` by one bit of one byte. */
const flipped = (text: string) => {
  const bytes = Buffer.from(text, 'base64url');
  return Array.from(bytes, (byte, at) => {
    const altered = Buffer.from(bytes);
    altered[at] = byte ^ 1;
    return altered.toString('base64url');
  });
};

describe('the root key', () => {
  it('is 32 bytes and nothing else', () => {
    for (const length of [0, 16, 31, 33, 64]) expect(() => createVault(new Uint8Array(length))).toThrow(RangeError);
  });

  it('may be wiped once the vault is created', () => {
    const root = Buffer.from(ROOT);
    const made = createVault(root);
    root.fill(0);
    expect(made.sign('p', 't')).toBe(vault.sign('p', 't'));
  });
});

describe('a blind index', () => {
  it('never changes: stored rows are found by it', () => {
    expect(vault.blindIndex('org_a', 'phone', PHONE)).toBe(createVault(ROOT).blindIndex('org_a', 'phone', PHONE));
    expect(vault.blindIndex('org_a', 'phone', PHONE)).toMatchInlineSnapshot(
      `"C2_JO8dkBlvzt82cG00bP9Ke532EFwZvOJc73iwDLHA"`,
    );
  });

  it('differs by organization, kind, value and root key', () => {
    const all = [
      vault.blindIndex('org_a', 'phone', PHONE),
      vault.blindIndex('org_b', 'phone', PHONE),
      vault.blindIndex('org_a', 'email', PHONE),
      vault.blindIndex('org_a', 'phone', '+5511999991235'),
      createVault(Buffer.alloc(32, 8)).blindIndex('org_a', 'phone', PHONE),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const one of all) expect(one).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('of an e-mail ignores case and Unicode form', () => {
    const index = (address: string) => vault.blindIndex('org_a', 'email', address);
    expect(index('Jos\u00e9@Example.COM')).toBe(index('jose\u0301@example.com'));
  });

  it('stays the same when its organization’s key was evicted from the cache', () => {
    const first = vault.blindIndex('org_first', 'phone', PHONE);
    for (let at = 0; at < 10_050; at++) vault.blindIndex(`org_${at}`, 'phone', PHONE);
    expect(vault.blindIndex('org_first', 'phone', PHONE)).toBe(first);
  });
});

describe('a seal', () => {
  it('opens to what was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (text, organization, aad) => {
        expect(vault.open('cpf', organization, vault.seal('cpf', organization, text, aad), aad)).toBe(text);
      }),
      { seed: 20_260_302 },
    );
  });

  it('differs each time, and does not contain its text', () => {
    const [one, two] = [vault.seal('cpf', 'org_a', '29537995593', 'x'), vault.seal('cpf', 'org_a', '29537995593', 'x')];
    expect(one).not.toBe(two);
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('29537995593');
  });

  it('does not open for another purpose, organization, place or root key', () => {
    const sealed = vault.seal('cpf', 'org_a', 'text', 'cnt_1');
    expect(() => vault.open('cnpj', 'org_a', sealed, 'cnt_1')).toThrow(BrokenSeal);
    expect(() => vault.open('cpf', 'org_b', sealed, 'cnt_1')).toThrow(BrokenSeal);
    expect(() => vault.open('cpf', 'org_a', sealed, 'cnt_2')).toThrow(BrokenSeal);
    expect(() => createVault(Buffer.alloc(32, 8)).open('cpf', 'org_a', sealed, 'cnt_1')).toThrow(BrokenSeal);
  });

  it('does not open when purpose, organization and place are split differently', () => {
    const sealed = vault.seal('ab', 'c', 'text', 'd","e');
    expect(() => vault.open('a', 'bc', sealed, 'd","e')).toThrow(BrokenSeal);
    expect(() => vault.open('ab', 'c","d', sealed, 'e')).toThrow(BrokenSeal);
  });

  it('does not open when a bit is altered, nor when it is cut', () => {
    const sealed = vault.seal('cpf', 'org_a', 'a short text', 'x');
    for (const altered of flipped(sealed)) expect(() => vault.open('cpf', 'org_a', altered, 'x')).toThrow(BrokenSeal);
    for (const cut of ['', 'AQ', sealed.slice(0, 30), sealed.slice(0, -4), '!!!']) {
      expect(() => vault.open('cpf', 'org_a', cut, 'x')).toThrow(BrokenSeal);
    }
  });
});

describe('a signature', () => {
  it('is valid for its purpose and text alone', () => {
    const signature = vault.sign('cursor', 'text');
    expect(vault.verify('cursor', 'text', signature)).toBe(true);
    expect(vault.verify('link', 'text', signature)).toBe(false);
    expect(vault.verify('cursor', 'texT', signature)).toBe(false);
    for (const altered of flipped(signature)) expect(vault.verify('cursor', 'text', altered)).toBe(false);
  });

  it('is valid in one spelling alone', () => {
    const signature = vault.sign('cursor', 'text');
    const longer = [`${signature}=`, ` ${signature}`, `${signature}!`, `${signature}A`];
    for (const other of ['', 'x', ...longer, signature.slice(0, -1)])
      expect(vault.verify('cursor', 'text', other)).toBe(false);
  });
});

describe('the local key provider', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keys-'));
    path = join(directory, 'deep', 'master.key');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('unwraps after a restart what it wrapped before', async () => {
    const { plaintext, wrapped } = await localKeyProvider(path).generate();
    expect(plaintext.byteLength).toBe(32);
    expect(Buffer.from(await localKeyProvider(path).unwrap(wrapped))).toEqual(Buffer.from(plaintext));
    expect(Buffer.from(wrapped, 'latin1').includes(Buffer.from(plaintext).toString('base64url'))).toBe(false);
  });

  it('creates its file for the owner alone, without a temporary file left', async () => {
    await localKeyProvider(path).generate();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory, 'deep'))).toEqual(['master.key']);
  });

  it('uses one key in processes that start together', async () => {
    const providers = Array.from({ length: 20 }, () => localKeyProvider(path));
    const keys = await Promise.all(providers.map((provider) => provider.generate()));
    for (const { plaintext, wrapped } of keys) {
      expect(Buffer.from(await localKeyProvider(path).unwrap(wrapped))).toEqual(Buffer.from(plaintext));
    }
  });

  it.each([
    ['that others can read', `${randomBytes(32).toString('base64')}\n`, 0o644, 'open to others'],
    ['that is empty', '', 0o600, 'no 32-byte key'],
    ['of another length', randomBytes(16).toString('base64'), 0o600, 'no 32-byte key'],
    ['that is not base64', '?'.repeat(44), 0o600, 'no 32-byte key'],
  ])('refuses a file %s without changing it', async (_, text, mode, message) => {
    path = join(directory, 'master.key');
    await writeFile(path, text, { mode });
    await expect(localKeyProvider(path).generate()).rejects.toThrow(message);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('refuses what was altered, or wrapped under another key', async () => {
    const provider = localKeyProvider(path);
    const { wrapped } = await provider.generate();
    for (const altered of flipped(wrapped.slice('local.v1.'.length))) {
      await expect(provider.unwrap(`local.v1.${altered}`)).rejects.toThrow('altered');
    }
    const other = localKeyProvider(join(directory, 'other.key'));
    await expect(other.unwrap(wrapped)).rejects.toThrow('another local master key');
    await expect(provider.unwrap(wrapped.replace('local', 'kms'))).rejects.toThrow('no key wrapped');
    await expect(provider.unwrap('')).rejects.toThrow('no key wrapped');
  });
});

describe('the KMS key provider', () => {
  const keyId = 'arn:aws:kms:sa-east-1:111122223333:key/messaging';
  const context = { purpose: 'root-key', stage: 'test' };
  let kms: KmsStandIn;
  const provider = (settings: object = {}) =>
    kmsKeyProvider({ keyId, context, endpoint: kms.endpoint, region: 'sa-east-1', timeoutMs: 10_000, ...settings });
  beforeEach(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'stand-in');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'stand-in');
    kms = await startKms(keyId);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await kms.close();
  });

  it('unwraps in another process what it wrapped, with its encryption context', async () => {
    const { plaintext, wrapped } = await provider().generate();
    expect(Buffer.from(await provider().unwrap(wrapped))).toEqual(Buffer.from(plaintext));
    expect(kms.calls.map(({ operation, request }) => [operation, request.KeyId, request.EncryptionContext])).toEqual([
      ['GenerateDataKey', keyId, context],
      ['Decrypt', keyId, context],
    ]);
  });

  it('refuses a key of another context or provider, and an altered one', async () => {
    const { wrapped } = await provider().generate();
    const invalid = { name: 'InvalidCiphertextException' };
    await expect(provider({ context: { ...context, stage: 'live' } }).unwrap(wrapped)).rejects.toMatchObject(invalid);
    const altered = `kms.v1.${flipped(wrapped.slice('kms.v1.'.length))[20]}`;
    await expect(provider().unwrap(altered)).rejects.toMatchObject(invalid);
    await expect(provider().unwrap(wrapped.replace('kms', 'local'))).rejects.toThrow('no key wrapped by KMS');
    const other = provider({ keyId: 'arn:aws:kms:sa-east-1:111122223333:key/other' });
    await expect(other.generate()).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  it('retries after a temporary error', async () => {
    kms.faults.push(kmsError(400, 'ThrottlingException'), kmsError(500, 'KMSInternalException'));
    expect((await provider().generate()).plaintext.byteLength).toBe(32);
    expect(kms.calls).toHaveLength(3);
  });

  it('fails as unavailable when KMS keeps failing, does not answer or cannot be reached', async () => {
    kms.faults.push(...Array.from({ length: 3 }, () => kmsError(500, 'KMSInternalException')));
    await expect(provider().generate()).rejects.toBeInstanceOf(Unavailable);
    kms.faults.push('silence', 'silence', 'silence');
    await expect(provider({ timeoutMs: 100 }).generate()).rejects.toBeInstanceOf(Unavailable);
    await expect(provider({ endpoint: 'http://127.0.0.1:1' }).generate()).rejects.toBeInstanceOf(Unavailable);
  });
});
