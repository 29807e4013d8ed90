import { expect, it, vi } from 'vitest';
import { operatorEntry } from '../../shared/domain/audit/entry.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { SCOPES } from '../../shared/domain/core/scopes.ts';
import { createAccount, rotateAccountPassword } from '../../shared/domain/smpp/accounts.ts';
import { newPassword } from '../../shared/domain/smpp/password.ts';
import { smppAccountStore } from '../../shared/storage/smpp/accounts.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const { table } = await use(startWorld('test'));
const store = smppAccountStore(table);
const grantor = () => ({ organizationId: newId('organization'), env: 'test' as const, scopes: new Set(SCOPES) });
const BILLING = { name: 'Billing', route: 'premium' } as const;
const made = async (of: ReturnType<typeof grantor>) => {
  const issued = await createAccount(store, of, BILLING, 0);
  if (isRefusal(issued)) throw new Error(issued.details.detail);
  return issued.account;
};
const entryOf = (of: ReturnType<typeof grantor>) =>
  operatorEntry(of.organizationId, { action: 'smpp_account.created', object: 'x', at: 0 });

it('a system_id is one account in the stage, for every organization, until the account is deleted', async () => {
  const [one, other] = [grantor(), grantor()];
  const account = await made(one);
  const same = { ...account, id: newId('smppAccount'), organizationId: other.organizationId };
  expect(await store.create(same, entryOf(other))).toBe('taken');
  expect((await store.find(account.systemId))?.id).toBe(account.id);
  expect(await store.remove(account, entryOf(one))).toBe(true);
  expect(await store.create(same, entryOf(other))).toBe('saved');
  expect((await store.find(account.systemId))?.id).toBe(same.id);
});

it('an organization has at most 100 accounts, even with concurrent creations', async () => {
  const owner = grantor();
  const first = await made(owner);
  const outcomes = await Promise.all(
    Array.from({ length: 110 }, (_, at) =>
      store.create({ ...first, id: newId('smppAccount'), systemId: `test_many${at}` }, entryOf(owner)),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'saved')).toHaveLength(99);
  expect(outcomes.filter((outcome) => outcome === 'limit_reached')).toHaveLength(11);
  expect(await store.list(owner.organizationId)).toHaveLength(100);
  const refused = await createAccount(store, owner, BILLING, 0);
  expect(isRefusal(refused) && refused.name).toBe('CONFLICT');
  expect(await store.remove(first, entryOf(owner))).toBe(true);
  expect(isRefusal(await createAccount(store, owner, BILLING, 0))).toBe(false);
});

it('a change or deletion that is based on an outdated version of an account is refused', async () => {
  const owner = grantor();
  const account = await made(owner);
  const changed = { ...account, version: 2, name: 'Changed' };
  expect(await store.change(account, changed, entryOf(owner))).toBe(true);
  expect(await store.change(account, { ...changed, name: 'Late' }, entryOf(owner))).toBe(false);
  expect(await store.remove(account, entryOf(owner))).toBe(false);
  expect((await store.read(owner.organizationId, account.id))?.name).toBe('Changed');
});

it('a credential with allowedIps makes and shows no account that reaches beyond them', async () => {
  const owner = grantor();
  const bounded = { ...owner, allowedIps: ['203.0.113.0/24'] };
  const tryWith = async (allowedIps?: readonly string[]) => {
    const outcome = await createAccount(store, bounded, { ...BILLING, allowedIps }, 0);
    return isRefusal(outcome) ? outcome.name : 'made';
  };
  expect(await tryWith()).toBe('FORBIDDEN');
  expect(await tryWith(['203.0.112.0/23'])).toBe('FORBIDDEN');
  expect(await tryWith(['203.0.113.7'])).toBe('made');
  const anywhere = await made(owner);
  const rotated = await rotateAccountPassword(store, bounded, anywhere.id, 0);
  expect(isRefusal(rotated) && rotated.name).toBe('FORBIDDEN');
});

it('a rotation derives no password for an account that does not exist, or that its caller may not change', async () => {
  const owner = grantor();
  const account = await made(owner);
  const makePassword = vi.fn(newPassword);
  const names = [];
  for (const [by, id] of [
    [owner, newId('smppAccount')],
    [grantor(), account.id],
    [{ ...owner, allowedIps: ['203.0.113.0/24'] }, account.id],
  ] as const) {
    const rotated = await rotateAccountPassword(store, by, id, 0, makePassword);
    names.push(isRefusal(rotated) && rotated.name);
  }
  expect(names).toEqual(['NOT_FOUND', 'NOT_FOUND', 'FORBIDDEN']);
  expect(makePassword).not.toHaveBeenCalled();
  expect(isRefusal(await rotateAccountPassword(store, owner, account.id, 0, makePassword))).toBe(false);
  expect(makePassword).toHaveBeenCalledOnce();
});
