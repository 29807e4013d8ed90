import type * as z from 'zod';
import { isRefusal, refuse } from '../errors.ts';
import { issueWords } from '../issue-words.ts';
import type { Planned, PlanOf, Tenant } from '../messages/plan.ts';
import type { QuotePorts } from '../messages/ports.ts';
import { priceOf } from '../messages/quote.ts';
import { phoneOf } from '../messages/recipient.ts';
import type { UnifiedRequest } from '../messages/unified.ts';
import { phoneRegion } from '../phone.ts';
import { PLATFORM_FORMS } from './forms.ts';
import type { PlatformChannel } from './providers.ts';
import { type WindowPorts, windowFault } from './window.ts';

export interface PlatformPorts extends Pick<QuotePorts, 'prices'>, WindowPorts {
  /**
   * The organization's number or account that a message to this recipient leaves from, by our id: the one that it names, else its only
   * one, else the number that the recipient last wrote to. `unknown` when it has none such; `default` when it names none and the
   * provider's own takes its place, or the stage reaches nobody.
   */
  readonly senderOf: (
    tenant: Tenant,
    channel: PlatformChannel,
    to: string,
    named: string | undefined,
  ) => Promise<{ readonly id: string } | 'unknown' | 'default'>;
}

/** The longest id of a platform's user or of a push token. */
const ID_LENGTH = 4096;

const badId = refuse('VALIDATION_ERROR', {
  detail: 'The recipient is not in the format of its channel.',
  overview: 'invalid_recipient',
  errors: [{ path: 'to', message: "must be the recipient's id on the channel" }],
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

const common = (request: UnifiedRequest, key: string, hash: string) => ({
  type: request.type,
  units: 1,
  contactId: request.contactId,
  campaignId: request.campaignId,
  metadata: request.metadata,
  priority: request.priority,
  scheduledAt: request.scheduledAt,
  links: [],
  key,
  hash,
});

/** What a message of a platform says and leaves from; or why it cannot leave. */
const contentOf = async (
  ports: PlatformPorts,
  tenant: Tenant,
  channel: PlatformChannel,
  to: string,
  request: UnifiedRequest,
) => {
  const payload = payloadOf(request);
  const fault = payloadFault(PLATFORM_FORMS[channel][request.type], payload);
  if (fault) return fault;
  const named = request.labels?.[LABEL[channel]];
  const sender = await ports.senderOf(tenant, channel, to, named);
  if (sender === 'unknown') return unknownSender(channel, named);
  if (sender === 'default') return { content: { payload }, labels: request.labels };
  return { content: { payload, from: sender.id }, labels: { ...request.labels, [LABEL[channel]]: sender.id } };
};

/** Makes the plan of a WhatsApp message: 409 `window_closed` for anything but a template outside the 24 hours (interface, part 7). */
export const planWhatsapp = async (
  ports: PlatformPorts,
  tenant: Tenant,
  request: UnifiedRequest,
  key: string,
  hash: string,
): Promise<Planned> => {
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const isTemplate = request.type === 'template';
  const said = await contentOf(ports, tenant, 'whatsapp', to, request);
  if (isRefusal(said)) return said;
  const numberId = said.content.from;
  const closed = isTemplate ? undefined : await windowFault(ports, tenant, 'whatsapp', to, { numberId });
  if (closed) return closed;
  const route = request.route ?? (isTemplate ? 'marketing' : 'session');
  const price = await priceOf(ports, 'whatsapp', route);
  if (isRefusal(price)) return price;
  const plan: PlanOf<'whatsapp'> = {
    ...common(request, key, hash),
    ...said,
    channel: 'whatsapp',
    route,
    price,
    to,
    region: phoneRegion(to),
    mayOptOut: route === 'marketing' || route === 'session',
  };
  return { plan };
};

/** Makes the plan of an Instagram message. In live its recipient must have written: the sandbox has nobody who could. */
export const planInstagram = async (
  ports: PlatformPorts,
  tenant: Tenant,
  request: UnifiedRequest,
  key: string,
  hash: string,
): Promise<Planned> => {
  if (isBadId(request.to)) return badId;
  const said = await contentOf(ports, tenant, 'instagram', request.to, request);
  if (isRefusal(said)) return said;
  const byHuman = 'tag' in said.content.payload;
  const closed =
    tenant.env === 'live' ? await windowFault(ports, tenant, 'instagram', request.to, { byHuman }) : undefined;
  if (closed) return closed;
  const route = request.route ?? 'session';
  const price = await priceOf(ports, 'instagram', route);
  if (isRefusal(price)) return price;
  const { to } = request;
  const plan: PlanOf<'instagram'> = {
    ...common(request, key, hash),
    ...said,
    channel: 'instagram',
    route,
    price,
    to,
    mayOptOut: true,
  };
  return { plan };
};

const isBadId = (to: string) => to.length === 0 || to.length > ID_LENGTH || /[\p{Cc}\s]/u.test(to);

/** Makes the plan of a push message to one device. */
export const planPush = async (
  ports: Pick<PlatformPorts, 'prices'>,
  _: Tenant,
  request: UnifiedRequest,
  key: string,
  hash: string,
): Promise<Planned> => {
  if (isBadId(request.to)) return badId;
  const route = request.route ?? 'simple';
  const price = await priceOf(ports, 'push', route);
  if (isRefusal(price)) return price;
  const plan: PlanOf<'push'> = {
    ...common(request, key, hash),
    content: { payload: payloadOf(request) },
    channel: 'push',
    route,
    price,
    to: request.to,
    mayOptOut: true,
  };
  return { plan };
};
