import { channelOf } from '../channels/registry.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Decision, type MessageRecord, wasQueued } from '../message/message.ts';
import type { Provider, ProviderAnswer, RefusedAnswer } from '../message/provider-port.ts';
import { lastSentReference } from '../message/recipient.ts';
import { SANDBOX_PROVIDER, SANDBOX_REPORT_DELAY_MS } from '../message/sandbox.ts';
import { comparedValue } from '../senders/sender.ts';
import { eventsOfStatus } from '../tracking/events.ts';
import { senderOfMessage } from './named-sender.ts';
import type { Candidates, SendPorts } from './ports.ts';
import { stoppedRefusal } from './refusals.ts';
import { EXPIRED, isExpired } from './validity.ts';

/** Refusals of a reserved message, whose hold is released or left to recovery. */
export type DispatchRefusal = Refusal<
  'DEPENDENCY_FAILED' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE' | 'VALIDATION_ERROR'
>;

/** A provider is not called with less than this left before the send's deadline, in ms. */
const MIN_CALL_WINDOW_MS = 14_000;

/** How long after an ambiguous answer the provider's status is queried, in ms. */
const STATUS_QUERY_DELAY_MS = 5_000;

/** The channel's reason for a refusal caused by the message; undefined if the route is the cause. */
const reasonOf = ({ channel }: MessageRecord, { cause, reason }: RefusedAnswer): string | undefined =>
  reason ?? channelOf(channel).reasonOf[cause];

/** The problem returned to the caller for a provider's refusal. */
const refusalOf = (message: MessageRecord, refused: RefusedAnswer): DispatchRefusal => {
  const { cause, detail, retryAfterSeconds } = refused;
  const meta = { messageId: message.id };
  const reason = reasonOf(message, refused);
  if (cause === 'sender')
    return refuse('PRECONDITION_FAILED', {
      detail: 'The provider does not let this sender send.',
      meta: { ...meta, motivo: reason ?? cause },
    });
  if (refused.notCalled) return stoppedRefusal(refused, reason, meta);
  if (reason)
    return refuse('VALIDATION_ERROR', {
      detail: 'The provider refused the message.',
      meta: { ...meta, motivo: reason },
    });
  switch (cause) {
    case 'throttled':
      return refuse('RATE_LIMITED', {
        detail: 'The provider limits sending on this route.',
        meta,
        retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds ?? 1)),
      });
    case 'credit':
      return refuse('SERVICE_UNAVAILABLE', { detail: 'The provider is out of credit.', meta, retryAfterSeconds: 60 });
    default:
      return refuse('DEPENDENCY_FAILED', { detail: `The provider failed: ${detail}`, meta });
  }
};

const callProvider = async (
  ports: SendPorts,
  message: MessageRecord,
  content: unknown,
  provider: Provider<unknown>,
): Promise<ProviderAnswer> => {
  const startedAt = performance.now();
  const answer = await provider.send({
    messageId: message.id,
    to: message.to,
    route: message.route,
    content,
    callbackUrl: `${ports.publicUrl}/callbacks/${provider.name}/${channelOf(message.channel).callbackKinds[0]}`,
  });
  if (answer.kind === 'refused' && answer.notCalled) return answer;
  ports.observe.provider(
    provider.name,
    answer.kind === 'refused' ? answer.cause : answer.kind,
    performance.now() - startedAt,
  );
  return answer;
};

/** When the sandbox's first report is due, in ms; undefined when there is none. */
const firstReportAt = (message: MessageRecord, at: number): number | undefined => {
  if (message.provider !== SANDBOX_PROVIDER) return undefined;
  const script = channelOf(message.channel).sandbox(message.to);
  return script.kind === 'accepted' && script.reports.length > 0 ? at + SANDBOX_REPORT_DELAY_MS : undefined;
};

/** The sender of a message, normalized for comparison. */
const comparedSender = (message: MessageRecord): string | undefined => {
  const named = senderOfMessage(message);
  return named && comparedValue(named.channel, named.value);
};

/** References by which callbacks find the message: the provider's id, and the recipient where replies are possible. */
const referencesOf = async (ports: SendPorts, message: MessageRecord, providerMessageId: string) => {
  const { channel, provider, to } = message;
  if (provider === SANDBOX_PROVIDER) return { correlations: [] };
  // A provider that takes our id as its own names it in its callbacks.
  const correlations = providerMessageId === message.id ? [] : [providerMessageId];
  if (!channelOf(channel).receivesReplies) return { correlations };
  const hash = await ports.globalRecipientHash(to);
  return { correlations, lastSent: lastSentReference(channel, hash, comparedSender(message)) };
};

/** Captures the hold of an accepted message. Returns the accepted message, or 502 when recovery released the hold meanwhile. */
export const settleAccepted = async (
  ports: SendPorts,
  message: MessageRecord,
  providerMessageId: string,
  decision: Decision,
): Promise<MessageRecord | DispatchRefusal> => {
  const at = ports.clock();
  const outcomeAt = firstReportAt(message, at);
  if (outcomeAt !== undefined) ports.enqueueSandboxReport(message, outcomeAt);
  const sent: MessageRecord = { ...message, status: 'sent', hold: 'captured', providerMessageId, sentAt: at };
  const settled = await ports.messageStore.settle(message, {
    at,
    provider: message.provider,
    providerMessageId,
    decisions: [decision],
    ...(outcomeAt === undefined ? {} : { outcomeAt }),
    ...(await referencesOf(ports, message, providerMessageId)),
    events: eventsOfStatus(sent, 'sent', at),
  });
  if (settled) return sent;
  const current = await ports.messageStore.read(message.id);
  if (current?.hold === 'captured') return current;
  ports.observe.resolved(message.channel, 'settled_too_late', {
    organizationId: message.organizationId,
    messageId: message.id,
  });
  return refuse('DEPENDENCY_FAILED', {
    detail: 'The provider answered after the message was given up.',
    meta: { messageId: message.id },
  });
};

