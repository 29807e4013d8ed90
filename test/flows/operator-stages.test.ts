import { afterEach, describe, expect, test, vi } from 'vitest';
import { PEOPLE_COMMANDS } from '../../infra/operator/commands/people.ts';
import type { Target } from '../../infra/operator/target.ts';
import { type Account, MAX_ACCOUNTS } from '../../shared/domain/access/accounts.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { accountStore, listAccounts } from '../../shared/storage/access/accounts.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const { tables } = messaging;
afterEach(() => vi.restoreAllMocks());

/** Runs one of the operator's commands. */
const operator = async (name: string, options: Readonly<Record<string, unknown>>) => {
  const command = PEOPLE_COMMANDS.find((each) => each.name === name);
  if (!command) throw new Error(`there is no ${name}`);
  const { data } = await command.run(messaging as unknown as Target, command.options.parse(options) as never);
  return data as { id: Id<'account'>; status: string; role: string };
};
const ANA = { name: 'Ana', email: 'ana@loja.example' };
const create = (organization: string, more: object = {}) =>
  operator('account create', { organization, ...ANA, ...more });
const accountsOf = async (env: 'live' | 'test', organizationId: Id<'organization'>): Promise<Account[]> =>
  (await listAccounts(tables[env], organizationId, { limit: 10, skip: 0 })).items;
const idsOf = async (organizationId: Id<'organization'>) => ({
  live: (await accountsOf('live', organizationId)).map(({ id }) => id),
  test: (await accountsOf('test', organizationId)).map(({ id }) => id),
});
/** Removes the only account of a stage, as if it had never been written there. */
const removeFrom = async (env: 'live' | 'test', organizationId: Id<'organization'>): Promise<void> => {
  const [account] = await accountsOf(env, organizationId);
  if (account) await accountStore(tables[env], { byOperator: true }).remove(account, undefined);
};

describe('account create', () => {
  test('completes what was interrupted between the stages, under the same id', async () => {
    const { id: of } = await messaging.tenant();
    vi.spyOn(tables.test, 'transact').mockRejectedValueOnce(new Error('the process ended'));
    await expect(create(of)).rejects.toThrow('the process ended');
    const { live, test: none } = await idsOf(of);
    expect({ live: live.length, test: none }).toEqual({ live: 1, test: [] });
    const { id } = await create(of);
    expect(await idsOf(of)).toEqual({ live: [id], test: [id] });
    expect(live).toEqual([id]);
    await expect(create(of)).rejects.toThrow(`has this e-mail address: ${id} (owner) in live, ${id} (owner) in test`);
  });

  test.each(ENVIRONMENTS)(
    'gives a person that only %s has the same id in the other environment, and changes nothing there',
    async (env) => {
      const { id: of } = await messaging.tenant();
      const { id } = await create(of, { role: 'viewer' });
      await removeFrom(env === 'live' ? 'test' : 'live', of);
      const [before] = await accountsOf(env, of);
      expect((await create(of, { role: 'viewer', status: 'invited' })).id).toBe(id);
      expect(await idsOf(of)).toEqual({ live: [id], test: [id] });
      expect(await accountsOf(env, of)).toEqual([before]);
    },
  );

  test('writes nothing if one environment has the address with another role: its account is named', async () => {
    const { id: of } = await messaging.tenant();
    const { id } = await create(of, { role: 'viewer' });
    await removeFrom('live', of);
    await expect(create(of)).rejects.toThrow(`has this e-mail address: ${id} (viewer) in test`);
    expect(await idsOf(of)).toEqual({ live: [], test: [id] });
  });

  test('writes nothing if one environment is full', async () => {
    const { id: of } = await messaging.tenant();
    await tables.test.putMany([{ ...KEYS.counter(of, 'accounts', 0), count: MAX_ACCOUNTS }]);
    await expect(create(of)).rejects.toThrow('reached its maximum of accounts in test');
    expect(await idsOf(of)).toEqual({ live: [], test: [] });
  });

  test('names the account and where it is written if the other environment refuses it after the check', async () => {
    const { id: of } = await messaging.tenant();
    const taken = { ok: false as const, reasons: [{ conditionFailed: false }, { conditionFailed: true }] };
    vi.spyOn(tables.test, 'transact').mockResolvedValueOnce(taken as never);
    const refused = create(of);
    await expect(refused).rejects.toThrow(/acc_\w+ is written in live; repeat the command for test/);
  });
});

describe('account set', () => {
  test('says where it was written if the other environment refuses, and is completed by a repeat', async () => {
    const { id: of } = await messaging.tenant();
    const { id } = await create(of);
    const changed = { ok: false as const, reasons: [{ conditionFailed: true }] };
    vi.spyOn(tables.test, 'transact').mockResolvedValueOnce(changed as never);
    const set = { id, role: 'admin', status: 'suspended' };
    await expect(operator('account set', set)).rejects.toThrow(`${id} is written in live; repeat the command for test`);
    expect(await operator('account set', set)).toEqual(set);
    for (const env of ENVIRONMENTS)
      expect(await accountsOf(env, of)).toMatchObject([{ id, role: 'admin', status: 'suspended', sessionEpoch: 1 }]);
  });
});
