import type { Tenant } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { saoPauloMonth } from '../core/time.ts';
import { type BatchRefusal, newBatch, reserveAndDecide } from './accept.ts';
import { type Item, priceChunk } from './chunk.ts';
import type { Batch, BulkEntry, BulkPorts } from './ports.ts';
import { prepare, type Refused } from './prepare.ts';
import { volumeFor } from './reserve.ts';

/** The total current price of a batch's messages, in coins. */
const priceOf = async (ports: BulkPorts, actor: Tenant, batch: Batch, items: readonly Item[]): Promise<number> => {
  const month = saoPauloMonth(ports.clock());
  const volume = await volumeFor(ports, actor, month, items);
  const unlimited = { batchId: batch.id, chunk: 0, env: actor.env, month, volume, lane: 0 };
  return priceChunk(items, { ...unlimited, budget: Number.MAX_SAFE_INTEGER }).coins;
};

/** The result for each message of a batch, by index: the message, of this call or an earlier one under its key, or the refusal. */
export interface EachAccepted {
  readonly messages: ReadonlyMap<number, Id<'message'>>;
  readonly refused: readonly Refused[];
  /** The total price of the new messages. */
  readonly coins: number;
}

/**
 * Returns the maximum coins that a batch may take; called before anything is held, with the batch's current total price and the messages
 * that an earlier call accepted.
 */
export type Budget = (coins: number, replayed: readonly Id<'message'>[]) => Promise<number>;

/**
 * Accepts messages of campaigns and journeys as a permissive batch, each under its own key. Like `sendBulk`, but returns each message's
 * result.
 */
export const sendEach = async (
  ports: BulkPorts,
  actor: Tenant,
  messages: readonly BulkEntry[],
  budget?: Budget,
): Promise<EachAccepted | BatchRefusal> => {
  const now = ports.clock();
  const batch = newBatch(actor, messages.length, now);
  const prepared = await prepare(ports, actor, { batchId: batch.id, now, requestKey: undefined }, messages);
  const replayed = new Map(prepared.replays.map(({ index, messageId }) => [index, messageId]));
  const isSettled = prepared.items.length === 0;
  const price = budget && !isSettled ? await priceOf(ports, actor, batch, prepared.items) : 0;
  const most = budget && (await budget(price, [...replayed.values()]));
  if (isSettled) return { messages: replayed, refused: prepared.refused, coins: 0 };
  const decided = await reserveAndDecide(ports, actor, batch, prepared, 'permissive', most);
  if (isRefusal(decided)) return decided;
  const { result, coins } = decided;
  const replays = result.replays.map(({ index, messageId }) => [index, messageId] as const);
  return { messages: new Map([...replays, ...decided.messages]), refused: result.refused, coins };
};
