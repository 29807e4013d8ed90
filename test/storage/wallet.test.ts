import { describe, expect, test } from 'vitest';
import { asCoins } from '../../shared/domain/core/money.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { type LedgerPosition, readLedger } from '../../shared/storage/wallet/ledger.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { creditWallet, setLowBalance } from '../../shared/storage/wallet/wallet.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));

describe('a wallet', () => {
  const raised = async () => (await world.raised()).map(({ type }) => type).sort();

  test('warns of a low balance once, by the one debit that crosses the threshold, however many race', async () => {
    const actor = await world.organization(80_000);
    world.workItems.length = 0;
    await Promise.all(Array.from({ length: 60 }, () => world.sms(actor)));
    expect(await raised()).toEqual(['wallet.low_balance']);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 80_000 - 60 * 800 });
  });

  test('warns at normal priority, also where a one-time password crosses the threshold', async () => {
    const actor = await world.organization(50_000);
    world.workItems.length = 0;
    expect(await world.sms(actor, 'otp', { route: 'otp' })).not.toHaveProperty('name');
    const published = world.workItems.filter(({ kind }) => kind === 'publish_event');
    const { pk } = published[0] ?? {};
    expect((await world.table.get({ pk: pk ?? '', sk: 'EVT' }))?.type).toBe('wallet.low_balance');
    expect(published).toEqual([{ kind: 'publish_event', pk, sk: 'EVT', owner: actor.organizationId }]);
  });

  test('warns that it is depleted once, by the debit that empties it, and again only after a credit', async () => {
    const actor = await world.organization(1_600);
    world.workItems.length = 0;
    await Promise.all(Array.from({ length: 30 }, () => world.sms(actor)));
    expect((await raised()).filter((type) => type === 'wallet.depleted')).toHaveLength(1);
    await creditWallet(world.table, {
      organizationId: actor.organizationId,
      env: 'live',
      coins: 800,
      description: 'Top-up',
      now: world.now,
    });
    await world.sms(actor);
    expect((await raised()).filter((type) => type === 'wallet.depleted')).toHaveLength(1);
  });

  test('warns that it is depleted when a send is refused though some coins are left', async () => {
    const actor = await world.organization(799);
    world.workItems.length = 0;
    expect(await world.sms(actor, 'k')).toMatchObject({ name: 'PAYMENT_REQUIRED' });
    expect(await world.sms(actor, 'k')).toMatchObject({ name: 'PAYMENT_REQUIRED' });
    const row = await readWallet(world.table, actor.organizationId);
    expect(row).toMatchObject({ balance: 799, wallet: { warned: 2 } });
  });

  test('whose threshold is raised above the balance warns at the next debit; 0 turns the warning off', async () => {
    const actor = await world.organization(1_000_000);
    world.workItems.length = 0;
    await setLowBalance(world.table, actor, asCoins(2_000_000), world.now);
    await world.sms(actor);
    expect(await raised()).toEqual(['wallet.low_balance']);
    await setLowBalance(world.table, actor, asCoins(0), world.now);
    await world.sms(actor);
    expect(await raised()).toEqual([]);
    expect(await readWallet(world.table, actor.organizationId)).toMatchObject({ wallet: { low: 0, warned: 0 } });
  });

  test('is credited once per idempotency key, and only by positive whole coins', async () => {
    const actor = await world.organization(1_000);
    const credit = {
      organizationId: actor.organizationId,
      env: 'live' as const,
      coins: 500,
      description: 'Top-up',
      now: world.now,
      idempotencyKey: 'pix-1',
    };
    await Promise.all(Array.from({ length: 10 }, () => creditWallet(world.table, credit)));
    expect(await creditWallet(world.table, credit)).toEqual({ balanceCoins: 1_500 });
    for (const coins of [0, -1, 0.5, Number.NaN, 2 ** 53])
      await expect(creditWallet(world.table, { ...credit, coins })).rejects.toThrow(RangeError);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 1_500 });
  });

  test('is not credited under a key that credited another amount, which is named; one recorded without an amount is a repeat', async () => {
    const { organizationId } = await world.organization(1_000);
    const credit = { organizationId, env: 'live' as const, description: 'Top-up', now: world.now };
    const under = (idempotencyKey: string, coins: number) =>
      creditWallet(world.table, { ...credit, idempotencyKey, coins });
    expect(await under('pix-1', 100)).toEqual({ balanceCoins: 1_100 });
    await expect(under('pix-1', 999)).rejects.toMatchObject({ name: 'CreditKeyUsed', credited: 100 });
    expect(await under('pix-1', 100)).toEqual({ balanceCoins: 1_100 });
    const wishes = Array.from({ length: 10 }, (_, at) => under('pix-2', at + 1));
    const credited = (await Promise.allSettled(wishes)).filter(({ status }) => status === 'fulfilled');
    expect(credited).toHaveLength(1);
    const { balance } = await checkMoney(world.table, organizationId);
    const earlier = KEYS.idempotency(organizationId, 'credit\npix-3');
    await world.table.putMany([{ ...earlier, at: '2026-01-01T00:00:00.000Z' }]);
    expect(await under('pix-3', 999)).toEqual({ balanceCoins: balance });
    await checkMoney(world.table, organizationId);
  });

  test('is credited under the keys of the operator alone: no caller’s key takes one of them, or meets it', async () => {
    const actor = await world.organization(10_000);
    const { organizationId } = actor;
    const credit = (idempotencyKey: string) =>
      creditWallet(world.table, {
        organizationId,
        env: 'live',
        coins: 500,
        description: 'Top-up',
        now: world.now,
        idempotencyKey,
      });
    accepted(await world.sms(actor, 'credit:pix-1'));
    const { balance } = await checkMoney(world.table, organizationId);
    expect(await credit('pix-1')).toEqual({ balanceCoins: balance + 500 });
    expect(await world.sms(actor, 'credit:pix-1')).toMatchObject({ replayed: true });
    await credit('pix-2');
    accepted(await world.sms(actor, 'credit:pix-2'));
    await checkMoney(world.table, organizationId);
  });

  test('is not credited again under a key that an earlier version recorded among the callers’, where no send may use it', async () => {
    const actor = await world.organization(10_000);
    const { organizationId } = actor;
    await world.table.putMany([
      { ...KEYS.idempotency(organizationId, 'credit:pix-1'), at: '2026-01-01T00:00:00.000Z' },
    ]);
    const credit = { organizationId, env: 'live' as const, coins: 500, description: 'Top-up', now: world.now };
    expect(await creditWallet(world.table, { ...credit, idempotencyKey: 'pix-1' })).toEqual({ balanceCoins: 10_000 });
    expect(await world.sms(actor, 'credit:pix-1')).toMatchObject({ name: 'CONFLICT' });
    expect(await world.ports.idempotencyRecord(organizationId, 'credit:pix-1', world.now)).toEqual(
      expect.objectContaining({ requestHash: '' }),
    );
    expect(await checkMoney(world.table, organizationId)).toMatchObject({ balance: 10_000 });
  });

  test('has a ledger in which each balance follows from the one before it, over all pages', async () => {
    const actor = await world.organization(1_000_000);
    for (let at = 0; at < 12; at++) await world.sms(actor);
    const lines: { coins: number; balanceCoins: number; heldCoins: number; kind: string }[] = [];
    let from: LedgerPosition | undefined;
    do {
      const page = await readLedger(world.table, actor.organizationId, 4, from);
      expect(page.lines.length).toBeLessThanOrEqual(4);
      lines.push(...page.lines);
      from = page.next;
    } while (from);
    expect(lines).toHaveLength(25);
    lines.reduceRight((balance, line) => {
      expect(line.balanceCoins).toBe(balance + line.coins);
      return line.balanceCoins;
    }, 0);
    expect(lines.at(-1)).toMatchObject({ kind: 'credit', coins: 1_000_000 });
    expect(lines.every(({ heldCoins, kind }) => heldCoins === (kind === 'hold' ? 800 : 0))).toBe(true);
  });
});
