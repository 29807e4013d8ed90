import { isRefusal, type Refusal, refuse } from '../errors.ts';
import type { Decision, MessageRecord, SmsReason } from '../messages/message.ts';
import type { SmsCandidates, SmsPorts } from './ports.ts';
import type { SmsAnswer, SmsProvider } from './provider.ts';
import { SANDBOX_OUTCOME_MS, sandboxOutcome } from './sandbox.ts';

type Refused = Extract<SmsAnswer, { kind: 'refused' }>;
type DispatchRefusal = Refusal<'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE' | 'VALIDATION_ERROR'>;

/** Causes that belong to the message itself: no other provider is tried, and the route is healthy. */
const MESSAGE_CAUSES: Partial<Record<Refused['cause'], SmsReason>> = {
  recipient: 'invalid_number',
  content: 'carrier_rejected',
  blacklisted: 'blacklisted',
};

/** A provider is not called when less than this is left before others may resolve the message, in ms. */
const SAFETY_MS = 14_000;

/** When a provider is asked what became of an ambiguous send, in ms after it. */
const ASK_AFTER_MS = 5_000;

/** How a refusal is told to the caller. */
const refusalOf = (message: MessageRecord, { cause, detail, retryAfterSeconds }: Refused): DispatchRefusal => {
  const meta = { messageId: message.id };
  const reason = MESSAGE_CAUSES[cause];
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

const callProvider = async (ports: SmsPorts, message: MessageRecord, provider: SmsProvider): Promise<SmsAnswer> => {
  const startedAt = performance.now();
  const answer = await provider.send({
    messageId: message.id,
    to: message.to,
    text: message.payload.text,
    encoding: message.encoding,
    ...(message.senderId === undefined ? {} : { senderId: message.senderId }),
    route: message.route,
    callbackUrl: `${ports.publicUrl}/callbacks/${provider.name}/receipts`,
  });
  ports.observe.provider(
    provider.name,
    answer.kind === 'refused' ? answer.cause : answer.kind,
    performance.now() - startedAt,
  );
  return answer;
};

/** Captures the hold of an accepted message; the message as accepted, or 502 when its hold was resolved by others meanwhile. */
export const settleAccepted = async (
  ports: SmsPorts,
  message: MessageRecord,
  providerMessageId: string,
  decision: Decision,
): Promise<MessageRecord | DispatchRefusal> => {
  const at = ports.clock();
  const outcomeAt =
    message.provider === 'sandbox_provider' && sandboxOutcome(message.to) !== 'silence'
      ? at + SANDBOX_OUTCOME_MS
      : undefined;
  if (outcomeAt !== undefined) ports.hintOutcome(message.id, outcomeAt);
  const settled = await ports.journal.settle(message, {
    at,
    provider: message.provider,
    providerMessageId,
    decisions: [decision],
    ...(outcomeAt === undefined ? {} : { outcomeAt }),
    correlations:
      message.provider === 'sandbox_provider' ? [] : [providerMessageId, `to:${await ports.hashRecipient(message.to)}`],
  });
  if (settled) return { ...message, status: 'sent', hold: 'captured', providerMessageId, sentAt: at };
  const now = await ports.journal.read(message.id);
  if (now?.hold === 'captured') return now;
  ports.observe.resolved('settled_too_late', { organizationId: message.organizationId, messageId: message.id });
  return refuse('DEPENDENCY_FAILED', {
    detail: 'The provider answered after the message was given up.',
    meta: { messageId: message.id },
  });
};

const giveUp = async (ports: SmsPorts, message: MessageRecord, refused: Refused): Promise<DispatchRefusal> => {
  const at = ports.clock();
  const reason = MESSAGE_CAUSES[refused.cause];
  await ports.journal.release(message, {
    at,
    ...(reason ? { reason } : {}),
    lastError: refused.detail,
    decisions: [
      { at, kind: 'provider', detail: `${message.provider} refused: ${refused.cause}` },
      { at, kind: 'resolution', detail: 'hold released', coins: message.coins },
    ],
    freeKey: true,
    events: [],
  });
  return refusalOf(message, refused);
};

const leaveUncertain = async (ports: SmsPorts, message: MessageRecord, detail: string): Promise<DispatchRefusal> => {
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

/**
 * Hands a reserved message to its providers in order. The next one is tried only where the last one refused for a cause of its
 * route, which is certain: an ambiguous answer ends the walk, since a second provider could send a second time.
 */
export const dispatchSms = async (
  ports: SmsPorts,
  reserved: MessageRecord,
  candidates: SmsCandidates,
): Promise<MessageRecord | DispatchRefusal> => {
  if (candidates.kind === 'none')
    return giveUp(ports, reserved, { kind: 'refused', cause: 'credentials', detail: candidates.missing });
  let message = reserved;
  let last: Refused = { kind: 'refused', cause: 'unavailable', detail: 'no provider could be tried in time' };
  for (const provider of candidates.providers) {
    if (message.deadline - ports.clock() < SAFETY_MS) break;
    if (provider.name !== message.provider) {
      const decision: Decision = {
        at: ports.clock(),
        kind: 'route',
        detail: `failing over to ${provider.name}: ${last.cause}`,
      };
      if (!(await ports.journal.reroute(message, provider.name, decision))) break;
      message = { ...message, provider: provider.name };
    }
    const answer = await callProvider(ports, message, provider);
    const cause = answer.kind === 'refused' ? answer.cause : undefined;
    await ports.routing.report(
      provider.name,
      message.route,
      answer.kind === 'accepted' || (cause !== undefined && cause in MESSAGE_CAUSES),
    );
    if (answer.kind === 'unknown') return leaveUncertain(ports, message, answer.detail);
    if (answer.kind === 'accepted') {
      const decision: Decision = {
        at: ports.clock(),
        kind: 'provider',
        detail: `${provider.name} accepted`,
        coins: message.coins,
      };
      const settled = await settleAccepted(ports, message, answer.providerMessageId, decision);
      if (!isRefusal(settled))
        ports.observe.sent('accepted', {
          organizationId: message.organizationId,
          messageId: message.id,
          provider: provider.name,
          coins: message.coins,
        });
      return settled;
    }
    last = answer;
    if (answer.cause in MESSAGE_CAUSES) break;
  }
  return giveUp(ports, message, last);
};
