import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { WARNING_LEVEL, type WalletState, warnedAfterCredit } from '../../shared/domain/wallet/wallet.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { planDebit } from '../../shared/storage/wallet/wallet.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const COINS = 800;
/** On, just below and just above every line that a debit of COINS can meet. */
const FULL = 5_000;
const BALANCES = [799, 800, 801, 1_599, 1_600, FULL];
const THRESHOLDS = [0, 1, 800];
const STATES: readonly WalletState[] = BALANCES.flatMap((balance) =>
  THRESHOLDS.flatMap((low) =>
    Object.values(WARNING_LEVEL).map((warned) => ({ balance: asCoins(balance), low: asCoins(low), warned })),
  ),
);

/** What a debit owes its wallet, written apart from the rules: it fits, and each line is told when it is crossed unwarned. */
const owed = ({ balance, low, warned }: WalletState) => {
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
  /** Debits a wallet that stands as `stands`, planned by one who last saw it as `seen`. */
  const debit = async (seen: WalletState, stands: WalletState) => {
    const at = { organizationId: newId('organization'), env: 'live', now: world.now } as const;
    const key = KEYS.wallet(at.organizationId);
    await world.table.write({ put: { ...key, ...stands, held: 0 } });
    const plan = planDebit(seen, asCoins(COINS), at);
    const warned = plan.warned === undefined ? {} : { set: { warned: plan.warned } };
    const { ok, row } = await world.table.write({ update: key, ...warned, add: { balance: -COINS }, when: plan.when });
    return { ok, raised: plan.events.map(({ type }) => type), balance: row?.balance, warned: row?.warned };
  };

  test('goes through when the wallet stands as it was seen and covers it, and never else', async () => {
    for (const state of STATES) {
      const { fits, raised, balance } = owed(state);
      const done = await debit(state, state);
      expect([state, done.ok]).toEqual([state, fits]);
      if (fits) expect([state, done.raised, done.balance]).toEqual([state, raised, balance]);
    }
  });

  /** Sights that differ from where the wallet stands: of a full one any, else in one thing. */
  const differ = (seen: WalletState, stands: WalletState): boolean => {
    const things = (['balance', 'low', 'warned'] as const).filter((name) => seen[name] !== stands[name]).length;
    return seen.balance === FULL ? things > 0 : things === 1;
  };

  test('that is planned from an old sight of the wallet overdraws nothing, and passes no line in silence', async () => {
    for (const seen of STATES) {
      const all = STATES.filter((stands) => differ(seen, stands));
      const checks = all.map(async (stands) => {
        const { ok, balance, raised } = await debit(seen, stands);
        const must = owed(stands);
        if (!ok) expect([seen, stands, balance]).toEqual([seen, stands, stands.balance]);
        else expect([seen, stands, balance, raised]).toEqual([seen, stands, must.balance, must.raised]);
        expect(ok && !must.fits).toBe(false);
      });
      await Promise.all(checks);
    }
  });

  test('that raises a warning leaves it noted, so that the next one does not raise it again', async () => {
    for (const state of STATES) {
      const { fits, raised } = owed(state);
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
])(
  'with %i coins at a threshold of %i, what was warned of as %i is due again from %i on',
  (balance, low, warned, due) => {
    expect(warnedAfterCredit(asCoins(balance), asCoins(low), warned)).toBe(due);
  },
);
