import { channelOf } from '../channels/registry.ts';
import { hourOf, type SentCounts } from '../contacts/frequency.ts';
import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse, Unavailable } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { saoPauloMonth } from '../core/time.ts';
import { type MonthVolume, NO_VOLUME, quoteUnits } from '../pricing/volume.ts';
import type { IdempotencyRecord } from '../sending/message-store.ts';
import { consentRefusal, exceedsMaxCoins, NO_FUNDS, RATE_EXCEEDED } from '../sending/refusals.ts';
import {
  type Ceiling,
  type ChunkMessage,
  type ChunkReservation,
  type Item,
  type PricedChunk,
  priceChunk,
} from './chunk.ts';
import { countChunk, countedContacts, presentContacts } from './count-chunk.ts';
import type { BulkPorts } from './ports.ts';
import { keyRefusal, type Refused, undecidedMessages } from './prepare.ts';

/** A chunk of a batch that must be decided by `decidedBy` (ms). */
export interface ChunkPosition {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly decidedBy: number;
  /** The maximum coins that it may take, whatever the wallet has. */
  readonly budget?: number | undefined;
}

/** The result of reserving a chunk. */
export interface ChunkResult {
  readonly accepted: readonly Item[];
  /** Their total price. */
  readonly coins: number;
  readonly refused: readonly Refused[];
  /** Whether the wallet refused any message, as opposed to the budget. */
  readonly isWalletShort: boolean;
  /** Messages that a concurrent call created with the same key. */
  readonly replays: readonly { readonly index: number; readonly messageId: Id<'message'> }[];
}

/** Attempts on concurrent changes of volume, funds, lanes, keys and counts; each uses what the previous one learned. */
const MAX_ATTEMPTS = 40;

const BUSY = refuse('SERVICE_UNAVAILABLE', { detail: 'The service is busy; try again.', retryAfterSeconds: 1 });

/** A volume at which each of the messages has the same price as at the true one. */
export const volumeFor = async (
  ports: Pick<BulkPorts, 'volume'>,
  { organizationId, env }: Tenant,
  month: string,
  items: readonly Pick<Item, 'plan'>[],
) => {
  const counted = new Map(
    items
      .filter(({ plan }) => channelOf(plan.channel).countsVolume)
      .map(({ plan }) => [`${plan.route} ${plan.price.prefix ?? ''} ${plan.units}`, plan] as const),
  );
  if (counted.size === 0) return NO_VOLUME;
  const range = (at: MonthVolume) => {
    const quotes = [...counted.values()].map(({ price, units }) => quoteUnits(price, units, at));
    return {
      volumeFrom: Math.max(...quotes.map(({ volumeFrom }) => volumeFrom)),
      volumeTo: Math.min(...quotes.map(({ volumeTo }) => volumeTo)),
    };
  };
  return ports.volume(organizationId, env, month, range);
};

/** A lane to debit, and a volume that gives each message its price in that lane. */
const volumeInLane = async (
  ports: BulkPorts,
  tenant: Tenant,
  month: string,
  items: readonly Item[],
  mustUseRoot: boolean,
) => {
  const [counted] = items.filter(({ plan }) => channelOf(plan.channel).countsVolume);
  const of = tenant.env === 'live' && counted ? { channel: counted.plan.channel, month } : undefined;
  const { lane, volume } = mustUseRoot ? { lane: 0, volume: undefined } : await ports.debitLane(tenant, of);
  return { lane, volume: volume ?? (await volumeFor(ports, tenant, month, items)) };
};

const ceilingOf = (items: readonly Item[]): Ceiling | undefined => {
  const limited = items.filter(({ plan }) => plan.perSecond !== undefined);
  const [first] = limited;
  return first && { channel: first.plan.channel, sends: limited.length, perSecond: first.plan.perSecond ?? 0 };
};

/** The state of a chunk's reservation: the remaining items, and the results so far. */
class ChunkProgress {
  remaining: readonly Item[];
  /** In coins: the known balance. */
  budget: number;
  isWalletShort = false;
  /** The known send counts of the contacts. */
  readonly sent = new Map<Id<'contact'>, SentCounts>();
  readonly refused: Refused[] = [];
  readonly replays: ChunkResult['replays'][number][] = [];

  constructor(items: readonly Item[], budget: number) {
    this.remaining = items;
    this.budget = budget;
  }
  refuse(items: readonly Item[], refusal: Refusal): void {
    const removed = new Set(items);
    this.remaining = this.remaining.filter((item) => !removed.has(item));
    for (const { index } of items) this.refused.push({ index, refusal });
  }
  result(accepted: readonly Item[], coins = 0): ChunkResult {
    const { refused, isWalletShort, replays } = this;
    return { accepted, coins, refused, isWalletShort, replays };
  }
}

const removeReplays = async (
  ports: BulkPorts,
  progress: ChunkProgress,
  priced: PricedChunk,
  idempotencyRecords: ReadonlyMap<Id<'message'>, IdempotencyRecord>,
): Promise<void> => {
  const undecided = await undecidedMessages(
    ports,
    [...idempotencyRecords.values()].flatMap(({ messageId }) => messageId ?? []),
  );
  for (const { item, message } of priced.accepted) {
    const idempotencyRecord = idempotencyRecords.get(message.message.id);
    if (!idempotencyRecord) continue;
    const { messageId, requestHash } = idempotencyRecord;
    if (requestHash !== message.requestHash || messageId === undefined)
      progress.refuse([item], keyRefusal(item.key, 'another_body'));
    else if (undecided.has(messageId)) progress.refuse([item], keyRefusal(item.key, 'undecided'));
    else {
      progress.remaining = progress.remaining.filter((one) => one !== item);
      progress.replays.push({ index: item.index, messageId });
    }
  }
};

