import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { rulesOf } from './channels.ts';
import { eventsOfStatus } from './events.ts';
import type { Decision, MessageRecord } from './message.ts';
import type { Candidates, SendPorts } from './ports.ts';
import { CALLBACK_KIND_OF, type Channel, type Provider, type ProviderAnswer, type RefusedAnswer } from './provider.ts';
import { lastSentTo } from './recipient.ts';
import { stopped } from './refusals.ts';
import { SANDBOX_OUTCOME_MS } from './sandbox.ts';

export type DispatchRefusal = Refusal<
  'DEPENDENCY_FAILED' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE' | 'VALIDATION_ERROR'
>;

/** A provider is not called when less than this is left before others may resolve the message, in ms. */
const SAFETY_MS = 14_000;

/** When a provider is asked what became of an ambiguous send, in ms after it. */
const ASK_AFTER_MS = 5_000;

/** The channel's reason of a refusal that belongs to the message; none of one that belongs to the route. */
const reasonOf = ({ channel }: MessageRecord, { cause, reason }: RefusedAnswer): string | undefined =>
  reason ?? rulesOf(channel).reasonOf[cause];

/** How a refusal is told to the caller. */
const refusalOf = (message: MessageRecord, refused: RefusedAnswer): DispatchRefusal => {
  const { cause, detail, retryAfterSeconds } = refused;
  const meta = { messageId: message.id };
  const reason = reasonOf(message, refused);
  if (cause === 'sender')
    return refuse('PRECONDITION_FAILED', {
      detail: 'The provider does not let this sender send.',
      meta: { ...meta, motivo: reason ?? cause },
    });
  if (refused.unasked) return stopped(refused, reason, meta);
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
    callbackUrl: `${ports.publicUrl}/callbacks/${provider.name}/${CALLBACK_KIND_OF[message.channel]}`,
  });
  if (answer.kind === 'refused' && answer.unasked) return answer;
  ports.observe.provider(
    provider.name,
    answer.kind === 'refused' ? answer.cause : answer.kind,
    performance.now() - startedAt,
  );
  return answer;
};

/** When the sandbox makes its first report of an accepted message, in ms; undefined when it stays silent. */
const firstReportAt = (message: MessageRecord, at: number): number | undefined => {
  if (message.provider !== 'sandbox_provider') return undefined;
  const play = rulesOf(message.channel).sandbox(message.to);
  return play.kind === 'accepted' && play.reports.length > 0 ? at + SANDBOX_OUTCOME_MS : undefined;
};

/** The channels that people answer on: who wrote to them last is told by their phone or id. */
const ANSWERED: ReadonlySet<Channel> = new Set(['sms', 'rcs', 'whatsapp', 'instagram']);

/** What a provider will quote of a message: its own id, and the phone or id that an answer comes from. */
const correlationsOf = async (ports: SendPorts, message: MessageRecord, providerMessageId: string) => {
  if (message.provider === 'sandbox_provider') return [];
  if (!ANSWERED.has(message.channel)) return [providerMessageId];
  return [providerMessageId, lastSentTo(message.channel, await ports.hashRecipient(message.to))];
};

/** Captures the hold of an accepted message; the message as accepted, or 502 when its hold was resolved by others meanwhile. */
export const settleAccepted = async (
  ports: SendPorts,
  message: MessageRecord,
  providerMessageId: string,
  decision: Decision,
): Promise<MessageRecord | DispatchRefusal> => {
  const at = ports.clock();
  const outcomeAt = firstReportAt(message, at);
  if (outcomeAt !== undefined) ports.hintOutcome(message.id, outcomeAt);
  const sent: MessageRecord = { ...message, status: 'sent', hold: 'captured', providerMessageId, sentAt: at };
  const settled = await ports.journal.settle(message, {
    at,
    provider: message.provider,
    providerMessageId,
    decisions: [decision],
    ...(outcomeAt === undefined ? {} : { outcomeAt }),
    correlations: await correlationsOf(ports, message, providerMessageId),
    events: eventsOfStatus(sent, 'sent', at),
  });
  if (settled) return sent;
  const now = await ports.journal.read(message.id);
  if (now?.hold === 'captured') return now;
  ports.observe.resolved(message.channel, 'settled_too_late', {
    organizationId: message.organizationId,
    messageId: message.id,
  });
  return refuse('DEPENDENCY_FAILED', {
    detail: 'The provider answered after the message was given up.',
    meta: { messageId: message.id },
  });
};

