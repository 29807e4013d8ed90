import type { Id } from '../core/ids.ts';
import type { MessageRecord } from '../message/message.ts';
import { isDue, sendQueuedMessage } from '../sending/send-queued.ts';
import { messageEvent } from '../tracking/events.ts';
import type { Chunk } from './chunk.ts';
import { nextCheckAt, settleEscrow, withdrawChunk } from './escrow.ts';
import { type ChunkPorts, rejected } from './ports.ts';

/** How long one invocation works on a chunk before it enqueues the rest, and how long the chunk is leased to it, in ms. */
const WORK_MS = 20_000;
const LEASE_MS = 60_000;

/** Whether a chunk may be sent: only once its batch is accepted. Rejects a batch that was not decided in time. */
const isDecided = async (ports: ChunkPorts, { batchId, chunk, decidedBy }: Chunk): Promise<boolean> => {
  if (decidedBy === undefined) return true;
  let batch = await ports.store.readBatch(batchId);
  if (batch?.state === 'pending' && decidedBy <= ports.clock()) {
    await ports.store.decideBatch(rejected(batch), []);
    batch = await ports.store.readBatch(batchId);
  }
  if (batch?.state === 'rejected') await withdrawChunk(ports, batchId, chunk);
  return batch?.state === 'accepted';
};

const byShard = (messages: readonly MessageRecord[]): MessageRecord[][] => {
  const shards = new Map<string, MessageRecord[]>();
  for (const message of messages) {
    const shard = shards.get(message.escrow ?? '') ?? [];
    shards.set(message.escrow ?? '', shard);
    shard.push(message);
  }
  return [...shards.values()];
};

/** Sends a shard's messages one after the other until `until` (ms); returns how many are unsent. */
const sendShard = async (ports: ChunkPorts, shard: readonly MessageRecord[], until: number): Promise<number> => {
  for (const [index, message] of shard.entries()) {
    if (ports.clock() >= until) return shard.length - index;
    await sendQueuedMessage(ports, message);
  }
  return 0;
};

const queuedEvent = (message: MessageRecord) =>
  messageEvent('message.queued', { ...message, status: 'queued', reason: undefined }, message.createdAt);

/**
 * Sends the due messages of a chunk, each as a single send would; then refunds failed ones and closes the escrow or schedules its check, so
 * that a deferred message does not delay the others' refunds. Safe under repeats and reordering: a message that was sent is no longer
 * queued, and only the worker that claims it under its fence sends it.
 */
export const sendChunk = async (ports: ChunkPorts, batchId: Id<'batch'>, number: number): Promise<void> => {
  const chunk = await ports.store.readChunk(batchId, number);
  if (chunk?.state !== 'waiting' || !(await isDecided(ports, chunk))) return;
  const messages = await ports.store.readMessages(chunk.messageIds);
  const startedAt = ports.clock();
  const events = chunk.announced ? [] : messages.map(queuedEvent);
  await ports.store.announceChunk(chunk, events, startedAt, Math.max(chunk.leavesAt, startedAt + LEASE_MS));
  if (chunk.leavesAt > startedAt) return ports.enqueueChunk(chunk, chunk.leavesAt);
  const shards = byShard(messages.filter((message) => isDue(message, startedAt)));
  const results = await Promise.allSettled(shards.map((shard) => sendShard(ports, shard, startedAt + WORK_MS)));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  const unsent = results.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
  if ((await settleEscrow(ports, chunk)) === 'closed') return;
  if (unsent > 0) return ports.enqueueChunk(chunk, ports.clock());
  const leftAt = ports.clock();
  await ports.store.markSent(chunk, leftAt, nextCheckAt(leftAt, leftAt));
};
