import { beforeAll, describe, expect, test } from 'vitest';
import { createOrganization, operatorOf } from '../../infra/provisioning/organizations.ts';
import { authenticate } from '../../shared/domain/access/credentials.ts';
import {
  createKey,
  type IssuedKey,
  KEY_SCOPES,
  keyView,
  revokeKey,
  rotateKey,
} from '../../shared/domain/access/keys.ts';
import { hashSecret, newSecret, parseSecret } from '../../shared/domain/access/secrets.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { isRefusal, type Refusal, Unavailable } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { SCOPES, type Scope } from '../../shared/domain/core/scopes.ts';
import { credentialReader } from '../../shared/storage/access/credentials.ts';
import { keyStore } from '../../shared/storage/access/keys.ts';
import { outbox } from '../../shared/storage/work/outbox.ts';
import { accessPlatform } from '../support/access.ts';
import { FAULTS, startFaultProxy } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';

const HOUR = 3600 * 1000;
const NOW = Date.parse('2026-03-02T12:00:00.000Z');

let organizationId: Id<'organization'>;
let keys: Readonly<Record<Environment, string>>;
const platform = await use(accessPlatform());
beforeAll(async () => {
  ({ organizationId, keys } = await createOrganization(platform.tables, { name: 'Loja Azul' }));
});

const store = (env: Environment = 'test') => keyStore(platform.tables[env]);
const bearer = (text: string) => `Bearer ${text}`;
const holder = (scopes: readonly Scope[], env: Environment = 'test') => ({
  organizationId,
  env,
  scopes: new Set(scopes),
});
const allowed = <T>(outcome: T | Refusal): T => {
  if (isRefusal(outcome)) throw new Error(`${outcome.name}: ${outcome.details.detail}`);
  return outcome;
};
const refused = (outcome: unknown) => (isRefusal(outcome) ? outcome.name : 'allowed');
const issue = async (wish: { scopes?: readonly string[]; expiresAt?: number } = {}): Promise<IssuedKey> =>
  allowed(
    await createKey(store(), operatorOf(organizationId, 'test'), { name: 'A key', scopes: ['sms:send'], ...wish }, NOW),
  );
const rotate = (id: Id<'apiKey'>, overlapHours: number | undefined, now = NOW) =>
  rotateKey(store(), operatorOf(organizationId, 'test'), { id, overlapHours }, now);

describe('a credential', () => {
  test('tells its kind and environment by its prefix, and is read in no other shape', () => {
    for (const kind of ['key', 'session'] as const)
      for (const env of ['live', 'test'] as const)
        expect(parseSecret(newSecret(kind, env).text)).toEqual({ kind, env });
    const { text } = newSecret('key', 'test');
    for (const bad of [
      text.slice(0, 40),
      `${text}-`,
      ` ${text}`,
      `${text}\n`,
      text.toUpperCase(),
      text.replace('test', 'prod'),
      '',
      'svc_test_',
    ])
      expect(parseSecret(bad)).toBeUndefined();
  });

  test('carries at least 32 random base62 characters', () => {
    const made = new Set(Array.from({ length: 1000 }, () => newSecret('key', 'live').text));
    expect(made.size).toBe(1000);
    for (const text of made) expect(text).toMatch(/^svc_live_[0-9A-Za-z]{32,}$/);
  });
});

