import { channelOf } from '../channels/registry.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, renamedFields } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { byPosition } from '../message/channel-request.ts';
import type { ResendContent } from '../message/define-channel.ts';
import type { StoredMessage } from '../message/inbound-message.ts';
import { automationLabels, type MessageRecord, type QueuedMessage } from '../message/message.ts';
import type { SendRequest } from '../message/send-request.ts';
import { firstProvider, type SubmitPorts } from '../sending/accept.ts';
import { queuedBody } from '../sending/draft.ts';
import { type RequestKey, replayOr, requestKey, type Sent } from '../sending/idempotency.ts';
import { payloadFaultsOn } from '../sending/payload-faults.ts';
import type { PlannedSend, Planner, SendPlan } from '../sending/plan.ts';
import type { SendPorts } from '../sending/ports.ts';
import { type ReserveRefusal, reserveMessage } from '../sending/reserve.ts';
import { messageEvent } from '../tracking/events.ts';
import { unifiedStatus } from '../tracking/views.ts';
import { UNDECIDED } from './cancel-and-force.ts';

/** The correctable fields of a resend (docs/spec/messages.md#resend); absent fields are taken from the original. */
export interface Correction {
  readonly to?: string | undefined;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  readonly templateVars?: readonly string[] | undefined;
  readonly metadata?: MessageRecord['metadata'];
}

/** Ports of resends. */
export interface ResendPorts extends SendPorts, Pick<SubmitPorts, 'consentFault' | 'balance'> {
  readonly plan: Planner;
  readonly readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => Promise<StoredMessage | undefined>;
  /** Whether the message's batch is still undecided. Reads nothing for a message without a batch. */
  readonly isUndecided: (message: MessageRecord) => Promise<boolean>;
  /** Enqueues a queued message for a time (ms). Best effort. */
  readonly enqueueSend: (message: QueuedMessage, at: number) => void;
}

/** Refusals of a resend; the original is then unchanged. */
export type ResendRefusal =
  | ReserveRefusal
  | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'VALIDATION_ERROR'>;

const notResendable = (status: string) =>
  refuse('CONFLICT', {
    detail: 'Only a queued or a failed message can be resent.',
    meta: { status },
  });

/** The template whose body was sent as text, on channels without templates. */
const textTemplateOf = ({ channel, content, type, templateId }: MessageRecord): string | undefined =>
  type === 'template' && channelOf(channel).templates === 'as_text' && 'text' in channelOf(channel).payload(content)
    ? templateId
    : undefined;

/** The original's content as request fields; undefined if it is not stored. */
const contentToResend = (
  original: MessageRecord,
  templateVars: readonly string[] | undefined,
): ResendContent | undefined => {
  const template = templateVars && textTemplateOf(original);
  return template === undefined
    ? channelOf(original.channel).resendContent(original.content, templateVars)
    : { template };
};

const NO_BODY = refuseField(
  "An e-mail's body is not stored: send the payload again.",
  'payload',
  'is required to resend an e-mail',
);

const corrected = (payload: Readonly<Record<string, unknown>>): ResendContent => {
  const { text, ...rest } = payload;
  if (typeof text !== 'string') return { payload };
  return { text, ...(Object.keys(rest).length > 0 ? { payload: rest } : {}) };
};

/** The original as a send request with the corrections. */
const requestOf = async (
  original: MessageRecord,
  correction: Correction,
): Promise<SendRequest | Refusal<'VALIDATION_ERROR'>> => {
  const { channel, route, contactId, campaignId, priority } = original;
  const type = textTemplateOf(original) === undefined ? original.type : 'text';
  const errors = correction.payload ? await payloadFaultsOn(channel, type, correction.payload) : [];
  if (errors.length > 0)
    return refuse('VALIDATION_ERROR', { detail: 'The payload does not match its channel and type.', errors });
  const content = correction.payload
    ? corrected(correction.payload)
    : contentToResend(original, correction.templateVars);
  if (!content) return NO_BODY;
  // Without a new payload the stored content already contains the original's variables.
  const templateVars = correction.templateVars ?? (correction.payload && original.templateVars);
  const { numberId, instagramAccountId } = original;
  return {
    channel,
    to: correction.to ?? original.to,
    type,
    ...content,
    variables: templateVars && byPosition(templateVars),
    route,
    contactId,
    campaignId,
    metadata: correction.metadata ?? original.metadata,
    priority,
    labels: { numberId, instagramAccountId },
  };
};

