import fc from 'fast-check';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { saoPauloMonth } from '../../shared/domain/core/time.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { bandAt, edgesOf, type PriceTable, priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { positionsOf } from '../../shared/domain/sending/positions.ts';
import { rememberWallet, seenWallet } from '../../shared/storage/wallet/lane-cache.ts';
import { openLanes } from '../../shared/storage/wallet/lanes.ts';
import { readLedger } from '../../shared/storage/wallet/ledger.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { checkLanes, recallAll } from '../../shared/storage/wallet/recall.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { checkMoney } from '../support/money.ts';
import type { World } from '../support/world.ts';

/** The steps of a wallet with lanes. Numbers select among the existing objects. */
export type LaneStep =
  | { readonly kind: 'send'; readonly segments: number; readonly refused: boolean }
  | { readonly kind: 'burst'; readonly sends: number }
  | { readonly kind: 'credit'; readonly coins: number }
  | { readonly kind: 'open' | 'recall' | 'check' | 'another process' | 'month' }
  | { readonly kind: 'prices'; readonly table: number };

const band = (upTo: number | null, coins: number) => ({ upTo, coins });
const row = (route: string, ...bands: ReturnType<typeof band>[]) => ({
  channel: 'sms',
  route,
  unit: 'segment' as const,
  bands,
});
/** Price tables with edges that a few sends reach. */
const TABLES: readonly PriceTable[] = [
  [row('otp', band(25, 900), band(80, 700), band(null, 500)), row('premium', band(40, 1_000), band(null, 600))],
  [row('otp', band(60, 800), band(null, 650)), row('premium', band(30, 1_100), band(90, 1_050), band(null, 1_000))],
  [row('otp', band(null, 750)), row('premium', band(null, 950))],
];

const TEXT = 'A text of one segment. ';
const textOf = (segments: number): string =>
  segments === 1 ? TEXT : TEXT.repeat(Math.ceil((segments * 153) / TEXT.length)).slice(0, segments * 153 - 5);

/** A plain ledger beside the service: what the balance must be, and how many positions of each month were kept. */
class LaneHistory {
  balance: number;
  #keys = 0;
  #steps = 0;
  readonly #world: World;
  readonly #actor: Actor;

  constructor(world: World, actor: Actor, coins: number) {
    this.#world = world;
    this.#actor = actor;
    this.balance = coins;
  }