describe('the authorizer', () => {
  test('lets a key into every route of its own stage with its organization, environment and scopes', async () => {
    const answer = await platform.knock('test', bearer(keys.test));
    expect(answer?.context).toMatchObject({ organizationId, env: 'test', kind: 'key', scopes: KEY_SCOPES.join(' ') });
    expect(answer?.policyDocument.Statement).toEqual([
      {
        Action: 'execute-api:Invoke',
        Effect: 'Allow',
        Resource: 'arn:aws:execute-api:us-east-1:000000000000:api/stage/*/*',
      },
    ]);
  });

  test("refuses the other environment's credentials", async () => {
    expect(await platform.knock('test', bearer(keys.live))).toBeUndefined();
    expect(await platform.knock('live', bearer(keys.test))).toBeUndefined();
    expect(await platform.knock('live', bearer(keys.live))).toBeDefined();
  });

  test('refuses whatever is not exactly one Bearer credential', async () => {
    const bad = [
      undefined,
      '',
      keys.test,
      'Bearer',
      'Bearer ',
      `Bearer  ${keys.test}`,
      `Bearer ${keys.test} `,
      `Basic ${keys.test}`,
      `Bearer ${keys.test},Bearer ${keys.test}`,
      bearer(newSecret('key', 'test').text),
    ];
    for (const header of bad) expect(await platform.knock('test', header)).toBeUndefined();
    expect(await platform.knock('test', `bearer ${keys.test}`)).toBeDefined();
  });

  test('refuses a key from its expiry on', async () => {
    const { secret } = await issue({ expiresAt: NOW + HOUR });
    expect(await platform.knock('test', bearer(secret.text), NOW + HOUR - 1)).toBeDefined();
    expect(await platform.knock('test', bearer(secret.text), NOW + HOUR)).toBeUndefined();
  });
});

describe('a key', () => {
  test('grants no scope that its creator lacks', async () => {
    const outcome = await createKey(
      store(),
      holder(['keys:write', 'sms:read']),
      { name: 'x', scopes: ['sms:read', 'sms:send'] },
      NOW,
    );
    expect(refused(outcome)).toBe('FORBIDDEN');
    expect(
      refused(await createKey(store(), holder(['keys:write', 'sms:read']), { name: 'x', scopes: ['sms:read'] }, NOW)),
    ).toBe('allowed');
  });

  test("never carries a scope of a person's session, nor an unknown one, nor none", async () => {
    for (const scopes of [['contacts:pii'], ['sms:send', 'contacts:pii'], ['sms:fly'], []])
      expect(refused(await createKey(store(), holder(SCOPES), { name: 'x', scopes }, NOW))).toBe('VALIDATION_ERROR');
  });

  test('must expire in the future', async () => {
    const outcome = await createKey(store(), holder(SCOPES), { name: 'x', scopes: ['sms:send'], expiresAt: NOW }, NOW);
    expect(refused(outcome)).toBe('VALIDATION_ERROR');
  });

  test('is not rotated by a caller that lacks one of its scopes: the answer would show a stronger secret', async () => {
    const { key } = await issue({ scopes: ['sms:send', 'crm:delete'] });
    expect(refused(await rotateKey(store(), holder(['keys:write', 'sms:send']), { id: key.id }, NOW))).toBe(
      'FORBIDDEN',
    );
  });

  test('of another organization or environment is as if it did not exist', async () => {
    const { key } = await issue();
    const other = await createOrganization(platform.tables, { name: 'Loja Verde' });
    for (const grantor of [operatorOf(other.organizationId, 'test'), operatorOf(organizationId, 'live')]) {
      expect(refused(await rotateKey(store(), grantor, { id: key.id }, NOW))).toBe('NOT_FOUND');
      expect(refused(await revokeKey(store(), grantor, key.id, NOW))).toBe('NOT_FOUND');
    }
    expect(refused(await revokeKey(store('live'), operatorOf(organizationId, 'live'), key.id, NOW))).toBe('NOT_FOUND');
    expect((await store().list(other.organizationId, { limit: 50, skip: 0 })).items.map(({ id }) => id)).not.toContain(
      key.id,
    );
  });

  test('is listed newest first, by pages, with the total of all', async () => {
    const mine = await createOrganization(platform.tables, { name: 'Loja Lista' }, { clock: () => NOW - HOUR });
    const made: string[] = [];
    for (let at = 0; at < 5; at++)
      made.unshift(
        allowed(
          await createKey(
            store(),
            operatorOf(mine.organizationId, 'test'),
            { name: `k${at}`, scopes: ['sms:read'] },
            NOW + at,
          ),
        ).key.id,
      );
    const page = await store().list(mine.organizationId, { limit: 2, skip: 1 });
    expect(page).toMatchObject({ total: 6, items: [{ id: made[1] }, { id: made[2] }] });
    expect((await store().list(mine.organizationId, { limit: 50, skip: 5 })).items).toHaveLength(1);
    expect((await store().list(mine.organizationId, { limit: 50, skip: 6 })).items).toEqual([]);
  });
});