/** Refuses the items that exceed the contracted rate of this second. */
const refuseAboveCeiling = (progress: ChunkProgress, { perSecond }: Ceiling, sends: number): void => {
  const limited = progress.remaining.filter(({ plan }) => plan.perSecond !== undefined);
  progress.refuse(limited.slice(Math.max(0, perSecond - sends)), RATE_EXCEEDED);
};

/** Reads the send counts of the contacts of counted messages. */
const readSent = async (ports: BulkPorts, progress: ChunkProgress): Promise<void> => {
  const contacts = countedContacts(progress.remaining);
  if (contacts.length === 0) return;
  for (const [at, counts] of (await ports.store.sentTo(contacts)).entries()) {
    const contact = contacts[at];
    if (contact) progress.sent.set(contact, counts);
  }
};

/** The messages of a chunk to some contacts. */
const itemsTo = ({ remaining }: ChunkProgress, contactIds: ReadonlySet<Id<'contact'>>): readonly Item[] =>
  remaining.filter(({ frequency, person }) => {
    const contactId = (person ?? frequency)?.contactId;
    return contactId !== undefined && contactIds.has(contactId);
  });

/** Reserves a chunk; if every response was lost, the chunk's row shows whether the transaction was committed. */
const reserveOrVerify = async (ports: BulkPorts, reservation: ChunkReservation) => {
  try {
    return await ports.store.reserveChunk(reservation);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const found = await ports.store.readChunk(reservation.batchId, reservation.chunk).catch(() => undefined);
    return found ? ({ kind: 'reserved' } as const) : undefined;
  }
};

/** A message to store, with the hour in which it counts. */
const countedMessage = ({ item, message }: PricedChunk['accepted'][number], now: number): ChunkMessage =>
  item.frequency ? { ...message, message: { ...message.message, countedHour: hourOf(now) } } : message;

/**
 * Reserves one chunk: its messages and their one debit in one transaction. Items that the wallet does not cover, that exceed their
 * `maxCoins` or that are replays are removed, and the rest is tried again.
 */
export const reserveItems = async (
  ports: BulkPorts,
  tenant: Tenant,
  { budget: atMost = Number.MAX_SAFE_INTEGER, ...position }: ChunkPosition,
  items: readonly Item[],
): Promise<ChunkResult> => {
  const progress = new ChunkProgress(items, atMost);
  await readSent(ports, progress);
  let mustUseRoot = false;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const now = ports.clock();
    const month = saoPauloMonth(now);
    const { lane, volume } = await volumeInLane(ports, tenant, month, progress.remaining, mustUseRoot);
    const pricing = { ...position, env: tenant.env, month, volume, lane, budget: progress.budget };
    const priced = priceChunk(progress.remaining, pricing);
    for (const item of priced.exceedsMaxCoins) progress.refuse([item], exceedsMaxCoins(item.plan.maxCoins ?? 0));
    progress.refuse(priced.unaffordable, NO_FUNDS);
    progress.isWalletShort ||= priced.unaffordable.length > 0 && progress.budget < atMost;
    const accepted = priced.accepted.map(({ item }) => item);
    const [first] = accepted;
    if (!first) return progress.result([]);
    const { counts, capped } = countChunk(accepted, progress.sent, now);
    if (capped.length > 0) {
      for (const { item, refusal } of capped) progress.refuse([item], refusal);
      continue;
    }
    const ceiling = ceilingOf(accepted);
    const outcome = await reserveOrVerify(ports, {
      ...position,
      organizationId: tenant.organizationId,
      env: tenant.env,
      lane,
      messages: priced.accepted.map((one) => countedMessage(one, now)),
      counts,
      contacts: presentContacts(accepted),
      coins: priced.coins,
      createdAt: now,
      leavesAt: first.initial.at,
      volume: priced.volume,
      ceiling,
    });
    if (!outcome) break;
    if (outcome.kind === 'reserved') return progress.result(accepted, priced.coins);
    if (outcome.kind === 'moved') mustUseRoot = outcome.root === true;
    else if (outcome.kind === 'insufficient') progress.budget = Math.min(atMost, outcome.balance);
    else if (outcome.kind === 'volume_changed') ports.learnVolume(tenant.organizationId, month, outcome.volume);
    else if (outcome.kind === 'counts_changed')
      for (const [contact, sent] of outcome.counts) progress.sent.set(contact, sent);
    else if (outcome.kind === 'contacts_changed') {
      progress.refuse(itemsTo(progress, outcome.gone), consentRefusal('unknown_contact'));
      // The next attempt checks again whether the person already has a message under a merged contact.
      progress.refuse(itemsTo(progress, outcome.merged), BUSY);
    } else if (outcome.kind === 'ceiling') {
      if (ceiling) refuseAboveCeiling(progress, ceiling, outcome.sends);
    } else await removeReplays(ports, progress, priced, outcome.idempotencyRecords);
  }
  progress.refuse(progress.remaining, BUSY);
  return progress.result([]);
};
