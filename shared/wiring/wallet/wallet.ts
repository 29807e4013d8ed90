import type { Actor } from '../../domain/core/actor.ts';
import { type Refusal, refuse } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { asCoins } from '../../domain/core/money.ts';
import { saoPauloMonth } from '../../domain/core/time.ts';
import { bandRanges, priceRowOf } from '../../domain/pricing/prices.ts';
import { quoteUnits } from '../../domain/pricing/volume.ts';
import { readWallet } from '../../storage/wallet/read-wallet.ts';
import { readVolume } from '../../storage/wallet/volumes.ts';
import { setLowBalance } from '../../storage/wallet/wallet.ts';
import { clock, liveTable, table } from '../process/aws.ts';
import { prices, visibleBands } from './quote.ts';

const bandsOf = async (organizationId: Id<'organization'>) => {
  const month = saoPauloMonth(clock());
  const { table: rows } = await prices();
  const volume = await readVolume(liveTable, organizationId, 'sms', month, await visibleBands());
  const routes = new Set(
    rows.flatMap(({ channel, unit, route }) => (channel === 'sms' && unit === 'segment' ? route : [])),
  );
  return [...routes].flatMap((route) => {
    const row = priceRowOf(rows, 'sms', route);
    if (!row) return [];
    return {
      channel: row.channel,
      route,
      month,
      segments: volume.taken - volume.free.reduce((sum, { units }) => sum + units, 0),
      band: { ...quoteUnits(row, 1, volume).band },
    };
  });
};

/** The wallet on the wire (docs/spec/wallet.md#balance). Every organization has one; before its first entry it is empty. */
export const walletView = async (actor: Actor) => {
  const [read, bands] = await Promise.all([readWallet(table, actor.organizationId), bandsOf(actor.organizationId)]);
  return {
    env: actor.env,
    balanceCoins: read?.balance ?? 0,
    heldCoins: read?.held ?? 0,
    currency: 'BRL' as const,
    coinValue: '0.0001' as const,
    lowBalanceCoins: read?.wallet.low ?? 0,
    bands,
  };
};

/** Sets the low-balance threshold, in coins. */
export const changeLowBalance = async (
  actor: Actor,
  lowBalanceCoins: number,
): Promise<Awaited<ReturnType<typeof walletView>> | Refusal<'VALIDATION_ERROR'>> => {
  const changed = await setLowBalance(table, actor, asCoins(lowBalanceCoins), clock());
  return changed ? walletView(actor) : refuse('VALIDATION_ERROR', 'The organization has no wallet yet.');
};

/** The price table in force. */
export const pricesView = async () => {
  const { effectiveFrom, table: rows } = await prices();
  return {
    effectiveFrom,
    items: rows.map((row) => ({
      channel: row.channel,
      route: row.route,
      ...(row.prefix === undefined ? {} : { prefix: row.prefix }),
      unit: row.unit,
      bands: bandRanges(row).map((band) => ({ ...band })),
    })),
  };
};
