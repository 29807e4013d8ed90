import { describe, expect, it, vi } from 'vitest';
import { operatorEntry } from '../../shared/domain/audit/entry.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { SCOPES } from '../../shared/domain/core/scopes.ts';
import type { SmppSettings } from '../../shared/domain/smpp/account.ts';
import { createAccount, deleteAccount, rotateAccountPassword } from '../../shared/domain/smpp/accounts.ts';
import {
  BIND_ATTEMPTS,
  BIND_LEASE_MS,
  type BindOutcome,
  type BindPorts,
  bind,
  keepBind,
} from '../../shared/domain/smpp/bind.ts';
import { WATCH_MS } from '../../shared/domain/smpp/watch.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { drawToken, returnToken } from '../../shared/storage/due-work/rates.ts';
import { smppAccountStore } from '../../shared/storage/smpp/accounts.ts';
import { bindStore } from '../../shared/storage/smpp/binds.ts';
import { watchStore } from '../../shared/storage/smpp/watches.ts';
import { useContendedTable } from '../support/contended-table.ts';

const { ownTable, table } = await useContendedTable();
let now = Date.UTC(2026, 10, 26);
/** The ports of a process of its own. */
const portsOf = (own: Table = table) => ({
  clock: () => now,
  accounts: smppAccountStore(own),
  binds: bindStore(own),
  watches: watchStore(own),
  drawAttempt: async (address: string) => (await drawToken(own, `ip:${address}`, BIND_ATTEMPTS, now)) === 0,
  returnAttempt: (address: string) => returnToken(own, `ip:${address}`, BIND_ATTEMPTS),
});
const ports = portsOf();
const store = smppAccountStore(table);

let addresses = 0;
/** An address that no other test uses. */
const newAddress = () => `203.0.113.${++addresses}`;
const newAccount = async (settings: Partial<SmppSettings> = {}) => {
  const grantor = { organizationId: newId('organization'), env: 'test' as const, scopes: new Set(SCOPES) };
  const issued = await createAccount(store, grantor, { name: 'Billing', route: 'premium', ...settings }, now);
  if (isRefusal(issued)) throw new Error(issued.details.detail);
  const { account, password } = issued;
  return { grantor, account, password, systemId: account.systemId };
};
let connections = 0;
const tryBind = (
  { systemId, password }: { readonly systemId: string; readonly password: string },
  address: string,
  from: BindPorts = ports,
) => bind(from, { systemId, password, address, bindId: `bind-${++connections}` });
const statusOf = (outcome: BindOutcome): string => (outcome.kind === 'bound' ? 'bound' : outcome.status);
const slotOf = (outcome: BindOutcome) => {
  if (outcome.kind !== 'bound') throw new Error(outcome.status);
  return outcome.slot;
};
const tally = (outcomes: readonly BindOutcome[]) =>
  Object.fromEntries(
    [...Map.groupBy(outcomes.map(statusOf), (status) => status)].map(([status, all]) => [status, all.length]),
  );

describe('a bind', () => {
  it('needs the name, the password and an address of the account', async () => {
    const account = await newAccount({ allowedIps: ['198.51.100.0/24'] });
    const address = newAddress();
    expect(statusOf(await tryBind(account, '198.51.100.7'))).toBe('bound');
    expect(statusOf(await tryBind(account, address))).toBe('ESME_RBINDFAIL');
    expect(statusOf(await tryBind({ ...account, systemId: 'test_nobody' }, address))).toBe('ESME_RINVSYSID');
    expect(statusOf(await tryBind({ ...account, password: 'x' }, '198.51.100.8'))).toBe('ESME_RINVPASWD');
    expect(statusOf(await tryBind({ ...account, password: '' }, '198.51.100.8'))).toBe('ESME_RINVPASWD');
  });

  it('starts the watch for pending notices of its account, unless there is one', async () => {
    const account = await newAccount();
    const { id, organizationId } = account.account;
    const address = newAddress();
    await tryBind({ ...account, password: 'x' }, address);
    expect(await ports.watches.read(id)).toBeUndefined();
    await tryBind(account, address);
    const watch = { accountId: id, organizationId, dueAt: now + WATCH_MS };
    expect(await ports.watches.read(id)).toEqual(watch);
    now += 1_000;
    await tryBind(account, address);
    expect(await ports.watches.read(id)).toEqual(watch);
  });

  it('accepts no former password, and none of a deleted account', async () => {
    const { grantor, account, ...first } = await newAccount();
    const rotated = await rotateAccountPassword(store, grantor, account.id, now);
    if (isRefusal(rotated)) throw new Error(rotated.details.detail);
    const address = newAddress();
    expect(statusOf(await tryBind(first, address))).toBe('ESME_RINVPASWD');
    const second = { ...first, password: rotated.password };
    expect(statusOf(await tryBind(second, address))).toBe('bound');
    await deleteAccount(store, grantor, account.id, now);
    expect(statusOf(await tryBind(second, address))).toBe('ESME_RINVSYSID');
  });
});

