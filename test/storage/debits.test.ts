import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { WARNING_LEVEL, type WalletState, warnedAfterCredit } from '../../shared/domain/wallet/wallet.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { planDebit } from '../../shared/storage/wallet/wallet.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const COINS = 800;
/** At, just below and just above every threshold that a debit of COINS can meet. */
const FULL = 5_000;
const BALANCES = [799, 800, 801, 1_599, 1_600, FULL];
const THRESHOLDS = [0, 1, 800];
const STATES: readonly WalletState[] = BALANCES.flatMap((balance) =>
  THRESHOLDS.flatMap((low) =>
    Object.values(WARNING_LEVEL).map((warned) => ({ balance: asCoins(balance), low: asCoins(low), warned })),
  ),
);

/** The outcome of a debit, written apart from the rules: whether it is covered, and the events of thresholds crossed without a warning. */
const expectedOf = ({ balance, low, warned }: WalletState) => {
  const left = balance - COINS;
  return {
    fits: left >= 0,
    raised: [
      ...(left < low && warned === WARNING_LEVEL.nothing ? ['wallet.low_balance'] : []),
      ...(left === 0 && warned < WARNING_LEVEL.depleted ? ['wallet.depleted'] : []),
    ],
    balance: left,
  };
};

const world = await use(startWorld('live'));

describe('a debit', () => {
  /** Debits a wallet whose state is `actual`, by a plan made for the state `seen`. */
  const debit = async (seen: WalletState, actual: WalletState) => {
    const at = { organizationId: newId('organization'), env: 'live', now: world.now } as const;
    const key = KEYS.wallet(at.organizationId);
    await world.table.write({ put: { ...key, ...actual, held: 0 } });
    const plan = planDebit(seen, asCoins(COINS), at);
    const warned = plan.warned === undefined ? {} : { set: { warned: plan.warned } };
    const { ok, row } = await world.table.write({ update: key, ...warned, add: { balance: -COINS }, when: plan.when });
    return { ok, raised: plan.events.map(({ type }) => type), balance: row?.balance, warned: row?.warned };
  };

  test('succeeds when the wallet is as it was seen and covers it, and never otherwise', async () => {
    for (const state of STATES) {
      const { fits, raised, balance } = expectedOf(state);
      const done = await debit(state, state);
      expect([state, done.ok]).toEqual([state, fits]);
      if (fits) expect([state, done.raised, done.balance]).toEqual([state, raised, balance]);
    }
  });

  /** Whether a wallet differs from what was seen: in anything of a full one, else in one field. */
  const differ = (seen: WalletState, actual: WalletState): boolean => {
    const fields = (['balance', 'low', 'warned'] as const).filter((name) => seen[name] !== actual[name]).length;
    return seen.balance === FULL ? fields > 0 : fields === 1;
  };

  test('that is planned from an outdated state never overdraws, and crosses no threshold without its event', async () => {
    for (const seen of STATES) {
      const all = STATES.filter((actual) => differ(seen, actual));
      const checks = all.map(async (actual) => {
        const { ok, balance, raised } = await debit(seen, actual);
        const expected = expectedOf(actual);
        if (!ok) expect([seen, actual, balance]).toEqual([seen, actual, actual.balance]);
        else expect([seen, actual, balance, raised]).toEqual([seen, actual, expected.balance, expected.raised]);
        expect(ok && !expected.fits).toBe(false);
      });
      await Promise.all(checks);
    }
  });

  test('that raises a warning records it, so that the next one does not raise it again', async () => {
    for (const state of STATES) {
      const { fits, raised } = expectedOf(state);
      if (!fits || raised.length === 0) continue;
      const { warned } = await debit(state, state);
      expect([state, warned]).toEqual([
        state,
        raised.includes('wallet.depleted') ? WARNING_LEVEL.depleted : WARNING_LEVEL.low,
      ]);
    }
  });
});

test.each([
  [100, 100, WARNING_LEVEL.low, WARNING_LEVEL.nothing],
  [100, 100, WARNING_LEVEL.depleted, WARNING_LEVEL.nothing],
  [99, 100, WARNING_LEVEL.depleted, WARNING_LEVEL.low],
  [99, 100, WARNING_LEVEL.low, WARNING_LEVEL.low],
  [99, 100, WARNING_LEVEL.nothing, WARNING_LEVEL.nothing],
  [1, 0, WARNING_LEVEL.depleted, WARNING_LEVEL.nothing],
  [0, 0, WARNING_LEVEL.depleted, WARNING_LEVEL.depleted],
])('after a credit to %i coins at a threshold of %i, a warned level of %i is %i', (balance, low, warned, due) => {
  expect(warnedAfterCredit(asCoins(balance), asCoins(low), warned)).toBe(due);
});
