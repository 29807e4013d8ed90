import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createOrganization } from '../../infra/provisioning/organizations.ts';
import { type Account, type AccountStatus, newAccount, withStatus } from '../../shared/domain/access/accounts.ts';
import { ROLES, type Role, scopesOfRole } from '../../shared/domain/access/roles.ts';
import { newSession, SESSION_MS } from '../../shared/domain/access/sessions.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { sessionStore } from '../../shared/storage/access/sessions.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readLedger } from '../../shared/storage/wallet/ledger.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { accepted } from '../support/accepted.ts';
import { startAccess } from '../support/access.ts';
import { use } from '../support/use.ts';

const NOW = Date.parse('2026-03-02T12:00:00.000Z');

const stages = await use(startAccess());
const { organizationId } = await createOrganization(stages.tables, { name: 'Loja Azul' });

const store = accountStore(stages.tables.test, { byOperator: true });
const authorize = (text: string, now = NOW) => stages.authorize('test', `Bearer ${text}`, now);

describe('a session', () => {
  const person = async (status: AccountStatus = 'active', role: Role = 'owner') => {
    const email = `${randomUUID()}@example.com`;
    const account = newAccount({ organizationId, name: 'Ana', email, emailHash: '', role, status }, NOW);
    expect(await store.create(account, undefined)).toBe('saved');
    return account;
  };
  const open = async (account: Account) => {
    const session = accepted(newSession(account, 'test', NOW));
    expect(await sessionStore(stages.tables.test).open(session, account)).toBe(true);
    return session;
  };
  const setStatus = async (account: Account, status: AccountStatus) => {
    const after = { ...withStatus(account, status), version: account.version + 1 };
    expect(await store.change(account, after, undefined)).toBe('saved');
    return after;
  };

  test('has its account and the scopes of its role, and ends after 12 hours', async () => {
    for (const role of ROLES) {
      const account = await person('active', role);
      const { secret } = await open(account);
      const context = (await authorize(secret.text))?.context;
      expect(context).toMatchObject({ kind: 'session', accountId: account.id, accountName: 'Ana' });
      expect(new Set(String(context?.scopes).split(' '))).toEqual(scopesOfRole(role));
      expect(await authorize(secret.text, NOW + SESSION_MS - 1)).toBeDefined();
      expect(await authorize(secret.text, NOW + SESSION_MS)).toBeUndefined();
    }
  });

  test('has the scopes of the role that its account has now', async () => {
    const account = await person();
    const { secret } = await open(account);
    await store.change(account, { ...account, role: 'viewer', version: 2 }, undefined);
    expect(String((await authorize(secret.text))?.context?.scopes).split(' ')).not.toContain('sms:send');
  });

  test('is refused once its account was suspended, also when that is active again', async () => {
    const account = await person();
    const { secret } = await open(account);
    const suspended = await setStatus(account, 'suspended');
    expect(await authorize(secret.text)).toBeUndefined();
    const active = await setStatus(suspended, 'active');
    expect(await authorize(secret.text)).toBeUndefined();
    expect(await authorize((await open(active)).secret.text)).toBeDefined();
  });

  test('is not opened with an account that was read before its suspension', async () => {
    const account = await person();
    const session = accepted(newSession(account, 'test', NOW));
    const active = await setStatus(await setStatus(account, 'suspended'), 'active');
    expect(active.status).toBe('active');
    expect(await sessionStore(stages.tables.test).open(session, account)).toBe(false);
    expect(await authorize(session.secret.text)).toBeUndefined();
  });

  test('is opened for an active account only', async () => {
    for (const status of ['suspended', 'invited'] as const)
      expect(newSession(await person(status), 'test', NOW)).toMatchObject({ name: 'CONFLICT' });
  });

  test('of an account from before there were roles holds every scope of an owner', async () => {
    const account = await person();
    const old = Object.fromEntries(
      Object.entries((await stages.tables.test.get(KEYS.account(account.id))) ?? {}).filter(
        ([name]) => !['role', 'sessionEpoch', 'version', 'emailHash', 'mark'].includes(name),
      ),
    );
    await stages.tables.test.write({ put: { ...old, ...KEYS.account(account.id) } });
    const found = await store.read(account.id);
    expect(found).toMatchObject({ role: 'owner', version: 0 });
    if (!found) throw new Error('gone');
    const { secret } = await open(found);
    expect(
      String((await authorize(secret.text))?.context?.scopes)
        .split(' ')
        .sort(),
    ).toEqual([...scopesOfRole('owner')].sort());
    expect(await store.change(found, { ...found, role: 'viewer', version: 1 }, undefined)).toBe('saved');
  });
});

test('a new organization has a key and a wallet in each environment; only the test wallet opens with coins, as an entry', async () => {
  const { organizationId: id, keys: first } = await createOrganization(stages.tables, { name: 'Loja Nova' });
  for (const env of ['live', 'test'] as const) {
    expect((await stages.authorize(env, `Bearer ${first[env]}`))?.context?.organizationId).toBe(id);
    expect(await stages.tables[env].get(KEYS.organization(id))).toMatchObject({ name: 'Loja Nova' });
    expect(await readCount(stages.tables[env], id, 'keys')).toBe(1);
  }
  expect(await readWallet(stages.tables.test, id)).toMatchObject({ balance: 10_000_000, held: 0 });
  expect(await readWallet(stages.tables.live, id)).toMatchObject({ balance: 0, held: 0 });
  expect((await readLedger(stages.tables.test, id, 10)).lines).toMatchObject([
    { kind: 'credit', coins: 10_000_000, balanceCoins: 10_000_000 },
  ]);
});
