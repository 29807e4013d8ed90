import { isRefusal, refuse } from '../errors.ts';
import type { PlanOf, Tenant } from '../messages/plan.ts';
import type { QuotePorts } from '../messages/ports.ts';
import { priceOf } from '../messages/quote.ts';
import { phoneOf } from '../messages/recipient.ts';
import type { Planned, UnifiedRequest } from '../messages/unified.ts';
import { phoneRegion } from '../phone.ts';

export interface PlatformPorts extends Pick<QuotePorts, 'prices' | 'clock'> {
  /** When the recipient last wrote on the channel, in ms; undefined when it never did. */
  readonly lastInbound: (tenant: Tenant, channel: 'whatsapp', to: string) => Promise<number | undefined>;
}

/** How long after its recipient wrote a platform takes free texts, in ms. */
const WINDOW_MS = 24 * 3600_000;
/** The longest id of a platform's user or of a push token. */
const ID_LENGTH = 4096;

const isOpen = async (ports: PlatformPorts, tenant: Tenant, to: string) => {
  const last = await ports.lastInbound(tenant, 'whatsapp', to);
  return last !== undefined && ports.clock() - last < WINDOW_MS;
};

const closed = refuse('CONFLICT', {
  detail: 'The recipient did not write within 24 hours: the platform takes only templates.',
  overview: 'window_closed',
  meta: { code: 'window_closed' },
});

const badId = refuse('VALIDATION_ERROR', {
  detail: 'The recipient is not in the format of its channel.',
  overview: 'invalid_recipient',
  errors: [{ path: 'to', message: "must be the recipient's id on the channel" }],
});

const payloadOf = (request: UnifiedRequest): Record<string, unknown> => {
  if (request.payload)
    return { ...request.payload, ...(request.variables ? { templateVars: { ...request.variables } } : {}) };
  if (request.template !== undefined)
    return { template: { name: request.template, language: 'pt-BR' }, templateVars: { ...request.variables } };
  return { text: request.text ?? '' };
};

const common = (request: UnifiedRequest, key: string, hash: string) => ({
  type: request.type,
  content: { payload: payloadOf(request) },
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
  if (!isTemplate && !(await isOpen(ports, tenant, to))) return closed;
  const route = request.route ?? (isTemplate ? 'marketing' : 'session');
  const price = await priceOf(ports, 'whatsapp', route);
  if (isRefusal(price)) return price;
  const plan: PlanOf<'whatsapp'> = {
    ...common(request, key, hash),
    channel: 'whatsapp',
    route,
    price,
    to,
    region: phoneRegion(to),
    mayOptOut: route === 'marketing' || route === 'session',
  };
  return { plan };
};

/** Makes the plan of a message to a platform's own id: an Instagram user, a push device. */
export const planPlatform =
  (channel: 'instagram' | 'push') =>
  async (
    ports: Pick<PlatformPorts, 'prices'>,
    _: Tenant,
    request: UnifiedRequest,
    key: string,
    hash: string,
  ): Promise<Planned> => {
    if (request.to.length === 0 || request.to.length > ID_LENGTH || /[\p{Cc}\s]/u.test(request.to)) return badId;
    const route = request.route ?? (channel === 'push' ? 'simple' : 'session');
    const price = await priceOf(ports, channel, route);
    if (isRefusal(price)) return price;
    const plan = {
      ...common(request, key, hash),
      channel,
      route,
      price,
      to: request.to,
      mayOptOut: true,
    } as PlanOf<'instagram'> | PlanOf<'push'>;
    return { plan };
  };
