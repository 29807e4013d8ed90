import { type Refusal, refuse, Unavailable } from '../errors.ts';
import type { Id } from '../ids.ts';
import { rulesOf } from '../messages/channels.ts';
import type { Tenant } from '../messages/plan.ts';
import { NO_FUNDS, REUSED_KEY, TOO_FAST, tooDear } from '../messages/refusals.ts';
import { quoteUnits } from '../pricing/prices.ts';
import { saoPauloMonth } from '../time.ts';
import { type Ceiling, type ChunkReservation, type Item, type PricedChunk, priceChunk } from './chunk.ts';
import type { BulkPorts } from './ports.ts';
import { type Refused, STILL_OPEN, undecidedOf } from './prepare.ts';

/** Which chunk it is, and until when its batch may be refused as a whole (ms). */
export interface ChunkPlace {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly decidedBy?: number | undefined;
}

/** What became of a chunk's messages. */
export interface ChunkResult {
  readonly accepted: readonly Item[];
  readonly refused: readonly Refused[];
  /** Messages that another call made meanwhile, with the same key. */
  readonly replays: readonly { readonly index: number; readonly messageId: string }[];
}

/** Tries against moving volumes, funds and keys; each of them learns. */
const TRIES = 12;

const BUSY = refuse('SERVICE_UNAVAILABLE', { detail: 'The service is busy; try again.', retryAfterSeconds: 1 });

/** The volume that a chunk is priced by: one that prices each of its messages as the true one does. */
export const volumeFor = async (
  ports: Pick<BulkPorts, 'volume'>,
  { organizationId, env }: Tenant,
  month: string,
  items: readonly Pick<Item, 'plan'>[],
) => {
  const counted = new Map(
    items
      .filter(({ plan }) => rulesOf(plan.channel).countsVolume)
      .map(({ plan }) => [`${plan.route} ${plan.units}`, plan] as const),
  );
  if (counted.size === 0) return 0;
  const holdsUntil = (at: number) =>
    Math.min(...[...counted.values()].map(({ price, units }) => quoteUnits(price, units, at).volumeTo));
  return ports.volume(organizationId, env, month, holdsUntil);
};

const ceilingOf = (items: readonly Item[]): Ceiling | undefined => {
  const bound = items.filter(({ plan }) => plan.perSecond !== undefined);
  const [first] = bound;
  return first && { channel: first.plan.channel, sends: bound.length, perSecond: first.plan.perSecond ?? 0 };
};

/** One chunk on its way in: what is left of it, and what was already decided of the others. */
class Attempt {
  left: readonly Item[];
  /** In coins: all that is known of the wallet. */
  budget = Number.MAX_SAFE_INTEGER;
  readonly refused: Refused[] = [];
  readonly replays: ChunkResult['replays'][number][] = [];

  constructor(items: readonly Item[]) {
    this.left = items;
  }
  refuse(items: readonly Item[], refusal: Refusal): void {
    const gone = new Set(items);
    this.left = this.left.filter((item) => !gone.has(item));
    for (const { index } of items) this.refused.push({ index, refusal });
  }
  result(accepted: readonly Item[]): ChunkResult {
    return { accepted, refused: this.refused, replays: this.replays };
  }
}

const takeOutKept = async (
  ports: BulkPorts,
  attempt: Attempt,
  priced: PricedChunk,
  promises: ReadonlyMap<string, { readonly messageId: string; readonly requestHash: string }>,
): Promise<void> => {
  const undecided = await undecidedOf(
    ports,
    [...promises.values()].map(({ messageId }) => messageId),
  );
  for (const { item, message } of priced.taken) {
    const promise = promises.get(message.message.id);
    if (!promise) continue;
    if (promise.requestHash !== message.requestHash) attempt.refuse([item], REUSED_KEY);
    else if (undecided.has(promise.messageId)) attempt.refuse([item], STILL_OPEN);
    else {
      attempt.left = attempt.left.filter((one) => one !== item);
      attempt.replays.push({ index: item.index, messageId: promise.messageId });
    }
  }
};

/** Leaves out what no longer fits into this second. */
const withinCeiling = (attempt: Attempt, { perSecond }: Ceiling, sends: number): void => {
  const bound = attempt.left.filter(({ plan }) => plan.perSecond !== undefined);
  attempt.refuse(bound.slice(Math.max(0, perSecond - sends)), TOO_FAST);
};

/** A transaction whose answers were all lost: its own row tells whether it is in. */
const reserveOrLook = async (ports: BulkPorts, reservation: ChunkReservation) => {
  try {
    return await ports.store.reserveChunk(reservation);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const found = await ports.store.readChunk(reservation.batchId, reservation.chunk).catch(() => undefined);
    return found ? ({ kind: 'reserved' } as const) : undefined;
  }
};

/**
 * Takes one chunk in: the debit of all of its messages with them in one transaction. What the wallet does not cover, what is too dear,
 * and what stands already is left out, and the rest goes again.
 */
export const reserveItems = async (
  ports: BulkPorts,
  tenant: Tenant,
  place: ChunkPlace,
  items: readonly Item[],
): Promise<ChunkResult> => {
  const attempt = new Attempt(items);
  for (let turn = 0; turn < TRIES; turn++) {
    const now = ports.clock();
    const month = saoPauloMonth(now);
    const volume = await volumeFor(ports, tenant, month, attempt.left);
    const by = { ...place, env: tenant.env, month, volume, budget: attempt.budget };
    const priced = priceChunk(attempt.left, by);
    for (const item of priced.tooDear) attempt.refuse([item], tooDear(item.plan.maxCoins ?? 0));
    attempt.refuse(priced.unaffordable, NO_FUNDS);
    const accepted = priced.taken.map(({ item }) => item);
    const [first] = accepted;
    if (!first) return attempt.result([]);
    const ceiling = ceilingOf(accepted);
    const outcome = await reserveOrLook(ports, {
      ...place,
      organizationId: tenant.organizationId,
      env: tenant.env,
      messages: priced.taken.map(({ message }) => message),
      coins: priced.coins,
      createdAt: now,
      leavesAt: first.beginning.at,
      volume: priced.volume,
      ceiling,
    });
    if (!outcome) break;
    if (outcome.kind === 'reserved') return attempt.result(accepted);
    if (outcome.kind === 'insufficient') attempt.budget = outcome.balance;
    else if (outcome.kind === 'volume_moved') ports.learnVolume(tenant.organizationId, month, outcome.volume);
    else if (outcome.kind === 'ceiling') {
      if (ceiling) withinCeiling(attempt, ceiling, outcome.sends);
    } else await takeOutKept(ports, attempt, priced, outcome.promises);
  }
  attempt.refuse(attempt.left, BUSY);
  return attempt.result([]);
};