describe('concurrent binds', () => {
  it('are at most maxBinds, when 24 processes bind together', async () => {
    const account = await newAccount({ maxBinds: 3 });
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, async () => tryBind(account, newAddress(), portsOf(ownTable()))),
    );
    expect(tally(outcomes)).toEqual({ bound: 3, ESME_RBINDFAIL: 21 });
    const slots = outcomes.flatMap((outcome) => (outcome.kind === 'bound' ? [outcome.slot.slot] : []));
    expect(slots.sort()).toEqual([0, 1, 2]);
  });

  it('count a bind whose write was repeated after a lost response once', async () => {
    const account = await newAccount({ maxBinds: 1 });
    const unlucky = ownTable();
    const write = unlucky.write.bind(unlucky);
    vi.spyOn(unlucky, 'write').mockImplementation(async (requested) => {
      await write(requested);
      return write(requested);
    });
    const times = { now, until: now + BIND_LEASE_MS };
    const taken = await bindStore(unlucky).take(account.account.id, 1, 'bind-repeated', times);
    expect(taken).toEqual({ accountId: account.account.id, slot: 0, bindId: 'bind-repeated' });
    expect(await ports.binds.take(account.account.id, 1, 'bind-other', times)).toBeUndefined();
  });

  it('make room when one ends, and those of a process that died after a minute', async () => {
    const account = await newAccount({ maxBinds: 2 });
    const [ended, died] = [slotOf(await tryBind(account, newAddress())), slotOf(await tryBind(account, newAddress()))];
    expect(statusOf(await tryBind(account, newAddress()))).toBe('ESME_RBINDFAIL');
    await ports.binds.free(ended);
    const kept = slotOf(await tryBind(account, newAddress()));
    now += BIND_LEASE_MS - 1;
    expect(await ports.binds.keep(kept, now + BIND_LEASE_MS)).toBe(true);
    expect(statusOf(await tryBind(account, newAddress()))).toBe('ESME_RBINDFAIL');
    now += 1;
    const heir = slotOf(await tryBind(account, newAddress()));
    expect(heir.slot).toBe(died.slot);
    // Who was taken for dead neither keeps nor frees what is another's by now.
    expect(await ports.binds.keep(died, now + BIND_LEASE_MS)).toBe(false);
    await ports.binds.free(died);
    expect(await ports.binds.keep(heir, now + BIND_LEASE_MS)).toBe(true);
  });
});

