import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { payloadFaults } from './payload-forms.ts';
import { requestHash } from './plan.ts';
import { orEarlier } from './replay.ts';
import { type SubmitPorts, scheduleFault, submit } from './submit.ts';
import type { UnifiedRequest } from './unified.ts';
import { queuedMessageView } from './views.ts';

type Variables = NonNullable<UnifiedRequest['variables']>;

/** The parsed body of the unified create (decisions, part 4). */
export interface CreateRequest extends Omit<UnifiedRequest, 'to' | 'template' | 'variables' | 'scheduledAt' | 'text'> {
  readonly to?: string | undefined;
  readonly templateId?: string | undefined;
  readonly templateVars?: readonly string[] | Variables | undefined;
  readonly numberId?: string | undefined;
  readonly instagramAccountId?: string | undefined;
  /** ISO 8601. */
  readonly scheduledAt?: string | undefined;
}

/** Variables by name; in order they are named by their place, as the platforms number them. */
const named = (vars: CreateRequest['templateVars']): Variables | undefined =>
  Array.isArray(vars)
    ? Object.fromEntries(vars.map((value: string, index) => [String(index + 1), value]))
    : (vars as Variables | undefined);

/** What is said beside the template; an empty payload beside one says nothing. */
const payloadOf = ({ payload, templateId }: CreateRequest) =>
  templateId !== undefined && payload && Object.keys(payload).length === 0 ? undefined : payload;

/** The send that a body asks for; why it cannot be one, where its moment, payload or recipient is wrong. */
const requestOf = async (
  ports: Pick<SubmitPorts, 'clock' | 'recipientOf'>,
  actor: Actor,
  body: CreateRequest,
): Promise<UnifiedRequest | Refusal<'VALIDATION_ERROR'>> => {
  const late = scheduleFault(body.scheduledAt, ports.clock());
  if (late) return late;
  const payload = payloadOf(body);
  const errors = payload ? payloadFaults(body.channel, body.type, payload) : [];
  if (errors.length > 0) return refuse('VALIDATION_ERROR', { detail: 'The payload is not of its type.', errors });
  const { contactId, templateId, templateVars, scheduledAt, numberId, instagramAccountId, ...rest } = body;
  const variables = named(templateVars);
  const to = body.to ?? (contactId ? await ports.recipientOf(actor, contactId, body.channel) : undefined);
  if (to === undefined)
    return refuse('VALIDATION_ERROR', {
      detail: 'The message has no recipient.',
      errors: [{ path: 'to', message: 'is needed: the contact has none on this channel, or does not exist' }],
    });
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

/** Creates a message on any channel, to leave by itself (decisions, part 4). A repeat is answered as the first call was. */
export const createMessage = async (ports: SubmitPorts, actor: Actor, key: string, body: CreateRequest) => {
  const keyed = { key, hash: requestHash('messages.create', body) };
  const request = await requestOf(ports, actor, body);
  const fresh = isRefusal(request) ? request : await submit(ports, actor, { request, ...keyed });
  const sent = await orEarlier(ports, actor, keyed, fresh);
  if (isRefusal(sent)) {
    ports.observe.sent(body.channel, sent.name, { organizationId: actor.organizationId });
    return sent;
  }
  return queuedMessageView(sent.message, actor.scopes.has('pii:full'), sent.replayed);
};
