import { channelOf } from '../channels/registry.ts';
import type { SentCounts } from '../contacts/frequency.ts';
import type { Environment, Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { jsonBytes } from '../core/json-bytes.ts';
import { asCoins, type Coins } from '../core/money.ts';
import { countedOf } from '../message/automation-counts.ts';
import { formatEscrowShard } from '../message/escrow-shard.ts';
import type { Fallback } from '../message/fallback.ts';
import type { MessageRecord } from '../message/message.ts';
import type { PlannedLink } from '../message/plan.ts';
import type { PriceRow } from '../pricing/prices.ts';
import {
  bothChanges,
  type MonthVolume,
  NO_CHANGE,
  NO_VOLUME,
  quoteUnits,
  type VolumeChange,
} from '../pricing/volume.ts';
import { type Draft, type InitialState, pricedMessage } from '../sending/draft.ts';
import type { CountedSend, SendFrequency } from '../sending/frequency.ts';
import type { RequestKey } from '../sending/idempotency.ts';
import type { IdempotencyRecord } from '../sending/message-store.ts';
import type { SendPlan } from '../sending/plan.ts';
import { rowBytes } from '../sending/size.ts';

/** Rows of a transaction for the chunk itself: wallet, ledger line, chunk, volume, ceiling, and at most three events. */
const OWN_ROWS = 8;
/** A transaction has at most 100 items and 4 MB (DynamoDB, TransactWriteItems); the margin covers attribute names and numbers. */
const MAX_ROWS = 100 - OWN_ROWS;
const MAX_BYTES = 3_000_000;
/** Upper estimate of a message row without its content, in bytes. */
const ROW_BYTES = 3_000;
/** Rows that a chunk's escrow is spread over. Messages of one shard are sent one after the other, so they never contend for its row. */
export const ESCROW_SHARDS = 8;
/**
 * Messages that a shard has before there is another one. A small chunk, as a campaign with a pace sends one each second, is thus not sent
 * all at once, and single sends beside it meet few of its calls.
 */
const MESSAGES_A_SHARD = 5;
const shardsOf = (messages: number): number => Math.min(ESCROW_SHARDS, Math.ceil(messages / MESSAGES_A_SHARD));

const BULK_KEY = 'bulk\n';
/**
 * The key of a message without a caller's key: derived from the request's key, else a new one without an idempotency record. Callers cannot
 * put a line break into a key, so neither collides with theirs.
 */
export const bulkKey = (batchId: Id<'batch'>, requestKey: string | undefined, index: number): string =>
  requestKey === undefined ? `${BULK_KEY}${batchId}\n${index}` : `${requestKey}\n${index}`;
/** Whether a key was generated, without a record. */
export const isBulkKey = (callerKey: string): boolean => callerKey.startsWith(BULK_KEY);
/** Whether a key with a record was derived from the key of a request. */
export const isOfRequest = ({ callerKey }: RequestKey): boolean => callerKey.includes('\n');

/** A message that passed every check except the wallet's. */
export interface Item {
  /** Its index in the request. */
  readonly index: number;
  readonly plan: SendPlan;
  readonly key: RequestKey;
  readonly initial: Extract<InitialState, { status: 'queued' }>;
  readonly drafted: Draft;
  readonly fallback: Fallback | undefined;
  /** Whether the caller gave the message a key, so that an idempotency record is stored. */
  readonly keyed: boolean;
  /** Counts it for its contact's frequency caps; absent if it never counts. */
  readonly frequency?: (SendFrequency & { readonly contactId: Id<'contact'> }) | undefined;
  /** The contact that must exist, with this number of merged contacts, for the message to be accepted; absent if that does not matter. */
  readonly person?: PresentContact | undefined;
}

/** A contact that must exist when a message is accepted. `merges`: the number of contacts that must have been merged into it. */
export interface PresentContact {
  readonly contactId: Id<'contact'>;
  readonly merges?: number | undefined;
}

/** A priced message to be stored with its chunk. */
export interface ChunkMessage {
  readonly message: MessageRecord;
  readonly requestHash: string;
  readonly keepMs?: number | undefined;
  /** Its short links. */
  readonly links: readonly PlannedLink[];
  readonly body?: string | undefined;
  readonly fallback?: Fallback | undefined;
  readonly keyed: boolean;
}

/** Everything that is written in one transaction to accept a chunk. */
export interface ChunkReservation extends Tenant {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  /** The debited lane of the wallet; 0 is the wallet's own row. */
  readonly lane: number;
  readonly messages: readonly ChunkMessage[];
  /** The sum of the messages' prices. */
  readonly coins: Coins;
  /** When it is accepted, in ms. */
  readonly createdAt: number;
  /** When its messages are to be sent, in ms. */
  readonly leavesAt: number;
  /** By when the batch must be decided, in ms. */
  readonly decidedBy: number;
  /** Live only: its change of a channel's monthly volume. */
  readonly volume?: Volume | undefined;
  /** The counts of its messages for frequency caps, once per contact. */
  readonly counts: readonly CountedSend[];
  /** The contacts that must exist, without duplicates. */
  readonly contacts: readonly PresentContact[];
  /** Sends that count against a contracted rate per second. */
  readonly ceiling?: Ceiling | undefined;
}
/** Sends of a chunk that count against the contracted rate of a channel. */
export interface Ceiling {
  readonly channel: MessageRecord['channel'];
  readonly sends: number;
  readonly perSecond: number;
}
interface Volume {
  readonly channel: MessageRecord['channel'];
  readonly month: string;
  readonly change: VolumeChange;
  /** The price of one of its messages. */
  readonly price: PriceRow;
}

/** The result of a chunk's reservation; all kinds but `reserved` stored nothing. */
export type ChunkOutcome =
  | { readonly kind: 'reserved' }
  /** Keys that are taken: the existing records, by the id of the new message. */
  | { readonly kind: 'keys_taken'; readonly idempotencyRecords: ReadonlyMap<Id<'message'>, IdempotencyRecord> }
  /** Other sends to some of its contacts were counted meanwhile: the new counts. */
  | { readonly kind: 'counts_changed'; readonly counts: ReadonlyMap<Id<'contact'>, SentCounts> }
  /** Contacts that were deleted or merged into others, and those that others were merged into since they were read. */
  | {
      readonly kind: 'contacts_changed';
      readonly gone: ReadonlySet<Id<'contact'>>;
      readonly merged: ReadonlySet<Id<'contact'>>;
    }
  | { readonly kind: 'insufficient'; readonly balance: number }
  /** Sends already counted in this second. */
  | { readonly kind: 'ceiling'; readonly sends: number }
  | { readonly kind: 'volume_changed'; readonly volume: MonthVolume }
  /** Its lane was busy or empty: choose a lane and price again; with `root`, the wallet's own row. */
  | { readonly kind: 'moved'; readonly root?: boolean };

/** A stored chunk. */
export interface Chunk extends Tenant {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  /** `waiting` until all due messages were sent, `left` until all messages are resolved, then `closed`: all its money is settled. */
  readonly state: 'waiting' | 'left' | 'closed';
  /** The debited lane; absent: the wallet's own row. */
  readonly lane?: number | undefined;
  readonly coins: number;
  readonly messageIds: readonly Id<'message'>[];
  readonly createdAt: number;
  readonly leavesAt: number;
  /** By when its batch must be decided, in ms; absent if it was decided from the start. */
  readonly decidedBy?: number | undefined;
  /** True once the events of its acceptance are raised. */
  readonly announced: boolean;
  readonly leftAt?: number | undefined;
  /** When its escrow is checked next, in ms; absent once it is closed. */
  readonly checkAt?: number | undefined;
  /** Coins already refunded to the wallet, and when the last refund was (ms). */
  readonly released: number;
  readonly releasedAt?: number | undefined;
  /** Returned units of monthly volumes, by channel, month and band. */
  readonly freed?: Readonly<Record<string, number>> | undefined;
}

/** Sums over a chunk's resolved messages: their number, captured and released coins, and counts per status. */
export interface EscrowSums {
  readonly resolved: number;
  readonly captured: number;
  readonly released: number;
  /** Units that the released messages had taken of their monthly volumes, by channel, month and band. */
  readonly freed: Readonly<Record<string, number>>;
  /** The change of the lists' totals by channel, for messages that were withdrawn. */
  readonly unlisted: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** Whether all messages of a chunk are resolved. */
export const isResolved = ({ messageIds }: Chunk, { resolved }: EscrowSums): boolean => resolved >= messageIds.length;

/** A counted message has two more rows: its contact's counts, and the contact, which must exist. */
const rowsOf = ({ keyed, initial, fallback, frequency, person, plan }: Item): number =>
  1 +
  (frequency ? 1 : 0) +
  (frequency || person ? 1 : 0) +
  (keyed ? 1 : 0) +
  (initial.body === undefined ? 0 : 1) +
  (fallback ? 1 : 0) +
  plan.links.length;
const bytesOf = ({ plan, initial, fallback }: Item): number => {
  // Fallback steps and bodies are stored sealed, as base64: a third larger.
  const sealed = jsonBytes(fallback?.steps ?? '') + Buffer.byteLength(initial.body ?? '');
  return ROW_BYTES + rowBytes(plan) * 1.1 + sealed * 1.4;
};

/** A chunk while it is filled; `counters`: the steps and campaigns that count its messages, one more row each. */
class OpenChunk {
  readonly items: Item[] = [];
  readonly #counters = new Set<string>();
  #rows = 0;
  #bytes = 0;

  /** Adds a message if there is room; the first one always fits. */
  add(item: Item): boolean {
    const counted = countedOf(item.drafted);
    const counter = counted && JSON.stringify(counted);
    const rows = this.#rows + rowsOf(item) + (counter === undefined || this.#counters.has(counter) ? 0 : 1);
    const bytes = this.#bytes + bytesOf(item);
    if (this.items.length > 0 && (rows > MAX_ROWS || bytes > MAX_BYTES)) return false;
    if (counter !== undefined) this.#counters.add(counter);
    this.#rows = rows;
    this.#bytes = bytes;
    this.items.push(item);
    return true;
  }
}

/** Splits messages into chunks that fit a transaction, in order; all messages of a chunk are sent at the same time. */
export const splitIntoChunks = (items: readonly Item[]): Item[][] => {
  const open = new Map<number, OpenChunk>();
  const chunks: Item[][] = [];
  for (const item of items) {
    const { at } = item.initial;
    if (open.get(at)?.add(item)) continue;
    const next = new OpenChunk();
    next.add(item);
    open.set(at, next);
    chunks.push(next.items);
  }
  return chunks;
};

/** Inputs for pricing a chunk: the month's volume, and the budget. */
export interface ChunkPricing {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly env: Environment;
  readonly month: string;
  readonly volume: MonthVolume;
  /** The debited lane of the wallet. */
  readonly lane: number;
  /** In coins. */
  readonly budget: number;
}

/** The messages of a chunk by the result of pricing; `coins` and `volume` are those of the accepted ones. */
export interface PricedChunk {
  readonly accepted: readonly { readonly item: Item; readonly message: ChunkMessage }[];
  readonly exceedsMaxCoins: readonly Item[];
  readonly unaffordable: readonly Item[];
  readonly coins: Coins;
  readonly volume: Volume | undefined;
}

/**
 * Prices a chunk's messages in order, each live one at its own position in the month's volume. Messages above their `maxCoins`, and those
 * that the remaining budget does not cover, are returned separately.
 */
export const priceChunk = (items: readonly Item[], pricing: ChunkPricing): PricedChunk => {
  const accepted: { item: Item; message: ChunkMessage }[] = [];
  const exceedsMaxCoins: Item[] = [];
  const unaffordable: Item[] = [];
  let coins = 0;
  let volume = pricing.volume;
  let change = NO_CHANGE;
  let first: SendPlan | undefined;
  for (const item of items) {
    const { plan, key, initial, drafted, keyed, fallback } = item;
    const counted = channelOf(plan.channel).countsVolume;
    const price = quoteUnits(plan.price, plan.units, counted ? volume : NO_VOLUME);
    if (plan.maxCoins !== undefined && price.coins > plan.maxCoins) exceedsMaxCoins.push(item);
    else if (coins + price.coins > pricing.budget) unaffordable.push(item);
    else {
      const escrow = formatEscrowShard({
        batchId: pricing.batchId,
        chunk: pricing.chunk,
        shard: accepted.length % shardsOf(items.length),
      });
      const priced = pricedMessage(plan, initial, drafted, { ...price, month: pricing.month });
      const message = { ...priced, escrow, ...(pricing.lane > 0 ? { lane: pricing.lane } : {}) };
      const { requestHash, keepMs } = key;
      const { links } = plan;
      accepted.push({ item, message: { message, requestHash, keepMs, links, body: initial.body, fallback, keyed } });
      coins += price.coins;
      if (counted && pricing.env === 'live') {
        change = bothChanges(change, price);
        volume = price.after;
        first ??= plan;
      }
    }
  }
  const taken = first && { channel: first.channel, month: pricing.month, change, price: first.price };
  return { accepted, exceedsMaxCoins, unaffordable, coins: asCoins(coins), volume: taken };
};
