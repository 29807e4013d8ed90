import { describe, expect, test } from 'vitest';
import { createOrganization, operatorOf } from '../../infra/provisioning/organizations.ts';
import { revokeKey } from '../../shared/domain/access/change-key.ts';
import { authenticate } from '../../shared/domain/access/credentials.ts';
import { keyView } from '../../shared/domain/access/key-views.ts';
import { createKey, type IssuedKey, KEY_SCOPES } from '../../shared/domain/access/keys.ts';
import { rotateKey } from '../../shared/domain/access/rotate-key.ts';
import { hashSecret, newSecret, parseSecret } from '../../shared/domain/access/secrets.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { isRefusal, Unavailable } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { SCOPES, type Scope } from '../../shared/domain/core/scopes.ts';
import { credentialReader } from '../../shared/storage/access/credentials.ts';
import { keyStore } from '../../shared/storage/access/keys.ts';
import { outbox } from '../../shared/storage/due-work/outbox.ts';
import { accepted } from '../support/accepted.ts';
import { startAccess } from '../support/access.ts';
import { FAULTS, startFaultProxy } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';

const HOUR = 3600 * 1000;
const NOW = Date.parse('2026-03-02T12:00:00.000Z');

const stages = await use(startAccess());
const { organizationId, keys } = await createOrganization(stages.tables, { name: 'Loja Azul' });

const store = (env: Environment = 'test') => keyStore(stages.tables[env]);
const bearer = (text: string) => `Bearer ${text}`;
/** The response of the test stage's authorizer to a secret; undefined for 401. */
const authorize = (text: string, now = NOW) => stages.authorize('test', bearer(text), now);
const holder = (scopes: readonly Scope[], env: Environment = 'test') => ({
  organizationId,
  env,
  scopes: new Set(scopes),
});
const refused = (outcome: unknown) => (isRefusal(outcome) ? outcome.name : 'allowed');
const issue = async (wish: { scopes?: readonly string[]; expiresAt?: number } = {}): Promise<IssuedKey> =>
  accepted(
    await createKey(store(), operatorOf(organizationId, 'test'), { name: 'A key', scopes: ['sms:send'], ...wish }, NOW),
  );
const rotate = (id: Id<'apiKey'>, overlapHours: number | undefined, now = NOW) =>
  rotateKey(store(), operatorOf(organizationId, 'test'), { id, overlapHours }, now);
const revoke = (id: Id<'apiKey'>, now = NOW) => revokeKey(store(), holder(['keys:write']), { id }, now);
/** The refusal of a new key to a holder of these scopes, or `allowed`. */
const createAs = async (scopes: readonly Scope[], wish: { scopes: readonly string[]; expiresAt?: number }) =>
  refused(await createKey(store(), holder(scopes), { name: 'x', ...wish }, NOW));

describe('a credential', () => {
  test('has its kind and environment in its prefix, and is parsed in no other form', () => {
    for (const kind of ['key', 'session'] as const)
      for (const env of ['live', 'test'] as const)
        expect(parseSecret(newSecret(kind, env).text)).toEqual({ kind, env });
    const { text } = newSecret('key', 'test');
    const altered = [text.slice(0, 40), `${text}-`, ` ${text}`, `${text}\n`, text.toUpperCase()];
    for (const bad of [...altered, text.replace('test', 'prod'), '', 'svc_test_'])
      expect(parseSecret(bad)).toBeUndefined();
  });

  test('carries at least 32 random base62 characters', () => {
    const made = new Set(Array.from({ length: 1000 }, () => newSecret('key', 'live').text));
    expect(made.size).toBe(1000);
    for (const text of made) expect(text).toMatch(/^svc_live_[0-9A-Za-z]{32,}$/);
  });
});

describe('the authorizer', () => {
  test('allows a key every route of its own stage, with its organization, environment and scopes', async () => {
    const answer = await stages.authorize('test', bearer(keys.test));
    expect(answer?.context).toMatchObject({ organizationId, env: 'test', kind: 'key', scopes: KEY_SCOPES.join(' ') });
    const Resource = 'arn:aws:execute-api:us-east-1:000000000000:api/stage/*/*';
    expect(answer?.policyDocument.Statement).toEqual([{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource }]);
  });

  test("refuses the other environment's credentials", async () => {
    expect(await stages.authorize('test', bearer(keys.live))).toBeUndefined();
    expect(await stages.authorize('live', bearer(keys.test))).toBeUndefined();
    expect(await stages.authorize('live', bearer(keys.live))).toBeDefined();
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
    for (const header of bad) expect(await stages.authorize('test', header)).toBeUndefined();
    expect(await stages.authorize('test', `bearer ${keys.test}`)).toBeDefined();
  });

  test('refuses a key from its expiry on', async () => {
    const { secret } = await issue({ expiresAt: NOW + HOUR });
    expect(await authorize(secret.text, NOW + HOUR - 1)).toBeDefined();
    expect(await authorize(secret.text, NOW + HOUR)).toBeUndefined();
  });
});