/** The timeline detail of a refusal. */
const refusalText = ({ provider }: MessageRecord, { notCalled, cause, detail }: RefusedAnswer): string =>
  notCalled ? `${provider} was not called: ${detail}` : `${provider} refused: ${cause}`;

/** Fails a message that no provider accepts: releases its hold, and frees its key unless it was queued. */
export const failAndRefund = async (
  ports: SendPorts,
  message: MessageRecord,
  refused: RefusedAnswer,
  raiseEvents: boolean,
  text = refusalText(message, refused),
): Promise<DispatchRefusal> => {
  const at = ports.clock();
  const reason = reasonOf(message, refused);
  await ports.messageStore.release(message, {
    at,
    ...(reason ? { reason } : {}),
    lastError: refused.detail,
    decisions: [
      { at, kind: 'provider', detail: text },
      { at, kind: 'resolution', detail: 'hold released', coins: message.coins },
    ],
    certain: true,
    freeKey: !wasQueued(message),
    toCaller: !raiseEvents,
    events: raiseEvents ? eventsOfStatus({ ...message, reason }, 'failed', at) : [],
  });
  return refusalOf(message, refused);
};

/**
 * Fails a message that no provider accepts. If each refuses the service's account, or none is configured, all other
 * messages of its journey or campaign would fail too: that is reported, unless the message has fallbacks.
 */
const failUntaken = async (
  ports: SendPorts,
  message: MessageRecord,
  refused: RefusedAnswer,
  raiseEvents: boolean,
  text?: string,
): Promise<DispatchRefusal> => {
  const refusal = await failAndRefund(ports, message, refused, raiseEvents, text);
  if (refused.cause === 'credentials' && message.fallbackId === undefined) await ports.onAccountRefused?.(message);
  return refusal;
};

const recordUncertain = async (ports: SendPorts, message: MessageRecord, detail: string): Promise<DispatchRefusal> => {
  const at = ports.clock();
  await ports.messageStore.markUncertain(message, at, at, {
    at,
    kind: 'provider',
    detail: `${message.provider} gave no certain answer: ${detail}`,
  });
  ports.enqueueRecovery(message, at + STATUS_QUERY_DELAY_MS);
  return refuse('DEPENDENCY_FAILED', {
    detail:
      'The provider gave no certain answer. The message is not sent again by itself; a receipt or an inquiry decides.',
    meta: { messageId: message.id },
  });
};

/** Records the next provider before it is called; undefined when this sender no longer holds the fence. */
const failOver = async (ports: SendPorts, message: MessageRecord, next: Provider<unknown>, last: RefusedAnswer) => {
  const decision: Decision = {
    at: ports.clock(),
    kind: 'route',
    detail: `failing over to ${next.name}: ${last.cause}`,
  };
  return (await ports.messageStore.reroute(message, next.name, decision))
    ? { ...message, provider: next.name }
    : undefined;
};

const recordAccepted = async (ports: SendPorts, message: MessageRecord, providerMessageId: string) => {
  const { organizationId, id: messageId, provider, coins } = message;
  const decision: Decision = { at: ports.clock(), kind: 'provider', detail: `${provider} accepted`, coins };
  const settled = await settleAccepted(ports, message, providerMessageId, decision);
  if (!isRefusal(settled))
    ports.observe.sent(message.channel, 'accepted', { organizationId, messageId, provider, coins });
  return settled;
};

/**
 * Sends a reserved message through its providers in order. The next one is tried only after a refusal caused by the route; an ambiguous
 * answer ends the attempt, since a second provider could send a duplicate (docs/spec/sends.md#provider-failover).
 * `raiseEvents`: whether a failure raises an event; false while the caller waits for the answer.
 */
export const dispatchMessage = async (
  ports: SendPorts,
  reserved: MessageRecord,
  content: unknown,
  candidates: Candidates,
  raiseEvents: boolean,
): Promise<MessageRecord | DispatchRefusal> => {
  if (candidates.kind === 'none') {
    const missing: RefusedAnswer = { kind: 'refused', cause: 'credentials', detail: candidates.missing };
    return failUntaken(ports, reserved, missing, raiseEvents, `${reserved.provider} was not called: none is set up`);
  }
  const { reasonOf: messageReasons } = channelOf(reserved.channel);
  let message = reserved;
  let last: RefusedAnswer = { kind: 'refused', cause: 'unavailable', detail: 'no provider could be tried in time' };
  for (const provider of candidates.providers) {
    if (isExpired(message, ports.clock())) return failAndRefund(ports, message, EXPIRED, raiseEvents);
    if (message.deadline - ports.clock() < MIN_CALL_WINDOW_MS) break;
    if (provider.name !== message.provider) {
      const rerouted = await failOver(ports, message, provider, last);
      if (!rerouted) break;
      message = rerouted;
    }
    const answer = await callProvider(ports, message, content, provider);
    if (answer.kind === 'refused' && answer.notCalled) return failAndRefund(ports, message, answer, raiseEvents);
    const healthy = answer.kind === 'accepted' || (answer.kind === 'refused' && answer.cause in messageReasons);
    await ports.routing.report(message.channel, provider.name, message.route, healthy);
    if (answer.kind === 'unknown') return recordUncertain(ports, message, answer.detail);
    if (answer.kind === 'accepted') return recordAccepted(ports, message, answer.providerMessageId);
    last = answer;
    if (answer.cause in messageReasons) break;
  }
  return failUntaken(ports, message, last, raiseEvents);
};
