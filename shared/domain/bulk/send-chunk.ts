import { messageEvent } from '../messages/events.ts';
import { leaveQueued, mayLeave } from '../messages/leave.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { Chunk } from './chunk.ts';
import { nextLook, settleEscrow, withdrawChunk } from './escrow.ts';
import type { ChunkPorts } from './ports.ts';

/** How long one turn works on a chunk before it hands itself on, and how long others leave the chunk to it, in ms. */
const TURN_MS = 20_000;
const LEASE_MS = 60_000;

/** Whether a chunk may leave: one of a strict batch only once that is accepted. Refuses a batch that nobody decided in time. */
const isDecided = async (ports: ChunkPorts, { batchId, chunk, decidedBy }: Chunk): Promise<boolean> => {
  if (decidedBy === undefined) return true;
  let batch = await ports.store.readBatch(batchId);
  if (batch?.state === 'pending' && decidedBy <= ports.clock()) {
    await ports.store.decideBatch({ ...batch, state: 'rejected' }, []);
    batch = await ports.store.readBatch(batchId);
  }
  if (batch?.state === 'rejected') await withdrawChunk(ports, batchId, chunk);
  return batch?.state === 'accepted';
};

/** The messages of each lane of the escrow: those of one leave one after the other. */
const byLane = (messages: readonly MessageRecord[]): MessageRecord[][] => {
  const lanes = new Map<string, MessageRecord[]>();
  for (const message of messages) {
    const lane = lanes.get(message.escrow ?? '') ?? [];
    lanes.set(message.escrow ?? '', lane);
    lane.push(message);
  }
  return [...lanes.values()];
};

/** Sends what of a lane's messages fits before `until` (ms); how many are left. */
const leaveLane = async (ports: ChunkPorts, lane: readonly MessageRecord[], until: number): Promise<number> => {
  for (const [place, message] of lane.entries()) {
    if (ports.clock() >= until) return lane.length - place;
    await leaveQueued(ports, message);
  }
  return 0;
};

const queuedEvent = (message: MessageRecord) =>
  messageEvent('message.queued', { ...message, status: 'queued', reason: undefined }, message.createdAt);

/**
 * Sends the messages of a chunk whose time has come, as each would leave alone, then gives back what was refused, and closes its escrow or
 * has it looked at later: one that waits for the morning keeps nobody else's coins.
 * Repeats and any order change nothing: a message that left is no longer queued, and only who takes it under its fence sends it.
 */
export const sendChunk = async (ports: ChunkPorts, batchId: string, number: number): Promise<void> => {
  const chunk = await ports.store.readChunk(batchId, number);
  if (chunk?.state !== 'waiting' || !(await isDecided(ports, chunk))) return;
  const messages = await ports.store.readMessages(chunk.messageIds);
  const begun = ports.clock();
  const events = chunk.announced ? [] : messages.map(queuedEvent);
  await ports.store.takeChunk(chunk, events, begun, Math.max(chunk.leavesAt, begun + LEASE_MS));
  if (chunk.leavesAt > begun) return ports.hintChunk(batchId, number, chunk.leavesAt);
  const lanes = byLane(messages.filter((message) => mayLeave(message, begun)));
  const turns = await Promise.allSettled(lanes.map((lane) => leaveLane(ports, lane, begun + TURN_MS)));
  for (const turn of turns) if (turn.status === 'rejected') throw turn.reason;
  const left = turns.reduce((sum, turn) => sum + (turn.status === 'fulfilled' ? turn.value : 0), 0);
  if ((await settleEscrow(ports, chunk)) === 'closed') return;
  if (left > 0) return ports.hintChunk(batchId, number, ports.clock());
  const leftAt = ports.clock();
  await ports.store.letGo(chunk, leftAt, nextLook(leftAt, leftAt));
};
