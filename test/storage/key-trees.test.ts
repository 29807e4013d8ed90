import { describe, expect, test } from 'vitest';
import { createOrganization, operatorOf } from '../../infra/provisioning/organizations.ts';
import { revokeKey } from '../../shared/domain/access/change-key.ts';
import { authenticate, type Caller } from '../../shared/domain/access/credentials.ts';
import {
  createKey,
  type Grantor,
  type IssuedKey,
  type KeyRequest,
  MAX_ANCESTORS,
} from '../../shared/domain/access/keys.ts';
import { listOwnKeys, type OwnKeysPorts } from '../../shared/domain/access/own-keys.ts';
import { rotateKey } from '../../shared/domain/access/rotate-key.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { credentialReader } from '../../shared/storage/access/credentials.ts';
import { keyStore } from '../../shared/storage/access/keys.ts';
import { newestAudit } from '../../shared/storage/audit/audit-log.ts';
import { accepted } from '../support/accepted.ts';
import { startAccess } from '../support/access.ts';
import { FAULTS, startFaultProxy } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';

const HOUR = 3600 * 1000;
const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const SCOPES = ['keys:read', 'keys:write', 'sms:send'];

const stages = await use(startAccess());
const { organizationId } = await createOrganization(stages.tables, { name: 'Loja Azul' });
const store = keyStore(stages.tables.test);
const operator = (): Grantor => operatorOf(organizationId, 'test');
const callerOf = (secret: string, now = NOW): Promise<Caller | undefined> =>
  authenticate(`Bearer ${secret}`, { env: 'test', now, credentials: credentialReader(stages.tables.test) });
const works = async ({ secret }: IssuedKey, now = NOW): Promise<boolean> =>
  (await callerOf(secret.text, now)) !== undefined;
const make = async (grantor: Grantor, wish: Partial<KeyRequest> = {}): Promise<IssuedKey> =>
  accepted(await createKey(store, grantor, { name: 'A key', scopes: SCOPES, ...wish }, NOW));
/** A key that another one creates, with its secret. */
const below = async ({ secret }: IssuedKey, wish: Partial<KeyRequest> = {}): Promise<IssuedKey> => {
  const caller = await callerOf(secret.text);
  if (!caller) throw new Error('The creator is refused.');
  return make(caller, wish);
};
const revoke = async ({ key }: IssuedKey, onlyThis = false, now = NOW) =>
  accepted(await revokeKey(store, operator(), { id: key.id, onlyThis }, now));
const listed = async ({ key }: IssuedKey) => {
  const ports: Pick<OwnKeysPorts, 'store'> = { store };
  const { items } = await listOwnKeys(ports, { organizationId }, { limit: 200, skip: 0 });
  return items.find(({ id }) => id === key.id);
};

