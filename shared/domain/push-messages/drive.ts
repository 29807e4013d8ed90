import type { PushChunk } from '../channels/push/dispatch.ts';
import {
  chunksOf,
  deliveredOf,
  failuresOf,
  type PushMessage,
  type PushStatus,
  sumTallies,
  type Tally,
} from '../channels/push/message.ts';
import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import { messageEventId } from '../tracking/events.ts';
import type { SendPushPorts } from './ports.ts';

/** How often a message that is being sent is checked, in ms, to resume chunks whose work item was lost or whose worker crashed. */
const RECHECK_MS = 30_000;

/** The event of a push message, with the counts of its devices: there is no event per device. */
const eventOf = (message: PushMessage, status: 'sent' | 'failed', tally: Tally, at: number): DomainEvent => {
  const type = `message.${status}` as const;
  const { id, organizationId, env, origin, reach, rateKind } = message;
  const data = {
    id,
    channel: 'push',
    status,
    origin,
    rateKind,
    reach,
    delivered: deliveredOf(tally),
    failures: failuresOf(tally),
  };
  return { id: messageEventId(id, type), type, organizationId, env, createdAt: at, data };
};

/** Ends a message whose chunks are all done: captures the price of delivered devices and releases the rest, once. */
const close = async (ports: SendPushPorts, message: PushMessage, chunks: readonly PushChunk[]): Promise<void> => {
  const at = ports.clock();
  const tally = sumTallies(chunks.map((chunk) => chunk.tally));
  const status: PushStatus = deliveredOf(tally) > 0 ? 'sent' : 'failed';
  await ports.sender.close(message, { status, tally, at, event: eventOf(message, status, tally, at) });
};

const isEnded = ({ status }: PushMessage): boolean => status === 'sent' || status === 'failed';

/** Closes a message once all its chunks are done; returns whether it is closed. Idempotent under concurrent callers. */
export const closeIfDone = async (ports: SendPushPorts, messageId: Id<'message'>): Promise<boolean> => {
  const message = await ports.sender.message(messageId);
  if (!message || isEnded(message)) return true;
  const chunks = await ports.sender.chunks(message);
  if (chunks.filter(({ state }) => state === 'done').length < chunksOf(message)) return false;
  await close(ports, message, chunks);
  return true;
};

/**
 * Drives a due push message: enqueues each of its chunks, again while any is unclaimed and due, and closes the message once all are done.
 * Safe under repeats and reordering.
 */
export const drivePush = async (ports: SendPushPorts, messageId: Id<'message'>): Promise<void> => {
  const message = await ports.sender.message(messageId);
  const now = ports.clock();
  if (!message || isEnded(message)) return;
  if (message.status === 'queued') {
    if (message.leavesAt > now) return ports.enqueuePush(messageId, message.leavesAt);
    const until = await ports.earliestSendAt(message.organizationId, now);
    if (until > now) {
      if (await ports.sender.postpone(message, until)) ports.enqueuePush(messageId, until);
      return;
    }
  }
  await ports.sender.start(message, now + RECHECK_MS);
  if (message.status === 'sending' && (await closeIfDone(ports, messageId))) return;
  const chunks = await ports.sender.chunks(message);
  for (const chunk of chunks)
    if (chunk.state === 'open' && chunk.leaseUntil <= now && chunk.nextAt <= now) ports.enqueueChunk(chunk, now);
};
