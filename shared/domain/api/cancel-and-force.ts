import type { Actor } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import { fallbackOfMessage, type QueuedFallback } from '../message/fallback.ts';
import type { StoredMessage } from '../message/inbound-message.ts';
import type { Decision, MessageRecord, QueuedMessage } from '../message/message.ts';
import type { MessageStore } from '../sending/message-store.ts';

/** Ports of cancel. */
export interface CancelPorts {
  readonly clock: Clock;
  readonly messageStore: Pick<MessageStore, 'release'>;
  readonly readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => Promise<StoredMessage | undefined>;
}

/** Ports of cancel and force. */
export interface CancelAndForcePorts extends CancelPorts {
  /** Makes a queued message due at a time (ms) and exempt from deferrals; false when it was sent meanwhile. */
  readonly forceSend: (message: MessageRecord, at: number, decision: Decision) => Promise<boolean>;
  /** Whether the message's batch is still undecided. */
  readonly isUndecided: (message: MessageRecord) => Promise<boolean>;
  /** Enqueues a queued message for a time (ms). Best effort. */
  readonly enqueueSend: (message: QueuedMessage, at: number) => void;
  /** Enqueues a fallback for a time (ms). Best effort. */
  readonly enqueueFallback: (fallback: QueuedFallback, at: number) => void;
}

type CancelOrForceResult = Promise<MessageRecord | Refusal<'CONFLICT' | 'NOT_FOUND'>>;

/** Whether a message was not sent yet, and may be cancelled. */
export const isQueued = (message: StoredMessage): message is MessageRecord =>
  message.direction === 'outbound' &&
  message.status === 'queued' &&
  message.hold === 'open' &&
  message.archivedAt === undefined;

const NOT_FOUND = refuse('NOT_FOUND', 'There is no such message.');
const NOT_QUEUED = refuse('CONFLICT', 'The message is not queued.');
/** Messages of an undecided batch are neither forced nor resent (docs/spec/bulk.md#accepted-or-refused-as-a-whole). */
export const UNDECIDED = refuse('CONFLICT', {
  detail: 'The batch of the message is still being decided: no message of it is sent before it is accepted.',
  retryAfterSeconds: 1,
});

/**
 * Cancels a queued message (docs/spec/messages.md#cancel): releases its hold into the wallet immediately; its key stays
 * taken. The fence ensures that a message is either cancelled or sent. Idempotent: concurrent cancels all return the
 * cancelled message. A message of an undecided batch can be cancelled too: the batch counts it as accepted, and then as
 * failed.
 */
export const cancel = async (
  ports: CancelPorts,
  { organizationId }: Pick<Actor, 'organizationId'>,
  id: Id<'message'>,
): CancelOrForceResult => {
  const message = await ports.readMessage(organizationId, id);
  if (!message) return NOT_FOUND;
  if (!isQueued(message)) return NOT_QUEUED;
  const at = ports.clock();
  const released = await ports.messageStore.release(message, {
    at,
    reason: 'cancelled',
    lastError: 'Cancelled before it was sent.',
    decisions: [{ at, kind: 'operator', detail: 'cancelled; hold released', coins: message.coins }],
    certain: true,
    freeKey: false,
    events: [],
  });
  const current = released ? await ports.readMessage(organizationId, id) : undefined;
  return current?.direction === 'outbound' && current.reason === 'cancelled' ? current : NOT_QUEUED;
};

/**
 * Sends a queued message now, ignoring schedule, quiet hours and rate limits (docs/spec/messages.md#force). 409 for a
 * message of an undecided batch, so that a batch is sent or refused as a whole.
 */
export const force = async (
  ports: CancelAndForcePorts,
  { organizationId }: Actor,
  id: Id<'message'>,
): CancelOrForceResult => {
  const message = await ports.readMessage(organizationId, id);
  if (!message) return NOT_FOUND;
  if (!isQueued(message)) return NOT_QUEUED;
  if (await ports.isUndecided(message)) return UNDECIDED;
  const at = ports.clock();
  const decision: Decision = { at, kind: 'operator', detail: 'forced to be sent now' };
  if (!(await ports.forceSend(message, at, decision))) return NOT_QUEUED;
  ports.enqueueSend(message, at);
  const fallback = fallbackOfMessage(message);
  if (fallback) ports.enqueueFallback(fallback, at);
  return { ...message, force: true, updatedAt: at };
};