describe('a key that a key creates', () => {
  test('names its creator, and every key above it', async () => {
    const parent = await make(operator());
    const child = await below(parent);
    const grandchild = await below(child);
    expect(parent.key.createdBy).toBeUndefined();
    expect(await store.read(child.key.id)).toMatchObject({ createdBy: parent.key.id, ancestors: [parent.key.id] });
    expect(grandchild.key).toMatchObject({ createdBy: child.key.id, ancestors: [child.key.id, parent.key.id] });
  });

  test('expires with its creator at the latest, and earlier on request', async () => {
    const parent = await make(operator(), { expiresAt: NOW + 2 * HOUR });
    const [capped, requested, late] = await Promise.all([
      below(parent),
      below(parent, { expiresAt: NOW + HOUR }),
      below(parent, { expiresAt: NOW + 9 * HOUR }),
    ]);
    expect([capped, requested, late].map(({ key }) => key.expiresAt)).toEqual([
      NOW + 2 * HOUR,
      NOW + HOUR,
      NOW + 2 * HOUR,
    ]);
    expect(await works(await below(late), NOW + 2 * HOUR - 1)).toBe(true);
    expect(await works(await below(late), NOW + 2 * HOUR)).toBe(false);
  });

  test('outlives a rotation of its creator; one that an old secret created ends with that secret', async () => {
    const parent = await make(operator());
    const before = await below(parent);
    accepted(await rotateKey(store, operator(), { id: parent.key.id, overlapHours: 2 }, NOW));
    const during = await below(parent);
    expect(during.key.expiresAt).toBe(NOW + 2 * HOUR);
    expect(await works(before, NOW + 1000 * HOUR)).toBe(true);
  });

  test('that an old secret created ends with that secret, with its own keys, however early that secret is ended', async () => {
    const parent = await make(operator());
    const before = await below(parent);
    accepted(await rotateKey(store, operator(), { id: parent.key.id, overlapHours: 2 }, NOW));
    const child = await below(parent);
    const tree = [child, await below(child), await below(await below(child))];
    accepted(await rotateKey(store, operator(), { id: child.key.id, overlapHours: 0 }, NOW));
    const shorter = accepted(await rotateKey(store, operator(), { id: parent.key.id, overlapHours: 1 }, NOW));
    for (const each of tree) expect((await listed(each))?.expiresAt).toBe(NOW + HOUR);
    for (const at of [NOW + HOUR - 1, NOW + HOUR])
      expect(await Promise.all(tree.slice(1).map((each) => works(each, at)))).toEqual(Array(2).fill(at < NOW + HOUR));
    accepted(await rotateKey(store, operator(), { id: parent.key.id, overlapHours: 0 }, NOW + 5));
    for (const each of tree) {
      expect(await works(each, NOW + 5)).toBe(false);
      expect((await listed(each))?.expiresAt).toBe(NOW + 5);
      const rotated = await rotateKey(store, operator(), { id: each.key.id }, NOW + 5);
      expect(isRefusal(rotated) && rotated.name).toBe('CONFLICT');
    }
    expect([await works(before, NOW + 5), await works(shorter, NOW + 5)]).toEqual([true, false]);
  });

  test('ends with the old secret that created it although that secret would have expired with its key', async () => {
    const parent = await make(operator(), { expiresAt: NOW + HOUR });
    accepted(await rotateKey(store, operator(), { id: parent.key.id, overlapHours: 24 }, NOW));
    const child = await below(parent);
    expect(await works(child)).toBe(true);
    accepted(await rotateKey(store, operator(), { id: parent.key.id, overlapHours: 0 }, NOW));
    expect(await works(child)).toBe(false);
  });

  test('that an old secret created ends when its creator is revoked, even alone', async () => {
    const parent = await make(operator());
    const before = await below(parent);
    accepted(await rotateKey(store, operator(), { id: parent.key.id, overlapHours: 2 }, NOW));
    const during = await below(parent);
    await revoke(parent, true, NOW + 1);
    expect([await works(before, NOW + 1), await works(during, NOW + 1)]).toEqual([true, false]);
  });

  test('has a bounded number of keys above it', async () => {
    let last = await make(operator());
    for (let depth = 0; depth < MAX_ANCESTORS; depth++) last = await below(last);
    const caller = await callerOf(last.secret.text);
    const refused = await createKey(store, caller as Caller, { name: 'x', scopes: SCOPES }, NOW);
    expect(isRefusal(refused) && refused.name).toBe('FORBIDDEN');
  });
});

describe('a key with keys:write', () => {
  const rotateBy = async ({ secret }: IssuedKey, { key }: IssuedKey) => {
    const outcome = await rotateKey(store, (await callerOf(secret.text)) as Caller, { id: key.id }, NOW);
    return isRefusal(outcome) ? outcome.name : 'rotated';
  };

  test('rotates itself and every key below it, but no key above, beside or unrelated to it', async () => {
    const top = await make(operator());
    const [own, sibling] = [await below(top), await below(top)];
    const child = await below(own);
    const grandchild = await below(child);
    const stranger = await make(operator());
    for (const other of [top, sibling, stranger, await below(sibling)])
      expect(await rotateBy(own, other)).toBe('FORBIDDEN');
    for (const reachable of [child, grandchild, own]) expect(await rotateBy(own, reachable)).toBe('rotated');
  });

  test('rotates neither itself nor a key below it with an old secret, which is valid for its overlap only; one that expires may', async () => {
    const own = await make(operator());
    const child = await below(own);
    accepted(await rotateKey(store, operator(), { id: own.key.id, overlapHours: 2 }, NOW));
    for (const reachable of [own, child]) expect(await rotateBy(own, reachable)).toBe('FORBIDDEN');
    const expiring = await make(operator(), { expiresAt: NOW + HOUR });
    const heir = await below(expiring);
    for (const reachable of [heir, expiring]) expect(await rotateBy(expiring, reachable)).toBe('rotated');
    // The rotation made its secret an old one, which works until the key itself expires.
    for (const reachable of [heir, expiring]) expect(await rotateBy(expiring, reachable)).toBe('FORBIDDEN');
  });

  test('leaves every key to a person in a session, and to the operator', async () => {
    const { key } = await below(await make(operator()));
    const scopes = new Set(key.scopes);
    const person = { organizationId, env: 'test', kind: 'session', credentialId: newId('session'), scopes } as const;
    for (const grantor of [{ ...person, accountId: newId('account') }, operator()])
      accepted(await rotateKey(store, grantor, { id: key.id }, NOW));
  });
});

