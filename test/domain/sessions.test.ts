import { beforeAll, describe, expect, test } from 'vitest';
import { createOrganization } from '../../infra/provisioning/organizations.ts';
import { newAccount } from '../../shared/domain/access/accounts.ts';
import { newSession, SESSION_MS } from '../../shared/domain/access/sessions.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { SCOPES } from '../../shared/domain/core/scopes.ts';
import { putAccount, setAccountStatus } from '../../shared/storage/access/accounts.ts';
import { putSession } from '../../shared/storage/access/credentials.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readLedger, readWallet } from '../../shared/storage/wallet/ledger.ts';
import { accepted } from '../support/accepted.ts';
import { startAccess } from '../support/access.ts';
import { use } from '../support/use.ts';

const NOW = Date.parse('2026-03-02T12:00:00.000Z');

let organizationId: Id<'organization'>;
const stages = await use(startAccess());
beforeAll(async () => {
  ({ organizationId } = await createOrganization(stages.tables, { name: 'Loja Azul' }));
});

const authorize = (text: string, now = NOW) => stages.authorize('test', `Bearer ${text}`, now);

describe('a session', () => {
  const person = async (status: 'active' | 'suspended' | 'invited' = 'active') => {
    const account = newAccount({ organizationId, name: 'Ana', email: 'ana@example.com', status }, NOW);
    await putAccount(stages.tables.test, account);
    return account;
  };
  const open = async (account: Awaited<ReturnType<typeof person>>) => {
    const session = accepted(newSession(account, 'test', NOW));
    await putSession(stages.tables.test, session.secret.hash, session.credential);
    return session;
  };

  test('has its account and every scope, and ends after 12 hours', async () => {
    const account = await person();
    const { secret } = await open(account);
    expect((await authorize(secret.text))?.context).toMatchObject({
      kind: 'session',
      accountId: account.id,
      scopes: SCOPES.join(' '),
    });
    expect(await authorize(secret.text, NOW + SESSION_MS - 1)).toBeDefined();
    expect(await authorize(secret.text, NOW + SESSION_MS)).toBeUndefined();
  });

  test('is refused as soon as its account is suspended, and works again when it is active', async () => {
    const account = await person();
    const { secret } = await open(account);
    await setAccountStatus(stages.tables.test, account.id, 'suspended');
    expect(await authorize(secret.text)).toBeUndefined();
    await setAccountStatus(stages.tables.test, account.id, 'active');
    expect(await authorize(secret.text)).toBeDefined();
  });

  test('is opened for an active account only', async () => {
    for (const status of ['suspended', 'invited'] as const)
      expect(newSession(await person(status), 'test', NOW)).toMatchObject({ name: 'CONFLICT' });
  });
});

describe('a new organization', () => {
  test('has a key and a wallet in each environment; only the test wallet opens with coins, as an entry', async () => {
    const { organizationId: id, keys: first } = await createOrganization(stages.tables, { name: 'Loja Nova' });
    for (const env of ['live', 'test'] as const) {
      expect((await stages.authorize(env, `Bearer ${first[env]}`))?.context?.organizationId).toBe(id);
      expect(await stages.tables[env].get(KEYS.organization(id))).toMatchObject({ name: 'Loja Nova', keys: 1 });
    }
    expect(await readWallet(stages.tables.test, id)).toMatchObject({ balance: 10_000_000, held: 0 });
    expect(await readWallet(stages.tables.live, id)).toMatchObject({ balance: 0, held: 0 });
    expect((await readLedger(stages.tables.test, id, 10)).lines).toMatchObject([
      { kind: 'credit', coins: 10_000_000, balanceCoins: 10_000_000 },
    ]);
  });
});