  async #read(id: Id<'message'>): Promise<MessageRecord> {
    const message = await this.#world.ports.messageStore.read(id);
    if (!message) throw new Error('a sent message is not stored');
    return message;
  }

  async #send(segments: number, refused: boolean): Promise<void> {
    const world = this.#world;
    if (refused) world.provider.script.push({ kind: 'refused', cause: 'recipient', detail: 'no such number' });
    this.#keys += 1;
    const before = this.balance;
    const sent = await world.sms(this.#actor, `key-${this.#keys}`, { body: textOf(segments), route: 'otp' });
    world.provider.script.length = 0;
    if (isRefusal(sent)) {
      const mostExpensive = Math.max(...TABLES.flat().flatMap(({ bands }) => bands.map(({ coins }) => coins)));
      if (sent.name === 'PAYMENT_REQUIRED' && before >= mostExpensive * segments)
        throw new Error(`402 with ${before} coins for ${segments} segments`);
      if (sent.name !== 'PAYMENT_REQUIRED' && !refused) throw new Error(`refused: ${sent.name}`);
      return;
    }
    const message = await this.#read(sent.id);
    const { coins } = message;
    const price = priceRowOf(world.prices, 'sms', 'otp');
    const positions = positionsOf(message)?.positions ?? [];
    const expected = price && positions.reduce((sum, { from, units }) => sum + units * bandAt(price, from).coins, 0);
    if (coins !== expected) throw new Error(`${coins} coins for positions that cost ${expected}`);
    this.balance -= coins;
  }

  async #burst(sends: number): Promise<void> {
    const world = this.#world;
    const from = this.#keys;
    this.#keys += sends;
    const results = await Promise.all(
      Array.from({ length: sends }, (_, at) =>
        world.sms(this.#actor, `key-${from + at + 1}`, { body: TEXT, route: 'otp' }),
      ),
    );
    for (const sent of results) {
      if (!isRefusal(sent)) this.balance -= (await this.#read(sent.id)).coins;
      else if (sent.name !== 'PAYMENT_REQUIRED') throw new Error(`refused: ${sent.name}`);
    }
  }

  async #apply(step: LaneStep): Promise<void> {
    const world = this.#world;
    const { table } = world;
    const { organizationId } = this.#actor;
    const price = priceRowOf(world.prices, 'sms', 'otp');
    if (!price) throw new Error('there is no price');
    switch (step.kind) {
      case 'send':
        return this.#send(step.segments, step.refused);
      case 'burst':
        return this.#burst(step.sends);
      case 'credit':
        await creditWallet(table, { organizationId, env: 'live', coins: step.coins, description: '', now: world.now });
        this.balance += step.coins;
        return;
      case 'open': {
        const volume = { channel: 'sms', month: saoPauloMonth(world.now), price } as const;
        return openLanes(table, organizationId, { coins: 900, units: 1, sends: 1, volume }, world.now);
      }
      case 'recall':
        await recallAll(table, organizationId);
        return;
      case 'check':
        world.now += 31_000;
        return checkLanes(table, organizationId, edgesOf(price), world.now);
      case 'another process': {
        // A process's memory is lost with it; another starts from what it reads.
        const seen = seenWallet(table, organizationId);
        seen.lanes.clear();
        const [wallet] = await table.getMany([{ pk: `WALLET#${organizationId}`, sk: 'W' }], { consistent: true });
        if (wallet) rememberWallet(table, organizationId, wallet);
        return;
      }
      case 'month':
        world.now += 31 * 86_400_000;
        return;
      case 'prices':
        world.prices = TABLES[step.table % TABLES.length] ?? world.prices;
    }
  }

  /** Applies a step; throws where the service's balance, or at every tenth its ledger's newest line, is not the plain ledger's. */
  async run(step: LaneStep): Promise<void> {
    await this.#apply(step);
    const { table } = this.#world;
    const { organizationId } = this.#actor;
    const { balance, held } = (await readWallet(table, organizationId)) ?? { balance: Number.NaN, held: Number.NaN };
    if (balance !== this.balance || held !== 0)
      throw new Error(`after ${JSON.stringify(step)}: ${balance} coins and ${held} held, not ${this.balance} and 0`);
    // A query a lane: not after every step.
    this.#steps += 1;
    if (this.#steps % 10 > 0) return;
    const { lines } = await readLedger(table, organizationId, 1);
    if (lines[0]?.balanceCoins !== this.balance) throw new Error('the ledger’s newest line has another balance');
  }

  /** Lets the lanes close, and checks every invariant of money and positions. */
  async end(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await this.#apply({ kind: 'check' });
    const { table } = this.#world;
    const { organizationId } = this.#actor;
    const { wallet } = (await readWallet(table, organizationId)) ?? {};
    if (wallet?.opened !== 0 || wallet.lanes !== 0 || wallet.leased !== 0)
      throw new Error(`a quiet wallet has lanes: ${JSON.stringify(wallet)}`);
    await checkMoney(table, organizationId);
  }
}

/** Runs a history on a new organization; throws at the first step after which money or positions are wrong. */
export const runLaneHistory = async (world: World, steps: readonly LaneStep[], coins: number): Promise<void> => {
  world.reset();
  world.prices = TABLES[0] ?? world.prices;
  const history = new LaneHistory(world, await world.organization(coins), coins);
  for (const step of steps) await history.run(step);
  await history.end();
};

const kindOnly = (
  ...kinds: Extract<LaneStep, { kind: 'open' | 'recall' | 'check' | 'another process' | 'month' }>['kind'][]
) => fc.constantFrom(...kinds).map((kind): LaneStep => ({ kind }));

const step: fc.Arbitrary<LaneStep> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constant('send'),
      segments: fc.integer({ min: 1, max: 4 }),
      refused: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('burst'), sends: fc.integer({ min: 2, max: 6 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('credit'), coins: fc.integer({ min: 1, max: 60_000 }) }) },
  { weight: 12, arbitrary: kindOnly('open') },
  { weight: 14, arbitrary: kindOnly('recall', 'check', 'another process') },
  { weight: 1, arbitrary: kindOnly('month') },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('prices'), table: fc.nat(2) }) },
) as fc.Arbitrary<LaneStep>;

/** Histories of so many steps, mostly sends. */
export const laneHistories = (steps: number): fc.Arbitrary<LaneStep[]> =>
  fc.array(step, { minLength: steps, maxLength: steps, size: 'max' });
