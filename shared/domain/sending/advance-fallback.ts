import { isRefusal, toV1Error } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { type Fallback, type FallbackStep, NO_WAIT, type QueuedFallback } from '../message/fallback.ts';
import { type Decision, isDelivered, isFailed, type MessageRecord, type QueuedMessage } from '../message/message.ts';
import { messageEvent } from '../tracking/events.ts';
import { queuedBody } from './draft.ts';
import { requestKey } from './idempotency.ts';
import type { SendPorts } from './ports.ts';
import { reserveMessage } from './reserve.ts';
import { planStep, type StepPorts } from './steps.ts';

/** Ports of the fallback consumer. Writes are conditional on the fallback as it was read. */
export interface AdvanceFallbackPorts extends SendPorts, Omit<StepPorts, 'contactAt'> {
  readonly readFallback: (id: Id<'message'>) => Promise<Fallback | undefined>;
  /** The contact with an id, or the one that it was merged into; undefined if erased. */
  readonly heirOf: (fallback: Fallback, contactId: Id<'contact'>) => Promise<Id<'contact'> | undefined>;
  /** Moves the due time of the fallback (ms). */
  readonly rescheduleFallback: (fallback: Fallback, at: number) => Promise<void>;
  readonly endFallback: (fallback: Fallback, state: Exclude<Fallback['state'], 'waiting'>) => Promise<void>;
  /** Skips the next step and records why on the first message. False when the fallback changed meanwhile. */
  readonly skipStep: (fallback: Fallback, decision: Decision) => Promise<boolean>;
  readonly enqueueSend: (message: QueuedMessage, at: number) => void;
  readonly enqueueFallback: (fallback: QueuedFallback, at: number) => void;
}

/** The delay until the next check of a message whose hold is open, and the tolerance at the end of a wait, in ms. */
const RECHECK_MS = 5_000;

const skip = async (ports: AdvanceFallbackPorts, fallback: Fallback, why: string): Promise<void> => {
  const now = ports.clock();
  const detail = `step=${fallback.next + 1} channel=${fallback.steps[fallback.next]?.channel} skipped: ${why}`;
  if (await ports.skipStep(fallback, { at: now, kind: 'fallback', detail })) ports.enqueueFallback(fallback, now);
};

/** Reserves the next step's message; skips the step if that is refused. */
const reserveStep = async (ports: AdvanceFallbackPorts, fallback: Fallback, step: FallbackStep): Promise<void> => {
  const now = ports.clock();
  const planned = await planStep(ports, fallback, step);
  if (isRefusal(planned)) return skip(ports, fallback, toV1Error(planned).detail);
  const following = fallback.steps[fallback.next + 1];
  const reserved = await reserveMessage(ports, fallback, {
    plan: { ...planned.plan, fallbackId: fallback.id, priority: fallback.priority ?? planned.plan.priority },
    // Callers cannot put a line break into a key, so this one never collides with theirs.
    key: requestKey(`step\n${fallback.id}\n${fallback.next}`, 'step', { fallback: fallback.id, next: fallback.next }),
    initial: {
      status: 'queued',
      at: now,
      body: queuedBody(planned),
      transition: { fallback, waitUntil: now + (following?.afterMs ?? 0) },
    },
    events: (message) => [messageEvent('message.queued', message, now)],
  });
  if (!isRefusal(reserved)) {
    ports.enqueueSend(reserved.message, now);
    return following && ports.enqueueFallback(fallback, now + following.afterMs);
  }
  if (reserved.details.meta?.code !== 'OVERTAKEN') await skip(ports, fallback, reserved.details.detail);
};

/** When to check a pending message again, in ms; undefined when its step is over. */
const recheckAt = (current: MessageRecord, fallback: Fallback, now: number): number | undefined => {
  if (isFailed(current) && current.hold !== 'open') return undefined;
  if (current.status === 'queued') return Math.max(current.deadline, now) + RECHECK_MS;
  if (current.hold === 'open') return now + RECHECK_MS;
  if (fallback.waitUntil === NO_WAIT) return undefined;
  // The wait counts from when the message was actually sent: a deferral or a forced send shifts its end.
  const sentAt = current.sentAt ?? current.createdAt;
  const shift = sentAt + (fallback.steps[fallback.next]?.afterMs ?? 0) - fallback.waitUntil;
  const until = Math.abs(shift) < RECHECK_MS ? fallback.waitUntil : fallback.waitUntil + shift;
  return until > now ? until : undefined;
};

/**
 * The current contact of a step: a message stores the contact that its own was merged into; a matched contact is in no
 * message.
 */
const contactOf = async (
  ports: AdvanceFallbackPorts,
  fallback: Fallback,
  current: MessageRecord,
  { contactId }: FallbackStep,
): Promise<Id<'contact'> | undefined> => {
  if (current.contactId !== undefined || contactId === undefined) return current.contactId;
  return (await ports.heirOf(fallback, contactId)) ?? contactId;
};

/**
 * Advances a fallback whose wait is over or whose message failed. The step is one transaction with its message's hold, conditional on the
 * current message not being delivered: a delivery and a step can never both win. Idempotent.
 */
export const advanceFallback = async (ports: AdvanceFallbackPorts, id: Id<'message'>): Promise<void> => {
  const fallback = await ports.readFallback(id);
  if (fallback?.state !== 'waiting') return;
  const current = await ports.messageStore.read(fallback.current);
  if (!current) return ports.endFallback(fallback, 'exhausted');
  if (isDelivered(current)) return ports.endFallback(fallback, 'delivered');
  const until = recheckAt(current, fallback, ports.clock());
  if (until !== undefined) {
    await ports.rescheduleFallback(fallback, until);
    return ports.enqueueFallback(fallback, until);
  }
  const step = fallback.steps[fallback.next];
  if (!step) return ports.endFallback(fallback, 'exhausted');
  return reserveStep(ports, fallback, { ...step, contactId: await contactOf(ports, fallback, current, step) });
};
