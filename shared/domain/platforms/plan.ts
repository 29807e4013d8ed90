import type * as z from 'zod';
import { isRefusal, refuse } from '../errors.ts';
import { issueWords } from '../issue-words.ts';
import type { Asked, Tenant } from '../messages/plan.ts';
import { type PlanPorts, planWith } from '../messages/planning.ts';
import { phoneOf } from '../messages/recipient.ts';
import type { UnifiedRequest } from '../messages/unified.ts';
import { isCarried, NOT_CARRIED, rateKindOf } from '../push/message.ts';
import { notificationOf } from '../push/single.ts';
import { PLATFORM_FORMS } from './forms.ts';
import type { PlatformChannel } from './providers.ts';
import { windowFault } from './window.ts';

/** Which sender is asked for. */
export interface SenderWanted {
  readonly channel: PlatformChannel;
  /** Whom the message goes to. */
  readonly to: string;
  /** The sender that the message names, by our id. */
  readonly named: string | undefined;
  /** Whether it counts when the recipient wrote. */
  readonly windowed: boolean;
}

export interface PlatformPorts extends PlanPorts {
  /**
   * The organization's number or account that a message leaves from, by our id: the one that it names, else its only one, else the
   * number that the recipient last wrote to; no id when it names none and the provider's own takes its place, or the stage reaches
   * nobody. `wroteAt`: when the recipient last wrote there, in ms, if ever and `windowed`. Undefined when the organization has none such.
   */
  readonly senderOf: (
    tenant: Tenant,
    wanted: SenderWanted,
  ) => Promise<{ readonly id?: string | undefined; readonly wroteAt?: number | undefined } | undefined>;
}

/** The longest id of a platform's user or of a push token. */
const ID_LENGTH = 4096;

const badId = refuse('VALIDATION_ERROR', {
  detail: 'The recipient is not in the format of its channel.',
  overview: 'invalid_recipient',
  errors: [{ path: 'to', message: "must be the recipient's id on the channel" }],
});

const tooLong = refuse('VALIDATION_ERROR', {
  detail: 'The notification is longer than push services take.',
  errors: [{ path: 'text', message: NOT_CARRIED }],
});

const LABEL = { whatsapp: 'numberId', instagram: 'instagramAccountId' } as const;

const unknownSender = (channel: PlatformChannel, named: string | undefined) =>
  named === undefined
    ? refuse('PRECONDITION_FAILED', 'The organization has no account on this channel that it could send from.')
    : refuse('VALIDATION_ERROR', {
        detail: 'The sender does not exist.',
        errors: [{ path: LABEL[channel], message: 'is none of the organization' }],
      });

const payloadOf = (request: UnifiedRequest): Record<string, unknown> => {
  const vars = request.type === 'template' ? { templateVars: { ...request.variables } } : {};
  const text = request.text === undefined ? {} : { text: request.text };
  if (request.payload) return { ...text, ...request.payload, ...(request.variables ? vars : {}) };
  if (request.template !== undefined) return { template: { name: request.template, language: 'pt-BR' }, ...vars };
  return { text: request.text ?? '' };
};

/** Why a payload cannot leave by a platform; undefined when it can. */
const payloadFault = (form: z.ZodType, payload: unknown) => {
  const { error } = form.safeParse(payload, { error: issueWords });
  if (!error) return undefined;
  const errors = error.issues.slice(0, 20).map(({ path, message }) => ({
    path: ['payload', ...path.map(String)].join('.'),
    message,
  }));
  return refuse('VALIDATION_ERROR', { detail: 'The payload is not of its type.', errors });
};

/** What a message of a platform says and leaves from; or why it cannot leave. */
const saidBy = async (
  ports: PlatformPorts,
  tenant: Tenant,
  request: UnifiedRequest,
  { channel, to, windowed }: Omit<SenderWanted, 'named'>,
) => {
  const { type, labels } = request;
  const payload = payloadOf(request);
  const fault = payloadFault(PLATFORM_FORMS[channel][type], payload);
  if (fault) return fault;
  const named = labels?.[LABEL[channel]];
  const sender = await ports.senderOf(tenant, { channel, to, named, windowed });
  if (!sender) return unknownSender(channel, named);
  const { id, wroteAt } = sender;
  const closed = windowed ? windowFault(channel, ports.clock(), wroteAt, 'tag' in payload) : undefined;
  if (closed) return closed;
  if (id === undefined) return { to, type, content: { payload }, labels };
  return { to, type, content: { payload, from: id }, labels: { ...labels, [LABEL[channel]]: id } };
};

/** Makes the plan of a WhatsApp message: 409 `window_closed` for anything but a template outside the 24 hours (interface, part 7). */
export const planWhatsapp = async (ports: PlatformPorts, ...asked: Asked<UnifiedRequest>) => {
  const [tenant, request] = asked;
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const isTemplate = request.type === 'template';
  const said = await saidBy(ports, tenant, request, { channel: 'whatsapp', to, windowed: !isTemplate });
  if (isRefusal(said)) return said;
  const { route = isTemplate ? 'marketing' : 'session' } = request;
  const mayOptOut = route === 'marketing' || route === 'session';
  return planWith(ports, asked, { ...said, channel: 'whatsapp', route, mayOptOut });
};

/** Makes the plan of an Instagram message. In live its recipient must have written: the sandbox has nobody who could. */
export const planInstagram = async (ports: PlatformPorts, ...asked: Asked<UnifiedRequest>) => {
  const [tenant, request] = asked;
  const { to, route = 'session' } = request;
  if (isBadId(to)) return badId;
  const said = await saidBy(ports, tenant, request, { channel: 'instagram', to, windowed: tenant.env === 'live' });
  return isRefusal(said) ? said : planWith(ports, asked, { ...said, channel: 'instagram', route, mayOptOut: true });
};

const isBadId = (to: string) => to.length === 0 || to.length > ID_LENGTH || /[\p{Cc}\s]/u.test(to);

/** Makes the plan of a push message to one device, priced by what it shows, as every push is (interface 4.9); 422 for more than is carried. */
export const planPush = async (ports: PlanPorts, ...asked: Asked<UnifiedRequest>) => {
  const [, request] = asked;
  const { to, type } = request;
  if (isBadId(to)) return badId;
  const content = { payload: payloadOf(request) };
  const notification = notificationOf(content);
  if (notification && !isCarried(notification)) return tooLong;
  const route = rateKindOf(notification ?? {});
  return planWith(ports, asked, { channel: 'push', route, to, type, content, mayOptOut: true });
};
