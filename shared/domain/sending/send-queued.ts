import { channelOf } from '../channels/registry.ts';
import { isRefusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Deferral } from '../message/deferral.ts';
import type { Decision, MessageRecord, QueuedMessage } from '../message/message.ts';
import type { RefusedAnswer } from '../message/provider-port.ts';
import { type CheckBeforeSendPorts, sendRefusal } from './check-before-send.ts';
import { dispatchMessage, failAndRefund } from './dispatch.ts';
import type { SendPorts } from './ports.ts';
import { EXPIRED, isExpired } from './validity.ts';

/** Ports of the consumer of queued messages. */
export interface SendQueuedPorts extends SendPorts, CheckBeforeSendPorts {
  /** The content to send: the sealed body, or the stored content if there is none; undefined if the body is gone. */
  readonly contentOf: (message: MessageRecord) => Promise<unknown>;
  /** Whether the message is a fallback step and an earlier step was delivered. */
  readonly isSuperseded: (message: MessageRecord) => Promise<boolean>;
  /**
   * The earliest time to send according to the organization's quiet hours, in ms; at most `now` if it may be sent now.
   */
  readonly earliestSendAt: (message: MessageRecord, now: number) => Promise<number>;
  /** Deferral by the sending number's rate; undefined when it may be sent. Absent where numbers have no rates. */
  readonly numberRateDeferral?: (message: MessageRecord, now: number) => Promise<Deferral | undefined>;
  /** Whether the organization may still use the sender that the message names. */
  readonly maySendAs: (message: MessageRecord) => Promise<boolean>;
  /** Moves a queued message's due time (ms); false when the message changed meanwhile. */
  readonly postpone: (message: MessageRecord, until: number, decision: Decision) => Promise<boolean>;
  /**
   * Sends to the devices of a claimed message, on channels whose messages fan out; `provider` is the provider name of
   * such messages.
   */
  readonly fanOut: { readonly provider: string; readonly start: (message: MessageRecord) => Promise<void> };
  /** Enqueues a queued message for a time (ms). Best effort: lost work items are found by their due row. */
  readonly enqueueSend: (message: QueuedMessage, at: number) => void;
}

/**
 * Sends a queued message that is due. Safe under repeats and reordering: only the worker that claims it under its fence sends it, and after
 * a crash it is recovered like any other send.
 */
export const sendQueued = async (ports: SendQueuedPorts, messageId: Id<'message'>): Promise<void> => {
  const queued = await ports.messageStore.read(messageId);
  if (queued && isDue(queued, ports.clock())) await sendQueuedMessage(ports, queued);
};

/** Whether a queued message is due and unclaimed. */
export const isDue = ({ status, hold, deadline }: MessageRecord, now: number): boolean =>
  status === 'queued' && hold === 'open' && deadline <= now;

/** Quiet hours are checked first: a message that they defer draws no token of its number's rate. */
const deferralOf = async (
  ports: SendQueuedPorts,
  queued: MessageRecord,
  now: number,
): Promise<Deferral | undefined> => {
  const until = await ports.earliestSendAt(queued, now);
  return until > now ? { until, detail: 'quiet hours' } : ports.numberRateDeferral?.(queued, now);
};

/** Cancels a deferred fallback step after an earlier step was delivered: it is never sent, and its hold is released. */
const withdrawStep = async (ports: SendQueuedPorts, queued: MessageRecord, at: number): Promise<void> => {
  const detail = 'not sent: an earlier step was delivered; hold released';
  await ports.messageStore.release(queued, {
    at,
    reason: 'cancelled',
    lastError: 'An earlier step was delivered.',
    decisions: [{ at, kind: 'fallback', detail, coins: queued.coins }],
    certain: true,
    freeKey: false,
    events: [],
  });
};

/** Whether a message was scheduled or deferred: only then can an earlier step have been delivered since it was reserved. */
const wasDeferred = ({ deadline, createdAt }: MessageRecord): boolean => deadline > createdAt;

/** Defers a message and records it in the timeline; no longer than its validity, when it is due to fail. */
const defer = async (
  ports: SendQueuedPorts,
  queued: MessageRecord,
  { until: wanted, detail }: Deferral,
  now: number,
): Promise<void> => {
  const until = Math.min(wanted, queued.validUntil ?? wanted);
  const decision: Decision = { at: now, kind: 'deferred', detail };
  if (await ports.postpone(queued, until, decision)) ports.enqueueSend(queued, until);
};

const NO_SENDER: RefusedAnswer = { kind: 'refused', cause: 'sender', detail: 'its sender is no longer verified' };

/** Why a claimed message must not be sent after all. */
const stopOf = async (
  ports: SendQueuedPorts,
  queued: MessageRecord,
  message: MessageRecord,
  now: number,
): Promise<RefusedAnswer | undefined> => {
  if (wasDeferred(queued) && !(await ports.maySendAs(message))) return NO_SENDER;
  return sendRefusal(ports, message, now);
};

/** Claims a due message for its first provider and sends it; nothing if another worker claimed it. */
const claimAndSend = async (ports: SendQueuedPorts, queued: MessageRecord, now: number): Promise<void> => {
  const { id: messageId, channel, organizationId, env, route } = queued;
  const candidates = await ports.routing.candidates(channel, organizationId, env, route, 'send');
  if (candidates.kind === 'ready' && candidates.restMs !== undefined)
    return defer(ports, queued, { until: now + candidates.restMs, detail: 'every provider of the route fails' }, now);
  const provider = (candidates.kind === 'ready' && candidates.providers[0]?.name) || queued.provider;
  const message = await ports.messageStore.claimQueued(queued, provider, now, now + ports.sendDeadlineMs);
  if (!message) return;
  const stop = await stopOf(ports, queued, message, now);
  if (stop) {
    await failAndRefund(ports, message, stop, true);
    return;
  }
  const content = await ports.contentOf(message);
  if (content === undefined) {
    await failAndRefund(ports, message, { kind: 'refused', cause: 'content', detail: 'its content is gone' }, true);
    return;
  }
  const sent = await dispatchMessage(ports, message, content, candidates, true);
  if (isRefusal(sent)) ports.observe.sent(channel, sent.name, { organizationId, messageId });
};

/** Fails a message whose validity ended while it was queued; does nothing if another worker claimed it. */
const expire = async (ports: SendQueuedPorts, queued: MessageRecord): Promise<void> => {
  const { channel, organizationId, id: messageId } = queued;
  const { name } = await failAndRefund(ports, queued, EXPIRED, true);
  ports.observe.sent(channel, name, { organizationId, messageId });
};

/** Claims a due message and hands it to the device fan-out; does nothing if another worker claimed it. */
const claimAndFanOut = async (ports: SendQueuedPorts, queued: MessageRecord, now: number): Promise<void> => {
  const { provider, start } = ports.fanOut;
  const message = await ports.messageStore.claimQueued(queued, provider, now, now + ports.sendDeadlineMs);
  if (message) await start(message);
};

/** Sends a queued message that was just read. */
export const sendQueuedMessage = async (ports: SendQueuedPorts, queued: MessageRecord): Promise<void> => {
  const now = ports.clock();
  if (isExpired(queued, now)) return expire(ports, queued);
  if (wasDeferred(queued) && (await ports.isSuperseded(queued))) return withdrawStep(ports, queued, now);
  const deferral = queued.force ? undefined : await deferralOf(ports, queued, now);
  if (deferral) return defer(ports, queued, deferral, now);
  await (channelOf(queued.channel).fansOut ? claimAndFanOut : claimAndSend)(ports, queued, now);
};