describe('a key', () => {
  test('grants no scope that its creator lacks', async () => {
    expect(await createAs(['keys:write', 'sms:read'], { scopes: ['sms:read', 'sms:send'] })).toBe('FORBIDDEN');
    expect(await createAs(['keys:write', 'sms:read'], { scopes: ['sms:read'] })).toBe('allowed');
  });

  test("never has a scope of a person's session, nor an unknown one, nor none", async () => {
    for (const scopes of [['contacts:pii'], ['sms:send', 'contacts:pii'], ['sms:fly'], []])
      expect(await createAs(SCOPES, { scopes })).toBe('VALIDATION_ERROR');
  });

  test('must expire in the future', async () => {
    expect(await createAs(SCOPES, { scopes: ['sms:send'], expiresAt: NOW })).toBe('VALIDATION_ERROR');
  });

  test('is not rotated by a caller that lacks one of its scopes: the new secret would be stronger than the caller', async () => {
    const { key } = await issue({ scopes: ['sms:send', 'crm:delete'] });
    const outcome = await rotateKey(store(), holder(['keys:write', 'sms:send']), { id: key.id }, NOW);
    expect(refused(outcome)).toBe('FORBIDDEN');
  });

  test('of another organization or environment is not found', async () => {
    const { key } = await issue();
    const other = await createOrganization(stages.tables, { name: 'Loja Verde' });
    for (const grantor of [operatorOf(other.organizationId, 'test'), operatorOf(organizationId, 'live')]) {
      expect(refused(await rotateKey(store(), grantor, { id: key.id }, NOW))).toBe('NOT_FOUND');
      expect(refused(await revokeKey(store(), grantor, key, NOW))).toBe('NOT_FOUND');
    }
    expect(refused(await revokeKey(store('live'), operatorOf(organizationId, 'live'), key, NOW))).toBe('NOT_FOUND');
    const { items } = await store().list(other.organizationId, { limit: 50, skip: 0 });
    expect(items.map(({ id }) => id)).not.toContain(key.id);
  });

  test('is listed newest first, by pages, with the total of all', async () => {
    const clock = () => NOW - HOUR;
    const { organizationId: id } = await createOrganization(stages.tables, { name: 'Loja Lista' }, { clock });
    const made: string[] = [];
    for (let at = 0; at < 5; at++) {
      const wish = { name: `k${at}`, scopes: ['sms:read'] };
      made.unshift(accepted(await createKey(store(), operatorOf(id, 'test'), wish, NOW + at)).key.id);
    }
    const page = (limit: number, skip: number) => store().list(id, { limit, skip });
    expect(await page(2, 1)).toMatchObject({ total: 6, items: [{ id: made[1] }, { id: made[2] }] });
    expect((await page(50, 5)).items).toHaveLength(1);
    expect((await page(50, 6)).items).toEqual([]);
  });
});

describe('rotation', () => {
  test('keeps the id and lets the old secret work until the overlap ends', async () => {
    const { key, secret } = await issue();
    const after = accepted(await rotate(key.id, 2));
    expect(after.key.id).toBe(key.id);
    expect(after.secret.text).not.toBe(secret.text);
    for (const text of [secret.text, after.secret.text])
      expect((await authorize(text, NOW + 2 * HOUR - 1))?.context?.credentialId).toBe(key.id);
    expect(await authorize(secret.text, NOW + 2 * HOUR)).toBeUndefined();
    expect(await authorize(after.secret.text, NOW + 2 * HOUR)).toBeDefined();
    expect(keyView(after.key, NOW).oldSecretsValidUntil).toBe('2026-03-02T14:00:00.000Z');
    expect(keyView(after.key, NOW + 2 * HOUR).oldSecretsValidUntil).toBeUndefined();
  });

  test('has an overlap of 24 hours by default', async () => {
    const { key, secret } = await issue();
    accepted(await rotate(key.id, undefined));
    expect(await authorize(secret.text, NOW + 24 * HOUR - 1)).toBeDefined();
    expect(await authorize(secret.text, NOW + 24 * HOUR)).toBeUndefined();
  });

  test('without overlap ends every old secret immediately', async () => {
    const { key, secret } = await issue();
    const second = accepted(await rotate(key.id, 48));
    const third = accepted(await rotate(key.id, 0));
    for (const text of [secret.text, second.secret.text]) expect(await authorize(text)).toBeUndefined();
    expect(await authorize(third.secret.text)).toBeDefined();
  });

  test("never extends an older secret's life, nor exceeds the key's own expiry", async () => {
    const { key, secret } = await issue({ expiresAt: NOW + 3 * HOUR });
    accepted(await rotate(key.id, 1));
    const third = accepted(await rotate(key.id, 720));
    expect(await authorize(secret.text, NOW + HOUR)).toBeUndefined();
    expect(await authorize(third.secret.text, NOW + 3 * HOUR)).toBeUndefined();
    expect(third.key.oldSecrets.map(({ until }) => until)).toEqual([NOW + HOUR, NOW + 3 * HOUR]);
  });

  test('is refused once too many old secrets work, until a call ends them', async () => {
    const { key } = await issue();
    for (let turn = 0; turn < 10; turn++) accepted(await rotate(key.id, 720));
    expect(refused(await rotate(key.id, 720))).toBe('CONFLICT');
    expect(refused(await rotate(key.id, 0))).toBe('allowed');
  });

  test('of a revoked or expired key is refused', async () => {
    const expired = await issue({ expiresAt: NOW + HOUR });
    expect(refused(await rotate(expired.key.id, 0, NOW + HOUR))).toBe('CONFLICT');
    const revoked = await issue();
    accepted(await revoke(revoked.key.id));
    expect(refused(await rotate(revoked.key.id, 0))).toBe('CONFLICT');
  });

  test('twenty concurrent rotations result in one working secret, which one caller receives', async () => {
    const { key } = await issue();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => rotate(key.id, 0)));
    const won = outcomes.filter((outcome) => !isRefusal(outcome)) as IssuedKey[];
    const working = await Promise.all(won.map(({ secret }) => authorize(secret.text)));
    expect(working.filter(Boolean)).toHaveLength(1);
    expect((await store().read(key.id))?.hash).toBe(won[working.findIndex(Boolean)]?.secret.hash);
  });
});

