import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import { rulesOf } from '../messages/channels.ts';
import type { Chain } from '../messages/hops.ts';
import type { KeptPromise } from '../messages/journal.ts';
import type { MessageRecord } from '../messages/message.ts';
import { type Beginning, type Draft, pricedMessage, type SendPlan } from '../messages/plan.ts';
import { asCoins, type Coins } from '../money.ts';
import { quoteUnits } from '../pricing/prices.ts';

/** Rows of a transaction that belong to the chunk itself: wallet, ledger line, chunk, volume, ceiling, and at most three events. */
const OWN_ROWS = 8;
/** A transaction takes 100 rows and 4 MB (DynamoDB, TransactWriteItems); some room is left for names and numbers. */
const MOST_ROWS = 100 - OWN_ROWS;
const MOST_BYTES = 3_000_000;
/** What a message's row takes besides its content, in bytes, generously. */
const ROW_BYTES = 3_000;
/** Rows that a chunk's escrow is spread over: messages of one lane leave one after the other, so that they never contend for its row. */
export const LANES = 8;

/** A message that is to be accepted: all that can be decided without the wallet is decided. */
export interface Item {
  /** Its place in the request. */
  readonly index: number;
  readonly plan: SendPlan;
  readonly beginning: Extract<Beginning, { status: 'queued' }>;
  readonly drafted: Draft;
  readonly chain: Chain | undefined;
  /** True where the caller gave a key of its own: a promise is kept under it. */
  readonly keyed: boolean;
}

/** A priced message as its chunk writes it. */
export interface ChunkMessage {
  readonly message: MessageRecord;
  readonly requestHash: string;
  readonly body?: string | undefined;
  readonly chain?: Chain | undefined;
  readonly keyed: boolean;
}

/** What a chunk asks for in one transaction: everything of it happens, or nothing. */
export interface ChunkReservation {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly messages: readonly ChunkMessage[];
  /** The sum of the messages' prices. */
  readonly coins: Coins;
  /** ms: when it was accepted, and when its messages are to leave. */
  readonly createdAt: number;
  readonly leavesAt: number;
  /** Until when the batch that it is a part of may still be refused as a whole, in ms; absent where each chunk stands for itself. */
  readonly decidedBy?: number | undefined;
  /** Live only: the units that move the month's volume of a channel, and the volumes for which all of the prices are right. */
  readonly volume?: Volume | undefined;
  /** How many sends count against a contracted rate, and the rate, per second. */
  readonly ceiling?: Ceiling | undefined;
}
export interface Ceiling {
  readonly channel: MessageRecord['channel'];
  readonly sends: number;
  readonly perSecond: number;
}
interface Volume {
  readonly channel: MessageRecord['channel'];
  readonly month: string;
  readonly units: number;
  readonly from: number;
  readonly to: number;
}

export type ChunkOutcome =
  | { readonly kind: 'reserved' }
  /** Promises that are kept already, by the id of the message that would have made them. */
  | { readonly kind: 'kept'; readonly promises: ReadonlyMap<string, KeptPromise> }
  | { readonly kind: 'insufficient'; readonly balance: number }
  /** Sends of this second so far. */
  | { readonly kind: 'ceiling'; readonly sends: number }
  | { readonly kind: 'volume_moved'; readonly volume: number };

/** A chunk as it is stored. */
export interface Chunk {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  /** `waiting` until all of its messages left, `left` until all are resolved, then `closed`: its money is where it belongs. */
  readonly state: 'waiting' | 'left' | 'closed';
  readonly coins: number;
  readonly messageIds: readonly string[];
  readonly createdAt: number;
  readonly leavesAt: number;
  readonly decidedBy?: number | undefined;
  /** True once the events of its acceptance are raised. */
  readonly announced: boolean;
  readonly leftAt?: number | undefined;
  /** When its escrow is looked at next, in ms; absent once it is closed. */
  readonly lookAt?: number | undefined;
  /** Coins of its refused messages that are back in the wallet, and since when the last of them are (ms). */
  readonly released: number;
  readonly releasedAt?: number | undefined;
}