/** A refusal as the timeline tells it. */
const refusedWords = ({ provider }: MessageRecord, { unasked, cause, detail }: RefusedAnswer): string =>
  unasked ? `${provider} was not asked: ${detail}` : `${provider} refused: ${cause}`;

/** Gives a message up that no provider takes: failed, refunded, the caller's key free again. */
export const giveUp = async (
  ports: SendPorts,
  message: MessageRecord,
  refused: RefusedAnswer,
  raise: boolean,
): Promise<DispatchRefusal> => {
  const at = ports.clock();
  const reason = reasonOf(message, refused);
  await ports.journal.release(message, {
    at,
    ...(reason ? { reason } : {}),
    lastError: refused.detail,
    decisions: [
      { at, kind: 'provider', detail: refusedWords(message, refused) },
      { at, kind: 'resolution', detail: 'hold released', coins: message.coins },
    ],
    freeKey: true,
    events: raise ? eventsOfStatus({ ...message, reason }, 'failed', at) : [],
  });
  return refusalOf(message, refused);
};

const leaveUncertain = async (ports: SendPorts, message: MessageRecord, detail: string): Promise<DispatchRefusal> => {
  const at = ports.clock();
  await ports.journal.markUncertain(message, at, at, {
    at,
    kind: 'provider',
    detail: `${message.provider} gave no certain answer: ${detail}`,
  });
  ports.hintResolve(message.id, at + ASK_AFTER_MS);
  return refuse('DEPENDENCY_FAILED', {
    detail:
      'The provider gave no certain answer. The message is not sent again by itself; a receipt or an inquiry decides.',
    meta: { messageId: message.id },
  });
};

/** Names the next provider before it is called; undefined when the hold is no longer this sender's. */
const failOver = async (ports: SendPorts, message: MessageRecord, next: Provider<unknown>, last: RefusedAnswer) => {
  const decision: Decision = {
    at: ports.clock(),
    kind: 'route',
    detail: `failing over to ${next.name}: ${last.cause}`,
  };
  return (await ports.journal.reroute(message, next.name, decision)) ? { ...message, provider: next.name } : undefined;
};

const acceptedBy = async (ports: SendPorts, message: MessageRecord, providerMessageId: string) => {
  const { organizationId, id: messageId, provider, coins } = message;
  const decision: Decision = { at: ports.clock(), kind: 'provider', detail: `${provider} accepted`, coins };
  const settled = await settleAccepted(ports, message, providerMessageId, decision);
  if (!isRefusal(settled))
    ports.observe.sent(message.channel, 'accepted', { organizationId, messageId, provider, coins });
  return settled;
};

/**
 * Hands a reserved message to its providers in order. The next one is tried only where the last one refused for a cause of its
 * route, which is certain: an ambiguous answer ends the walk, since a second provider could send a second time.
 * `raise`: whether a refusal is an event, as it is where no caller waits for the answer.
 */
export const dispatchMessage = async (
  ports: SendPorts,
  reserved: MessageRecord,
  content: unknown,
  candidates: Candidates,
  raise: boolean,
): Promise<MessageRecord | DispatchRefusal> => {
  if (candidates.kind === 'none') {
    const missing: RefusedAnswer = { kind: 'refused', cause: 'credentials', detail: candidates.missing };
    return giveUp(ports, reserved, missing, raise);
  }
  const { reasonOf: ofMessage } = rulesOf(reserved.channel);
  let message = reserved;
  let last: RefusedAnswer = { kind: 'refused', cause: 'unavailable', detail: 'no provider could be tried in time' };
  for (const provider of candidates.providers) {
    if (message.deadline - ports.clock() < SAFETY_MS) break;
    if (provider.name !== message.provider) {
      const rerouted = await failOver(ports, message, provider, last);
      if (!rerouted) break;
      message = rerouted;
    }
    const answer = await callProvider(ports, message, content, provider);
    if (answer.kind === 'refused' && answer.unasked) return giveUp(ports, message, answer, raise);
    const healthy = answer.kind === 'accepted' || (answer.kind === 'refused' && answer.cause in ofMessage);
    await ports.routing.report(message.channel, provider.name, message.route, healthy);
    if (answer.kind === 'unknown') return leaveUncertain(ports, message, answer.detail);
    if (answer.kind === 'accepted') return acceptedBy(ports, message, answer.providerMessageId);
    last = answer;
    if (answer.cause in ofMessage) break;
  }
  return giveUp(ports, message, last, raise);
};