describe('revocation', () => {
  test('ends every secret of the key, those of an overlap included, and may be repeated', async () => {
    const { key, secret } = await issue();
    const second = accepted(await rotate(key.id, 24));
    const first = accepted(await revoke(key.id, NOW + 1));
    for (const text of [secret.text, second.secret.text]) expect(await authorize(text, NOW + 2)).toBeUndefined();
    const again = accepted(await revoke(key.id, NOW + 9));
    expect(again.revokedAt).toBe(first.revokedAt);
    expect((await store().read(key.id))?.revokedAt).toBe(NOW + 1);
  });

  test('wins over a concurrent rotation', async () => {
    for (let round = 0; round < 10; round++) {
      const { key, secret } = await issue();
      const [rotated] = await Promise.all([rotate(key.id, 24), revoke(key.id)]);
      const texts = [secret.text, ...(isRefusal(rotated) ? [] : [rotated.secret.text])];
      for (const text of texts) expect(await authorize(text)).toBeUndefined();
    }
  });
});

describe('the storage of access', () => {
  test('holds no secret in clear, in any row of either environment', async () => {
    const { key, secret } = await issue();
    const second = accepted(await rotate(key.id, 24));
    const stored = JSON.stringify([await stages.rows('live'), await stages.rows('test')]);
    for (const text of [keys.live, keys.test, secret.text, second.secret.text]) {
      expect(stored).not.toContain(text);
      expect(stored).not.toContain(text.split('_').at(-1));
      expect(stored).toContain(hashSecret(text));
    }
  });

  test('includes an event per created and per rotated key, in the transaction of the change', async () => {
    const created = await issue();
    const rotated = accepted(await rotate(created.key.id, 24));
    const events = outbox(stages.tables.test);
    expect(await events.read(created.event.id)).toMatchObject({
      event: { type: 'apikey.created', organizationId, env: 'test', data: { keyId: created.key.id } },
    });
    const data = { keyId: created.key.id, oldSecretsValidUntil: '2026-03-03T12:00:00.000Z' };
    expect(await events.read(rotated.event.id)).toMatchObject({ event: { type: 'apikey.rotated', data } });
  });
});

describe('a table whose answers are lost', () => {
  test('results in one key, one rotation, one revocation: the retry recognises its own write', async () => {
    const proxy = await startFaultProxy(stages.endpoint);
    const { client, table } = stages.through(proxy.endpoint);
    const lossy = keyStore(table);
    const loseNext = () => {
      let writes = 0;
      proxy.plan(({ action }) => (action === 'TransactWriteItems' && writes++ === 0 ? FAULTS.loseAnswer : undefined));
    };
    const operator = operatorOf(organizationId, 'test');
    const { total } = await store().list(organizationId, { limit: 1, skip: 0 });
    loseNext();
    const { key, secret } = accepted(await createKey(lossy, operator, { name: 'Lost', scopes: ['sms:send'] }, NOW));
    expect((await store().list(organizationId, { limit: 1, skip: 0 })).total).toBe(total + 1);
    expect(await authorize(secret.text)).toBeDefined();
    loseNext();
    const after = accepted(await rotateKey(lossy, operator, { id: key.id, overlapHours: 1 }, NOW));
    expect((await store().read(key.id))?.oldSecrets).toHaveLength(1);
    expect(await authorize(after.secret.text)).toBeDefined();
    loseNext();
    expect(accepted(await revokeKey(lossy, operator, key, NOW)).revokedAt).toBe(NOW);
    client.destroy();
    await proxy.close();
  });

  test('is no 401: an error of the table is an error of the authorizer', async () => {
    const { client, table } = stages.through('http://127.0.0.1:1');
    const answer = authenticate(bearer(keys.test), { env: 'test', now: NOW, credentials: credentialReader(table) });
    await expect(answer).rejects.toThrow(Unavailable);
    client.destroy();
  });
});
