import type { DomainEvent } from '../events/event.ts';
import { messageEventId } from '../messages/events.ts';
import type { PushChunk } from './dispatch.ts';
import {
  chunksOf,
  deliveredOf,
  failuresOf,
  type PushMessage,
  type PushStatus,
  sumTallies,
  type Tally,
} from './message.ts';
import type { SendPushPorts } from './ports.ts';

/** How often a message under way is looked at, so that a chunk whose hint was lost or whose sender ended goes on, in ms. */
const LOOK_MS = 30_000;

/** The one event of a push message: it tells how many devices took it, for a device's own event would be one per device. */
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

/** Ends a message whose chunks are all done: what its devices took is captured, the rest goes back to the wallet; once. */
const close = async (ports: SendPushPorts, message: PushMessage, chunks: readonly PushChunk[]): Promise<void> => {
  const at = ports.clock();
  const tally = sumTallies(chunks.map((chunk) => chunk.tally));
  const status: PushStatus = deliveredOf(tally) > 0 ? 'sent' : 'failed';
  await ports.sender.close(message, { status, tally, at, event: eventOf(message, status, tally, at) });
};

const isEnded = ({ status }: PushMessage): boolean => status === 'sent' || status === 'failed';

/** Closes a message once every chunk of it is done; whether it is closed. Any number of callers close it once. */
export const closeIfDone = async (ports: SendPushPorts, messageId: string): Promise<boolean> => {
  const message = await ports.sender.message(messageId);
  if (!message || isEnded(message)) return true;
  const chunks = await ports.sender.chunks(message);
  if (chunks.filter(({ state }) => state === 'done').length < chunksOf(message)) return false;
  await close(ports, message, chunks);
  return true;
};

/**
 * Works on a push message whose moment has come: hands each of its chunks to its queue, again while any of them waits, and ends it once
 * all are done. Repeats and any order change nothing.
 */
export const drivePush = async (ports: SendPushPorts, messageId: string): Promise<void> => {
  const message = await ports.sender.message(messageId);
  const now = ports.clock();
  if (!message || isEnded(message)) return;
  if (message.status === 'queued') {
    if (message.leavesAt > now) return ports.hintMessage(messageId, message.leavesAt);
    const until = await ports.leavesAt(message.organizationId, now);
    if (until > now) {
      if (await ports.sender.postpone(message, until)) ports.hintMessage(messageId, until);
      return;
    }
  }
  await ports.sender.begin(message, now + LOOK_MS);
  if (message.status === 'sending' && (await closeIfDone(ports, messageId))) return;
  const chunks = await ports.sender.chunks(message);
  for (const chunk of chunks)
    if (chunk.state === 'open' && chunk.leaseUntil <= now && chunk.nextAt <= now) ports.hintChunk(chunk, now);
};
