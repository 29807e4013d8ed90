import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, renamedFields } from '../core/errors.ts';
import { refuseField } from '../core/refuse-field.ts';
import { byPosition } from '../message/channel-request.ts';
import type { SendRequest } from '../message/send-request.ts';
import { type SubmitPorts, scheduleFault, submit } from '../sending/accept.ts';
import { replayOr, requestKey } from '../sending/idempotency.ts';
import { payloadFaultsOn } from '../sending/payload-faults.ts';
import { queuedMessageView } from '../tracking/views.ts';

type Variables = NonNullable<SendRequest['variables']>;

/** The parsed body of the create operation for all channels (docs/spec/messages.md#creating-a-message). */
export interface CreateRequest extends Omit<SendRequest, 'to' | 'template' | 'variables' | 'scheduledAt' | 'text'> {
  readonly to?: string | undefined;
  readonly templateId?: string | undefined;
  readonly templateVars?: readonly string[] | Variables | undefined;
  readonly numberId?: string | undefined;
  readonly instagramAccountId?: string | undefined;
  /** ISO 8601. */
  readonly scheduledAt?: string | undefined;
}

/** Variables by name; an array gets the names "1", "2", … as WhatsApp numbers placeholders. */
const byName = (vars: CreateRequest['templateVars']): Variables | undefined =>
  Array.isArray(vars) ? byPosition(vars) : (vars as Variables | undefined);

/** The payload; an empty one next to a template counts as absent. */
const payloadOf = ({ payload, templateId }: CreateRequest) =>
  templateId !== undefined && payload && Object.keys(payload).length === 0 ? undefined : payload;

/** 422 for a number or an account on a channel that has neither. */
const senderFault = ({ channel, numberId, instagramAccountId }: CreateRequest) => {
  const named = { numberId: [numberId, 'whatsapp'], instagramAccountId: [instagramAccountId, 'instagram'] } as const;
  const errors = Object.entries(named).flatMap(([path, [id, of]]) =>
    id === undefined || channel === of ? [] : [{ path, message: `goes with the channel ${of} only` }],
  );
  return errors.length > 0
    ? refuse('VALIDATION_ERROR', { detail: 'The channel has no such sender.', errors })
    : undefined;
};

/** Converts the body to a send request; 422 for its schedule, payload or recipient. */
const requestOf = async (
  ports: Pick<SubmitPorts, 'clock' | 'recipientOf'>,
  actor: Actor,
  body: CreateRequest,
): Promise<SendRequest | Refusal<'VALIDATION_ERROR'>> => {
  const sender = senderFault(body);
  if (sender) return sender;
  const scheduleRefusal = scheduleFault(body.scheduledAt, ports.clock());
  if (scheduleRefusal) return scheduleRefusal;
  const payload = payloadOf(body);
  const errors = payload ? await payloadFaultsOn(body.channel, body.type, payload) : [];
  if (errors.length > 0) return refuse('VALIDATION_ERROR', { detail: 'The payload does not match its type.', errors });
  const { contactId, templateId, templateVars, scheduledAt, numberId, instagramAccountId, ...rest } = body;
  const variables = byName(templateVars);
  const to = body.to ?? (contactId ? await ports.recipientOf(actor, contactId, body.channel) : undefined);
  if (to === undefined)
    return refuseField(
      'The message has no recipient.',
      'to',
      'is required: the contact has none on this channel, or does not exist',
    );
  return {
    ...rest,
    payload,
    to,
    contactId,
    template: templateId,
    variables,
    labels: {
      numberId,
      instagramAccountId,
      templateId,
      templateVars: variables && Object.values(variables).map(String),
    },
    ...(scheduledAt === undefined ? {} : { scheduledAt: Date.parse(scheduledAt) }),
  };
};

/** Maps a send request's fields to their names in the body. */
const fieldNames = ({ templateId }: CreateRequest) => ({
  template: templateId === undefined ? 'payload.template.name' : 'templateId',
  variables: 'templateVars',
});

/**
 * Creates an asynchronous message on any channel (docs/spec/messages.md#creating-a-message). A replay returns the first
 * response.
 */
export const createMessage = async (ports: SubmitPorts, actor: Actor, callerKey: string, body: CreateRequest) => {
  const key = requestKey(callerKey, 'messages.create', body);
  const request = await requestOf(ports, actor, body);
  const fresh = isRefusal(request) ? request : await submit(ports, actor, { request, key });
  const sent = await replayOr(ports, actor, key, fresh);
  if (isRefusal(sent)) {
    ports.observe.sent(body.channel, sent.name, { organizationId: actor.organizationId });
    return renamedFields(sent, fieldNames(body));
  }
  return queuedMessageView(sent.message, actor.scopes.has('pii:full'), sent.replayed);
};