/** What the messages of a chunk that are resolved came to; `counts` by where they stand. */
export interface EscrowSums {
  readonly resolved: number;
  readonly captured: number;
  readonly released: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Whether nothing of a chunk is under way or waits any more. */
export const isResolved = ({ messageIds }: Chunk, { resolved }: EscrowSums): boolean => resolved >= messageIds.length;

const rowsOf = ({ keyed, beginning, chain }: Item): number =>
  1 + (keyed ? 1 : 0) + (beginning.body === undefined ? 0 : 1) + (chain ? 1 : 0);
const bytesOf = ({ plan, beginning, chain }: Item): number => {
  const said = Buffer.byteLength(JSON.stringify(plan.content)) + Buffer.byteLength(JSON.stringify(chain?.hops ?? ''));
  // Sealed text is base64.
  return ROW_BYTES + said * 2 + Buffer.byteLength(beginning.body ?? '') * 1.4;
};

/** Cuts messages into chunks that fit a transaction, each of messages that leave at the same moment, in their order. */
export const cut = (items: readonly Item[]): Item[][] => {
  const open = new Map<number, { chunk: Item[]; rows: number; bytes: number }>();
  const chunks: Item[][] = [];
  for (const item of items) {
    const [rows, bytes] = [rowsOf(item), bytesOf(item)];
    const { at } = item.beginning;
    let into = open.get(at);
    if (!into || into.rows + rows > MOST_ROWS || into.bytes + bytes > MOST_BYTES) {
      into = { chunk: [], rows: 0, bytes: 0 };
      open.set(at, into);
      chunks.push(into.chunk);
    }
    into.chunk.push(item);
    into.rows += rows;
    into.bytes += bytes;
  }
  return chunks;
};

/** What a chunk is priced by: the channels' volume of the month, and what may be spent. */
export interface PricingOf {
  readonly batchId: Id<'batch'>;
  readonly chunk: number;
  readonly env: Environment;
  readonly month: string;
  readonly volume: number;
  /** In coins. */
  readonly budget: number;
}

export interface PricedChunk {
  readonly taken: readonly { readonly item: Item; readonly message: ChunkMessage }[];
  readonly tooDear: readonly Item[];
  readonly unaffordable: readonly Item[];
  readonly coins: Coins;
  readonly volume: Volume | undefined;
}

/** The volumes for which a quote of units that begin `before` units later is right. */
const narrowed = (
  range: { from: number; to: number },
  quoted: { volumeFrom: number; volumeTo: number },
  before: number,
) => ({
  from: Math.max(range.from, quoted.volumeFrom - before),
  to: Math.min(range.to, quoted.volumeTo === Number.MAX_SAFE_INTEGER ? range.to : quoted.volumeTo - before),
});

/**
 * Prices a chunk's messages in their order, each live one at its own position in the month's volume; leaves out what costs more than
 * its caller allows, and what the budget does not cover after those before it.
 */
export const priceChunk = (items: readonly Item[], by: PricingOf): PricedChunk => {
  const taken: { item: Item; message: ChunkMessage }[] = [];
  const tooDear: Item[] = [];
  const unaffordable: Item[] = [];
  let coins = 0;
  let units = 0;
  let range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  let channel: Volume['channel'] | undefined;
  for (const item of items) {
    const { plan, beginning, drafted, keyed, chain } = item;
    const counted = rulesOf(plan.channel).countsVolume;
    const before = counted && by.env === 'live' ? units : 0;
    const quoted = quoteUnits(plan.price, plan.units, counted ? by.volume + before : 0);
    if (plan.maxCoins !== undefined && quoted.coins > plan.maxCoins) tooDear.push(item);
    else if (coins + quoted.coins > by.budget) unaffordable.push(item);
    else {
      const escrow = `${by.batchId}#${by.chunk}#${taken.length % LANES}`;
      const message = { ...pricedMessage(plan, beginning, drafted, { ...quoted, month: by.month }), escrow };
      taken.push({ item, message: { message, requestHash: plan.hash, body: beginning.body, chain, keyed } });
      coins += quoted.coins;
      if (counted && by.env === 'live') {
        range = narrowed(range, quoted, before);
        units += plan.units;
        channel = plan.channel;
      }
    }
  }
  const volume = channel && { channel, month: by.month, units, ...range };
  return { taken, tooDear, unaffordable, coins: asCoins(coins), volume };
};