describe('rotation', () => {
  test('keeps the id and lets the old secret work until the overlap ends', async () => {
    const { key, secret } = await issue();
    const after = allowed(await rotate(key.id, 2));
    expect(after.key.id).toBe(key.id);
    expect(after.secret.text).not.toBe(secret.text);
    for (const text of [secret.text, after.secret.text])
      expect((await platform.knock('test', bearer(text), NOW + 2 * HOUR - 1))?.context?.credentialId).toBe(key.id);
    expect(await platform.knock('test', bearer(secret.text), NOW + 2 * HOUR)).toBeUndefined();
    expect(await platform.knock('test', bearer(after.secret.text), NOW + 2 * HOUR)).toBeDefined();
    expect(keyView(after.key, NOW).oldSecretsValidUntil).toBe('2026-03-02T14:00:00.000Z');
    expect(keyView(after.key, NOW + 2 * HOUR).oldSecretsValidUntil).toBeUndefined();
  });

  test('lasts 24 hours when nothing is said', async () => {
    const { key, secret } = await issue();
    allowed(await rotate(key.id, undefined));
    expect(await platform.knock('test', bearer(secret.text), NOW + 24 * HOUR - 1)).toBeDefined();
    expect(await platform.knock('test', bearer(secret.text), NOW + 24 * HOUR)).toBeUndefined();
  });

  test('without overlap ends every old secret at once', async () => {
    const { key, secret } = await issue();
    const second = allowed(await rotate(key.id, 48));
    const third = allowed(await rotate(key.id, 0));
    for (const text of [secret.text, second.secret.text])
      expect(await platform.knock('test', bearer(text), NOW)).toBeUndefined();
    expect(await platform.knock('test', bearer(third.secret.text), NOW)).toBeDefined();
  });

  test("never lengthens an older secret's life, nor passes the key's own expiry", async () => {
    const { key, secret } = await issue({ expiresAt: NOW + 3 * HOUR });
    allowed(await rotate(key.id, 1));
    const third = allowed(await rotate(key.id, 720));
    expect(await platform.knock('test', bearer(secret.text), NOW + HOUR)).toBeUndefined();
    expect(await platform.knock('test', bearer(third.secret.text), NOW + 3 * HOUR)).toBeUndefined();
    expect(third.key.oldSecrets.map(({ until }) => until)).toEqual([NOW + HOUR, NOW + 3 * HOUR]);
  });

  test('is refused once too many old secrets would work, until one call ends them', async () => {
    const { key } = await issue();
    for (let turn = 0; turn < 10; turn++) allowed(await rotate(key.id, 720));
    expect(refused(await rotate(key.id, 720))).toBe('CONFLICT');
    expect(refused(await rotate(key.id, 0))).toBe('allowed');
  });

  test('of a revoked or expired key is refused', async () => {
    const expired = await issue({ expiresAt: NOW + HOUR });
    expect(refused(await rotate(expired.key.id, 0, NOW + HOUR))).toBe('CONFLICT');
    const revoked = await issue();
    allowed(await revokeKey(store(), holder(['keys:write']), revoked.key.id, NOW));
    expect(refused(await rotate(revoked.key.id, 0))).toBe('CONFLICT');
  });

  test('twenty at once leave one secret that works and is known', async () => {
    const { key } = await issue();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => rotate(key.id, 0)));
    const won = outcomes.filter((outcome) => !isRefusal(outcome)) as IssuedKey[];
    const working = await Promise.all(won.map(({ secret }) => platform.knock('test', bearer(secret.text), NOW)));
    expect(working.filter(Boolean)).toHaveLength(1);
    expect((await store().read(key.id))?.hash).toBe(won[working.findIndex(Boolean)]?.secret.hash);
  });
});

