import type { Tenant } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { saoPauloMonth } from '../core/time.ts';
import { type BatchRefusal, newBatch, reserveAndDecide } from './accept.ts';
import { type Item, priceChunk } from './chunk.ts';
import type { Batch, BulkEntry, BulkPorts } from './ports.ts';
import { prepare, type Refused } from './prepare.ts';
import { volumeFor } from './reserve.ts';

/** What the messages of a batch cost together at their current price, in coins. */
const priceOf = async (ports: BulkPorts, actor: Tenant, batch: Batch, items: readonly Item[]): Promise<number> => {
  const month = saoPauloMonth(ports.clock());
  const volume = await volumeFor(ports, actor, month, items);
  const unlimited = { batchId: batch.id, chunk: 0, env: actor.env, month, volume, lane: 0 };
  return priceChunk(items, { ...unlimited, budget: Number.MAX_SAFE_INTEGER }).coins;
};

/** What became of each message of a batch, by its index: who has one, of this call or an earlier one under its key, and why the others have none. */
export interface EachAccepted {
  readonly messages: ReadonlyMap<number, Id<'message'>>;
  readonly refused: readonly Refused[];
  /** What the new ones cost together. */
  readonly coins: number;
}

/** Asked, before anything is held, how many coins a batch may take: with what all of it costs now, and the messages that an earlier call accepted. */
export type Budget = (coins: number, replayed: readonly Id<'message'>[]) => Promise<number>;

/**
 * Accepts the messages of the service's own senders as a permissive batch, each under a key of its own: what `sendBulk` does, with what became of each.
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
