import { describe, expect, test } from 'vitest';
import type { Account } from '../../shared/domain/access/accounts.ts';
import { KEY_SCOPES } from '../../shared/domain/access/keys.ts';
import {
  activateAccount,
  findAccount,
  invite,
  removeAccount,
  suspendAccount,
  updateAccount,
} from '../../shared/domain/access/people.ts';
import { ROLES } from '../../shared/domain/access/roles.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { accountStore, listAccounts } from '../../shared/storage/access/accounts.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { accepted } from '../support/accepted.ts';
import { startPeople } from '../support/people.ts';
import { use } from '../support/use.ts';

const world = await use(startPeople());
const { ports, person, sessionOf, current } = world;
const nameOf = (outcome: unknown) => (isRefusal(outcome) ? outcome.name : 'allowed');
/** The organization's counted owners, which must be those that there are. */
const owners = async ({ organizationId }: Account): Promise<number> => {
  const row = await world.table.get({ pk: `ORG#${organizationId}`, sk: 'ORG' });
  const { items, total } = await listAccounts(world.table, organizationId, { skip: 0, limit: 200 });
  const active = items.filter(({ role, status }) => role === 'owner' && status === 'active').length;
  expect(row?.activeOwners ?? 0).toBe(active);
  expect(total).toBe(items.length);
  return active;
};
const someOwners = async (count: number): Promise<Account[]> => {
  const organizationId = await world.organization();
  return Promise.all(Array.from({ length: count }, () => person(organizationId, 'owner')));
};

describe('the last active owner', () => {
  test.each(['suspended', 'removed', 'demoted'] as const)('is not %s', async (how) => {
    const [owner] = await someOwners(1);
    if (!owner) throw new Error('no owner');
    await person(owner.organizationId, 'owner', { status: 'invited' });
    const [caller, id] = [sessionOf(owner), owner.id];
    const outcome = {
      suspended: () => suspendAccount(ports, caller, id),
      removed: () => removeAccount(ports, caller, id),
      demoted: () => updateAccount(ports, caller, id, { role: 'admin' }),
    }[how];
    expect(await outcome()).toMatchObject({ name: 'CONFLICT', details: { meta: { code: 'ULTIMO_PROPRIETARIO' } } });
    expect(await current(owner)).toMatchObject({ role: 'owner', status: 'active' });
    expect(await owners(owner)).toBe(1);
  });

  test('stays, however many owners take each other away at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const all = await someOwners(6);
      const turns = all.map((owner, at) => {
        const caller = sessionOf(owner);
        const target = all[(at + 1) % all.length] ?? owner;
        if (at % 3 === 0) return suspendAccount(ports, caller, target.id);
        return at % 3 === 1
          ? removeAccount(ports, caller, target.id)
          : updateAccount(ports, caller, target.id, { role: 'viewer' });
      });
      const outcomes = await Promise.allSettled([
        ...turns,
        ...all.map((one) => suspendAccount(ports, sessionOf(one), one.id)),
      ]);
      expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
      const [first] = all;
      if (first) expect(await owners(first)).toBeGreaterThanOrEqual(1);
    }
  }, 180_000);

  test('may be taken away by the operator', async () => {
    const [owner] = await someOwners(1);
    if (!owner) throw new Error('no owner');
    const store = accountStore(world.table, { byOperator: true });
    expect(await store.change(owner, { ...owner, status: 'suspended', version: 2 }, undefined)).toBe('saved');
    expect(await owners(owner)).toBe(0);
  });
});

