import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { newId } from '../ids.ts';
import type { StoredMessage } from '../inbound/message.ts';
import { messageEvent } from './events.ts';
import type { MessageRecord } from './message.ts';
import { UNDECIDED } from './operate.ts';
import { payloadFaults } from './payload-forms.ts';
import { type Planners, requestHash, type SendPlan } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { orEarlier } from './replay.ts';
import { type ReserveRefusal, reserveMessage, type Sent } from './send.ts';
import { type SubmitPorts, uncarriedBy } from './submit.ts';
import type { UnifiedRequest } from './unified.ts';
import { unifiedStatus } from './views.ts';

/** What a resend may correct (decisions, part 4). What is absent stays as the original has it. */
export interface Correction {
  readonly to?: string | undefined;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  readonly templateVars?: readonly string[] | undefined;
  readonly metadata?: MessageRecord['metadata'];
}

export interface ResendPorts extends SendPorts, Pick<SubmitPorts, 'consentFault' | 'balance'> {
  readonly planners: Planners;
  readonly readMessage: (organizationId: string, id: string) => Promise<StoredMessage | undefined>;
  /** Whether the batch that a message came with may still be refused as a whole. Reads nothing of one that came alone. */
  readonly isUndecided: (message: MessageRecord) => Promise<boolean>;
  /** Hands a queued message to its queue at a moment (ms); may be lost. */
  readonly hintSend: (messageId: string, at: number) => void;
}

export type ResendRefusal =
  | ReserveRefusal
  | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'VALIDATION_ERROR'>;

const notNow = (status: string) =>
  refuse('CONFLICT', {
    detail: 'Only a queued or a failed message can be sent anew.',
    meta: { status },
  });

/** Variables by their place, as the platforms number them. */
const byPlace = (vars: readonly string[]) => Object.fromEntries(vars.map((value, at) => [String(at + 1), value]));

const numbered = (payload: Readonly<Record<string, unknown>>, vars: readonly string[] | undefined) => {
  if (!vars || !('template' in payload)) return payload;
  // What the old variables had filled is filled anew.
  const { components: _, ...template } = payload.template as Readonly<Record<string, unknown>>;
  return { ...payload, template, templateVars: byPlace(vars) };
};

/** The template whose body a text was made of. */
const templateSaid = ({ channel, content, type, templateId }: MessageRecord): string | undefined =>
  type === 'template' &&
  channel !== 'email' &&
  ('text' in content || ('payload' in content && 'text' in content.payload))
    ? templateId
    : undefined;

type Said = Pick<UnifiedRequest, 'text' | 'payload' | 'template'>;

/** The content as a request asks for it; undefined where it is not kept. */
const keptContent = (original: MessageRecord, templateVars: readonly string[] | undefined): Said | undefined => {
  const template = templateVars && templateSaid(original);
  if (template !== undefined) return { template };
  switch (original.channel) {
    case 'sms':
      return { text: original.content.text };
    case 'rcs': {
      const { text, card, fallback } = original.content;
      const payload = { ...(card ? { card } : {}), ...(fallback ? { fallback: { text: fallback.text } } : {}) };
      return { ...(text === undefined ? {} : { text }), ...(Object.keys(payload).length > 0 ? { payload } : {}) };
    }
    case 'email':
      return undefined;
    default:
      return { payload: numbered(original.content.payload, templateVars) };
  }
};

const NO_BODY = refuse('VALIDATION_ERROR', {
  detail: "An e-mail's body is not kept: send the payload again.",
  errors: [{ path: 'payload', message: 'is needed to send an e-mail anew' }],
});

const corrected = (payload: Readonly<Record<string, unknown>>): Said => {
  const { text, ...rest } = payload;
  if (typeof text !== 'string') return { payload };
  return { text, ...(Object.keys(rest).length > 0 ? { payload: rest } : {}) };
};