describe('a bind that stays open', () => {
  const bound = async (settings: Partial<SmppSettings> = {}) => {
    const made = await newAccount(settings);
    const address = newAddress();
    const slot = slotOf(await tryBind(made, address));
    const keep = () => keepBind(ports, { organizationId: made.account.organizationId, slot, address });
    const change = async (changed: Partial<SmppSettings>) => {
      const before = await store.read(made.account.organizationId, made.account.id);
      if (!before) throw new Error('no account');
      const entry = operatorEntry(before.organizationId, {
        action: 'smpp_account.changed',
        object: before.id,
        at: now,
      });
      await store.change(before, { ...before, ...changed, version: before.version + 1 }, entry);
    };
    return { ...made, address, slot, keep, change };
  };

  it('learns what its account is set to by now', async () => {
    const { keep, change } = await bound();
    await change({ window: 7, senderId: 'LOJA' });
    expect(await keep()).toMatchObject({ window: 7, senderId: 'LOJA' });
  });

  it('stays when its account has another password', async () => {
    const { keep, grantor, account } = await bound();
    expect(isRefusal(await rotateAccountPassword(store, grantor, account.id, now))).toBe(false);
    expect(await keep()).toMatchObject({ id: account.id });
  });

  it('counts for a minute from when it was kept', async () => {
    const kept = await bound({ maxBinds: 1 });
    now += BIND_LEASE_MS - 1;
    expect(await kept.keep()).toBeDefined();
    now += BIND_LEASE_MS - 1;
    expect(statusOf(await tryBind(kept, newAddress()))).toBe('ESME_RBINDFAIL');
    now += 1;
    expect(statusOf(await tryBind(kept, newAddress()))).toBe('bound');
  });

  it('ends if it was not renewed in time and its slot belongs to another by now, which is unaffected', async () => {
    const late = await bound({ maxBinds: 1 });
    now += BIND_LEASE_MS;
    const other = slotOf(await tryBind(late, newAddress()));
    expect(await late.keep()).toBeUndefined();
    expect(await ports.binds.keep(other, now + BIND_LEASE_MS)).toBe(true);
  });

  it('ends with its account, with its place among fewer binds, and where its address is allowed no more; its slot is free then', async () => {
    const gone = await bound();
    await deleteAccount(store, gone.grantor, gone.account.id, now);
    expect(await gone.keep()).toBeUndefined();

    const moved = await bound({ maxBinds: 1 });
    await moved.change({ allowedIps: ['198.51.100.0/24'] });
    expect(await moved.keep()).toBeUndefined();
    await moved.change({ allowedIps: undefined });
    expect(statusOf(await tryBind(moved, newAddress()))).toBe('bound');

    const fewer = await bound({ maxBinds: 2 });
    const other = slotOf(await tryBind(fewer, newAddress()));
    await fewer.change({ maxBinds: 1 });
    const { organizationId } = fewer.account;
    const kept = await Promise.all(
      [fewer.slot, other].map((slot) => keepBind(ports, { organizationId, slot, address: fewer.address })),
    );
    expect(kept.filter((account) => account !== undefined)).toHaveLength(1);
  });
});

describe('failed binds of an address', () => {
  it('are ten a minute, in 24 processes together; beyond that the password is not checked', async () => {
    const account = await newAccount();
    const address = newAddress();
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, async () => tryBind({ ...account, password: 'wrong' }, address, portsOf(ownTable()))),
    );
    expect(tally(outcomes)).toEqual({ ESME_RINVPASWD: 10, ESME_RBINDFAIL: 14 });
    expect(statusOf(await tryBind(account, address))).toBe('ESME_RBINDFAIL');
    expect(statusOf(await tryBind(account, newAddress()))).toBe('bound');
    now += 60_000 / BIND_ATTEMPTS.perMinute;
    expect(statusOf(await tryBind({ ...account, systemId: 'test_nobody' }, address))).toBe('ESME_RINVSYSID');
    expect(statusOf(await tryBind(account, address))).toBe('ESME_RBINDFAIL');
    now += 60_000;
    expect(statusOf(await tryBind(account, address))).toBe('bound');
  });

  it('are those of a wrong name, from an address that is not allowed, and with a wrong password', async () => {
    const account = await newAccount();
    const elsewhere = await newAccount({ allowedIps: ['198.51.100.0/24'] });
    const address = newAddress();
    for (let more = 0; more < 3; more++) {
      expect(statusOf(await tryBind({ ...account, systemId: 'test_nobody' }, address))).toBe('ESME_RINVSYSID');
      expect(statusOf(await tryBind(elsewhere, address))).toBe('ESME_RBINDFAIL');
      expect(statusOf(await tryBind({ ...account, password: 'wrong' }, address))).toBe('ESME_RINVPASWD');
    }
    expect(await ports.drawAttempt(address)).toBe(true);
    expect(await ports.drawAttempt(address)).toBe(false);
  });

  it('are not used up by successful binds, even 12 concurrently, nor by those beyond maxBinds', async () => {
    const account = await newAccount({ maxBinds: 14 });
    const address = newAddress();
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => tryBind(account, address)));
    for (let more = 0; more < 2; more++) outcomes.push(await tryBind(account, address));
    expect(tally(outcomes)).toEqual({ bound: 14 });
    for (let more = 0; more < 12; more++) expect(statusOf(await tryBind(account, address))).toBe('ESME_RBINDFAIL');
    expect(statusOf(await tryBind({ ...account, password: 'wrong' }, address))).toBe('ESME_RINVPASWD');
  });
});