describe('people cannot manage a role above their own', () => {
  test.each(ROLES)('%s: neither granting nor changing it', async (role) => {
    const organizationId = await world.organization();
    const [owner, caller] = [await person(organizationId, 'owner'), await person(organizationId, role)];
    const mayManage = role === 'owner' || role === 'admin';
    for (const [at, wanted] of ROLES.entries()) {
      const allowed = mayManage && at <= ROLES.indexOf(role) ? 'allowed' : 'FORBIDDEN';
      const request = { name: 'Bia', email: `${role}-${wanted}@example.com`, role: wanted };
      expect(nameOf(await invite(ports, sessionOf(caller), request)), wanted).toBe(allowed);
      const target = await person(organizationId, wanted);
      expect(nameOf(await updateAccount(ports, sessionOf(caller), target.id, { name: 'B' })), wanted).toBe(allowed);
      expect(nameOf(await suspendAccount(ports, sessionOf(caller), target.id)), wanted).toBe(allowed);
      expect(nameOf(await removeAccount(ports, sessionOf(caller), target.id)), wanted).toBe(allowed);
    }
    if (role === 'admin') {
      const self = await updateAccount(ports, sessionOf(caller), caller.id, { role: 'owner' });
      expect(nameOf(self)).toBe('FORBIDDEN');
    }
    expect(await current(owner)).toEqual(owner);
  });

  test('a key cannot manage people above developer, whatever scopes it has', async () => {
    const organizationId = await world.organization();
    const scopes = new Set(KEY_SCOPES);
    const key = { ...sessionOf(await person(organizationId, 'owner')), kind: 'key', scopes } as const;
    for (const role of ROLES) {
      const request = { name: 'Bia', email: `key-${role}@example.com`, role };
      const expected = role === 'admin' || role === 'owner' ? 'FORBIDDEN' : 'allowed';
      expect(nameOf(await invite(ports, key, request)), role).toBe(expected);
    }
  });

  test('a person who was demoted or suspended meanwhile changes nothing, whatever the gateway still says of it', async () => {
    const organizationId = await world.organization();
    const [owner, viewer] = [await person(organizationId, 'owner'), await person(organizationId, 'viewer')];
    for (const change of [{ role: 'viewer' }, { status: 'suspended' }] as const) {
      const admin = await person(organizationId, 'admin');
      const before = sessionOf(admin);
      await ports.accounts.change(admin, { ...admin, ...change, version: 2 }, undefined);
      expect(nameOf(await suspendAccount(ports, before, viewer.id))).toBe('FORBIDDEN');
      expect(await ports.accounts.change(viewer, { ...viewer, name: 'X', version: 2 }, admin)).toBe('caller_changed');
    }
    expect(await current(viewer)).toEqual(viewer);
    expect(await current(owner)).toEqual(owner);
  });
});

describe('an e-mail address', () => {
  test('is one account in an organization, without regard to case, also after twenty concurrent invitations', async () => {
    const [owner] = await someOwners(1);
    if (!owner) throw new Error('no owner');
    const invitations = Array.from({ length: 20 }, (_, at) =>
      invite(ports, sessionOf(owner), {
        name: `Bia ${at}`,
        email: at % 2 ? 'bia@example.com' : 'Bia@example.com',
        role: 'viewer',
      }),
    );
    const outcomes = await Promise.all(invitations);
    expect(outcomes.filter((outcome) => !isRefusal(outcome))).toHaveLength(1);
    for (const outcome of outcomes)
      if (isRefusal(outcome)) expect(outcome.details.meta).toEqual({ code: 'EMAIL_JA_CADASTRADO' });
    expect((await listAccounts(world.table, owner.organizationId, { skip: 0, limit: 10 })).items).toHaveLength(2);
    expect(await readCount(world.table, owner.organizationId, 'accounts')).toBe(2);
  });

  test('is free again once its account is removed, and may be an account of several organizations', async () => {
    const [[owner], [other]] = [await someOwners(1), await someOwners(1)];
    if (!owner || !other) throw new Error('no owner');
    const request = { name: 'Bia', email: 'caio@example.com', role: 'viewer' } as const;
    const first = accepted(await invite(ports, sessionOf(owner), request));
    accepted(await invite(ports, sessionOf(other), request));
    expect(await removeAccount(ports, sessionOf(owner), first.id)).toBeUndefined();
    const second = accepted(await invite(ports, sessionOf(owner), request));
    expect(second.id).not.toBe(first.id);
    expect(nameOf(await findAccount(ports, sessionOf(other), second.id))).toBe('NOT_FOUND');
    expect(nameOf(await suspendAccount(ports, sessionOf(other), second.id))).toBe('NOT_FOUND');
  });
});

test('a suspension ends as what the account was before: an invitation stays one, which only its person accepts', async () => {
  const [owner] = await someOwners(1);
  if (!owner) throw new Error('no owner');
  const caller = sessionOf(owner);
  const invited = accepted(await invite(ports, caller, { name: 'Bia', email: 'duda@example.com', role: 'support' }));
  expect(nameOf(await activateAccount(ports, caller, invited.id))).toBe('CONFLICT');
  expect(await suspendAccount(ports, caller, invited.id)).toMatchObject({ status: 'suspended', sessionEpoch: 1 });
  expect(await suspendAccount(ports, caller, invited.id)).toMatchObject({ status: 'suspended', sessionEpoch: 1 });
  expect(await activateAccount(ports, caller, invited.id)).toMatchObject({ status: 'invited' });
  const active = await person(owner.organizationId, 'viewer');
  await suspendAccount(ports, caller, active.id);
  expect(await activateAccount(ports, caller, active.id)).toMatchObject({ status: 'active', sessionEpoch: 1 });
});