/** The original's send with its corrections, as any other request of its channel. */
const requestOf = (original: MessageRecord, correction: Correction): UnifiedRequest | Refusal<'VALIDATION_ERROR'> => {
  const { channel, route, contactId, campaignId, priority } = original;
  const type = templateSaid(original) === undefined ? original.type : 'text';
  const errors = correction.payload ? payloadFaults(channel, type, correction.payload) : [];
  if (errors.length > 0)
    return refuse('VALIDATION_ERROR', { detail: 'The payload is not in the form of its channel and type.', errors });
  const content = correction.payload ? corrected(correction.payload) : keptContent(original, correction.templateVars);
  if (!content) return NO_BODY;
  // A payload that stays says its variables by the names that it has for them.
  const templateVars = correction.templateVars ?? (correction.payload && original.templateVars);
  const { numberId, instagramAccountId } = original;
  return {
    channel,
    to: correction.to ?? original.to,
    type,
    ...content,
    variables: templateVars && byPlace(templateVars),
    route,
    contactId,
    campaignId,
    metadata: correction.metadata ?? original.metadata,
    priority,
    labels: { numberId, instagramAccountId },
  };
};

/** The channel's plan, with what of the original no request asks for. */
const planOf = (
  planned: SendPlan,
  original: MessageRecord,
  { templateVars }: Correction,
  batchId?: string,
): SendPlan => {
  const senderId = original.channel === 'sms' ? original.content.senderId : undefined;
  const { numberId, instagramAccountId, templateId } = original;
  return {
    ...planned,
    ...(senderId === undefined ? {} : { content: { ...planned.content, senderId } }),
    labels: { numberId, instagramAccountId, templateId, templateVars: templateVars ?? original.templateVars, batchId },
    replaces: original.id,
    original,
  } as SendPlan;
};

/** What a message is sent anew as, and what leaves of it besides what is kept. */
interface PlannedResend {
  readonly plan: SendPlan;
  readonly body?: string | undefined;
}

/** What a message would be sent anew as, and what leaves of it besides what is kept; why not, where it cannot be. */
export const planResend = async (
  ports: Pick<ResendPorts, 'planners' | 'isUndecided'>,
  actor: Actor,
  original: StoredMessage,
  correction: Correction,
  { key, hash, batchId }: Pick<SendPlan, 'key' | 'hash'> & { readonly batchId?: string | undefined },
): Promise<PlannedResend | ResendRefusal> => {
  if (original.direction === 'inbound') return notNow(original.status);
  const status = unifiedStatus(original);
  if (status !== 'queued' && status !== 'failed') return notNow(status);
  if (await ports.isUndecided(original)) return UNDECIDED;
  const request = requestOf(original, correction);
  if (isRefusal(request)) return request;
  const planned = await ports.planners[original.channel](actor, request, key, hash);
  if (isRefusal(planned)) return planned;
  return { plan: planOf(planned.plan, original, correction, batchId), body: planned.body };
};

const sendPlanned = async (
  ports: ResendPorts,
  actor: Actor,
  { plan, body }: PlannedResend,
): Promise<Sent | ResendRefusal> => {
  const uncarried = await uncarriedBy(ports, actor, plan);
  if (uncarried) return uncarried;
  const at = ports.clock();
  const sent = await reserveMessage(ports, actor, plan, { status: 'queued', at, body }, (message) => [
    messageEvent('message.queued', message, at),
  ]);
  if (!isRefusal(sent) && !sent.replayed) ports.hintSend(sent.message.id, at);
  return sent;
};

/**
 * Sends a queued or failed message anew with its corrections (interface, part 3). One transaction archives the original, gives back its
 * hold if it was still queued, and holds and queues the new message, which is billed as any other. Of resends at the same time one
 * wins; the others find the original archived: 409. `callerKey` makes a repeat answer with the message of the first call; `batchId` is the
 * bulk resend that it belongs to.
 */
export const resend = async (
  ports: ResendPorts,
  actor: Actor,
  id: string,
  correction: Correction,
  callerKey: string | undefined,
  batchId?: string,
): Promise<Sent | ResendRefusal> => {
  const { organizationId } = actor;
  const original = await ports.readMessage(organizationId, id);
  if (!original) return refuse('NOT_FOUND', 'There is no such message.');
  // No caller can write a line break into a key: a resend without one never meets another's.
  const key = callerKey ?? `resend\n${newId('request')}`;
  const hash = requestHash('messages.resend', { id, ...correction });
  const planned = await planResend(ports, actor, original, correction, { key, hash, batchId });
  const sent = isRefusal(planned) ? planned : await sendPlanned(ports, actor, planned);
  return orEarlier(ports, actor, { key, hash }, sent);
};