/** The journey label of a resent message: the run knows the original. */
const resentLabel = ({ id, fallbackId, journey }: MessageRecord): MessageRecord['journey'] =>
  journey && { ...journey, firstId: journey.firstId ?? fallbackId ?? id };

/** The channel's plan, with the parts of the original that no request field represents. */
const planOf = (
  planned: SendPlan,
  original: MessageRecord,
  { templateVars }: Correction,
  batchId?: Id<'batch'>,
): SendPlan => {
  const copied = channelOf(original.channel).keptOnResend?.(original.content);
  const { numberId, instagramAccountId, templateId } = original;
  return {
    ...planned,
    ...(copied ? { content: { ...planned.content, ...copied } } : {}),
    labels: {
      numberId,
      instagramAccountId,
      templateId,
      templateVars: templateVars ?? original.templateVars,
      batchId,
      mediaStorage: planned.labels?.mediaStorage,
      ...automationLabels({ ...original, journey: resentLabel(original) }),
    },
    replaces: original.id,
    original,
  } as SendPlan;
};

/** Maps a send request's fields to their names in the body. */
const FIELD_NAMES = { template: 'payload.template.name', text: 'payload.text', variables: 'templateVars' };

/** Plans the resend of a message; a refusal if it cannot be resent. */
export const planResend = async (
  ports: Pick<ResendPorts, 'plan' | 'isUndecided'>,
  actor: Actor,
  original: StoredMessage,
  correction: Correction,
  batchId?: Id<'batch'>,
): Promise<PlannedSend | ResendRefusal> => {
  if (original.direction === 'inbound') return notResendable(original.status);
  const status = unifiedStatus(original);
  if (status !== 'queued' && status !== 'failed') return notResendable(status);
  if (await ports.isUndecided(original)) return UNDECIDED;
  const request = await requestOf(original, correction);
  if (isRefusal(request)) return request;
  const planned = await ports.plan(actor, request);
  if (isRefusal(planned)) return renamedFields(planned, FIELD_NAMES);
  return { ...planned, plan: planOf(planned.plan, original, correction, batchId) };
};

const sendPlanned = async (
  ports: ResendPorts,
  actor: Actor,
  key: RequestKey,
  planned: PlannedSend,
): Promise<Sent | ResendRefusal> => {
  const { plan } = planned;
  const provider = await firstProvider(ports, actor, plan);
  if (isRefusal(provider)) return provider;
  const at = ports.clock();
  const sent = await reserveMessage(ports, actor, {
    plan,
    key,
    initial: { status: 'queued', at, provider, body: queuedBody(planned) },
    events: (message) => [messageEvent('message.queued', message, at)],
  });
  if (!isRefusal(sent) && !sent.replayed) ports.enqueueSend(sent.message, at);
  return sent;
};

/**
 * Resends a queued or failed message with corrections (docs/spec/messages.md#resend). One transaction archives the original, releases its
 * hold if it was still queued, and holds and queues the new message, which is billed like any other. Of concurrent resends one wins; the
 * others answer 409, as the original is archived. With `callerKey` a replay answers with the first call's message; `batchId` is the bulk
 * resend it belongs to.
 */
export const resend = async (
  ports: ResendPorts,
  actor: Actor,
  id: Id<'message'>,
  correction: Correction,
  callerKey: string | undefined,
  batchId?: Id<'batch'>,
): Promise<Sent | ResendRefusal> => {
  const { organizationId } = actor;
  // Callers cannot put a line break into a key, so a generated one never collides with theirs.
  const key = requestKey(callerKey ?? `resend\n${newId('request')}`, 'messages.resend', { id, ...correction });
  const original = await ports.readMessage(organizationId, id);
  // A message that was resent may have moved to the archive since.
  if (!original) return replayOr(ports, actor, key, refuse('NOT_FOUND', 'There is no such message.'));
  const planned = await planResend(ports, actor, original, correction, batchId);
  const sent = isRefusal(planned) ? planned : await sendPlanned(ports, actor, key, planned);
  return replayOr(ports, actor, key, sent);
};