describe('revoking a key', () => {
  test('refuses every key below it, and shows them as revoked', async () => {
    const parent = await make(operator());
    const child = await below(parent);
    const tree = [child, await below(child), await below(parent), await below(await below(child))];
    const other = await make(operator());
    await revoke(parent, false, NOW + 5);
    expect(await Promise.all(tree.map((one) => works(one)))).toEqual(tree.map(() => false));
    expect(await works(other)).toBe(true);
    for (const one of tree) expect((await listed(one))?.revokedAt).toBe(NOW + 5);
    const rotated = await rotateKey(store, operator(), { id: child.key.id }, NOW);
    expect(isRefusal(rotated) && rotated.name).toBe('CONFLICT');
  });

  test('with only=this spares the keys below it; they stay below the keys above', async () => {
    const top = await make(operator());
    const middle = await below(top);
    const low = await below(middle);
    await revoke(middle, true);
    expect([await works(middle), await works(low)]).toEqual([false, true]);
    expect((await listed(low))?.createdBy).toBe(middle.key.id);
    await revoke(top);
    expect(await works(low)).toBe(false);
  });

  test('that was revoked alone also ends the keys below it when it is repeated without only=this', async () => {
    const parent = await make(operator());
    const child = await below(parent);
    await revoke(parent, true, NOW + 1);
    expect(await works(child)).toBe(true);
    expect((await revoke(parent, false, NOW + 2)).revokedAt).toBe(NOW + 1);
    expect(await works(child)).toBe(false);
    await revoke(parent, true, NOW + 3);
    expect(await works(child)).toBe(false);
  });

  test('is one write whatever the size of its tree: a crash cannot leave it partly revoked', async () => {
    const parent = await make(operator());
    const tree = await Promise.all(Array.from({ length: 60 }, () => below(parent)));
    const proxy = await startFaultProxy(stages.endpoint);
    const { client, table } = stages.through(proxy.endpoint);
    const writes: string[] = [];
    // The process hears of nothing after its first write, as if it had died.
    proxy.plan(({ action }) => {
      if (action !== 'TransactWriteItems' && writes.length === 0) return undefined;
      writes.push(action);
      return writes.length === 1 ? FAULTS.loseAnswer : FAULTS.drop;
    });
    await revokeKey(keyStore(table), operator(), { id: parent.key.id }, NOW).catch(() => undefined);
    expect(await Promise.all([parent, ...tree].map((one) => works(one)))).toEqual([parent, ...tree].map(() => false));
    client.destroy();
    await proxy.close();
  });

  test('is entered in the audit log once, despite concurrent repeats; ending the spared keys is another entry', async () => {
    const parent = await make(operator());
    const entered = async () => {
      const filter = { object: parent.key.id, action: 'key.revoked' } as const;
      const items = await newestAudit(stages.tables.test, organizationId, filter, { limit: 50, now: NOW });
      return items.map(({ actor, details }) => [actor.kind, details.onlyThis]);
    };
    const many = (onlyThis: boolean) => Promise.all(Array.from({ length: 5 }, () => revoke(parent, onlyThis)));
    await many(true);
    expect(await entered()).toEqual([['operator', true]]);
    await many(false);
    expect(await entered()).toEqual(
      expect.arrayContaining([
        ['operator', true],
        ['operator', false],
      ]),
    );
    expect(await entered()).toHaveLength(2);
  });

  test('leaves no key behind that it was creating at that moment', async () => {
    for (let round = 0; round < 10; round++) {
      const parent = await make(operator());
      const caller = (await callerOf(parent.secret.text)) as Caller;
      const creating = Array.from({ length: 5 }, () => createKey(store, caller, { name: 'x', scopes: SCOPES }, NOW));
      const [outcomes] = await Promise.all([Promise.all(creating), revoke(parent, round % 2 === 0)]);
      const late = await createKey(store, caller, { name: 'x', scopes: SCOPES }, NOW);
      expect(isRefusal(late) && late.name).toBe('UNAUTHORIZED');
      if (round % 2 === 0) continue;
      for (const made of outcomes) if (!isRefusal(made)) expect(await works(made)).toBe(false);
    }
  });
});