describe('revocation', () => {
  test('takes every secret of the key away, those of an overlap included, and may be repeated', async () => {
    const { key, secret } = await issue();
    const second = allowed(await rotate(key.id, 24));
    const first = allowed(await revokeKey(store(), holder(['keys:write']), key.id, NOW + 1));
    for (const text of [secret.text, second.secret.text])
      expect(await platform.knock('test', bearer(text), NOW + 2)).toBeUndefined();
    const again = allowed(await revokeKey(store(), holder(['keys:write']), key.id, NOW + 9));
    expect(again.revokedAt).toBe(first.revokedAt);
    expect((await store().read(key.id))?.revokedAt).toBe(NOW + 1);
  });

  test('wins over a rotation that runs beside it', async () => {
    for (let round = 0; round < 10; round++) {
      const { key, secret } = await issue();
      const [turned] = await Promise.all([rotate(key.id, 24), revokeKey(store(), holder(['keys:write']), key.id, NOW)]);
      const texts = [secret.text, ...(isRefusal(turned) ? [] : [turned.secret.text])];
      for (const text of texts) expect(await platform.knock('test', bearer(text), NOW)).toBeUndefined();
    }
  });
});

describe('what is stored', () => {
  test('holds no secret in clear, in any row of either environment', async () => {
    const { key, secret } = await issue();
    const second = allowed(await rotate(key.id, 24));
    const stored = JSON.stringify([await platform.rows('live'), await platform.rows('test')]);
    for (const text of [keys.live, keys.test, secret.text, second.secret.text]) {
      expect(stored).not.toContain(text);
      expect(stored).not.toContain(text.split('_').at(-1));
      expect(stored).toContain(hashSecret(text));
    }
  });

  test('includes an event per created and per rotated key, in the transaction of the change', async () => {
    const created = await issue();
    const turned = allowed(await rotate(created.key.id, 24));
    const events = outbox(platform.tables.test);
    expect(await events.read(created.event.id)).toMatchObject({
      event: { type: 'apikey.created', organizationId, env: 'test', data: { keyId: created.key.id } },
    });
    expect(await events.read(turned.event.id)).toMatchObject({
      event: {
        type: 'apikey.rotated',
        data: { keyId: created.key.id, oldSecretsValidUntil: '2026-03-03T12:00:00.000Z' },
      },
    });
  });
});

describe('a table whose answers get lost', () => {
  test('leaves one key, one rotation, one revocation: the repeat recognises its own work', async () => {
    const proxy = await startFaultProxy(platform.endpoint);
    const { client, table } = platform.through(proxy.endpoint);
    const lossy = keyStore(table);
    const loseNext = () => {
      let lost = false;
      proxy.plan(({ action }) => {
        if (lost || action !== 'TransactWriteItems') return undefined;
        lost = true;
        return FAULTS.loseAnswer;
      });
    };
    const operator = operatorOf(organizationId, 'test');
    const { total } = await store().list(organizationId, { limit: 1, skip: 0 });
    loseNext();
    const { key, secret } = allowed(await createKey(lossy, operator, { name: 'Lost', scopes: ['sms:send'] }, NOW));
    expect((await store().list(organizationId, { limit: 1, skip: 0 })).total).toBe(total + 1);
    expect(await platform.knock('test', bearer(secret.text), NOW)).toBeDefined();
    loseNext();
    const after = allowed(await rotateKey(lossy, operator, { id: key.id, overlapHours: 1 }, NOW));
    expect((await store().read(key.id))?.oldSecrets).toHaveLength(1);
    expect(await platform.knock('test', bearer(after.secret.text), NOW)).toBeDefined();
    loseNext();
    expect(allowed(await revokeKey(lossy, operator, key.id, NOW)).revokedAt).toBe(NOW);
    client.destroy();
    await proxy.close();
  });

  test('is no verdict: a fault of the table is a fault of the authorizer, never a 401', async () => {
    const { client, table } = platform.through('http://127.0.0.1:1');
    const asked = authenticate(bearer(keys.test), { env: 'test', now: NOW, credentials: credentialReader(table) });
    await expect(asked).rejects.toThrow(Unavailable);
    client.destroy();
  });
});
