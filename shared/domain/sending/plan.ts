import { channelOf, type PlanPorts } from '../channels/registry.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, renamedFields } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { phoneRegion } from '../core/phone.ts';
import type { Priority } from '../core/priority.ts';
import type { Channel } from '../message/channel.ts';
import type { CarrierCoins, MessageRecord } from '../message/message.ts';
import type { ChannelPlan, Planned, PlannedLink, PlanRefusal } from '../message/plan.ts';
import type { SendEnvelope, SendRequest } from '../message/send-request.ts';
import type { PriceRow } from '../pricing/prices.ts';
import { carrierPrice } from './carrier-price.ts';
import { routePrice } from './destinations.ts';
import type { RoutePorts } from './ports.ts';
import { sizeFault } from './size.ts';

/** A channel's plan with everything the common pipeline needs to reserve and send it. */
export interface SendPlanOf<C extends Channel> extends ChannelPlan<C>, Omit<SendEnvelope, 'to'> {
  readonly price: PriceRow;
  /** Its price by carrier, if that differs; `price` is the higher one. */
  readonly carrierCoins?: CarrierCoins | undefined;
  readonly units: number;
  readonly links: readonly PlannedLink[];
  /** Region of the phone number; only on channels addressed by phone. */
  readonly region?: 'BR' | 'INTL' | undefined;
  readonly priority?: Priority | undefined;
  readonly scheduledAt?: number | undefined;
  /** Its expiry (ms). */
  readonly validUntil?: number | undefined;
  /** `fallbackId`: the first message, for a fallback step. `replaces`: the replaced message, for a resend. */
  readonly fallbackId?: Id<'message'> | undefined;
  readonly replaces?: Id<'message'> | undefined;
  /** The replaced message as it was read, to be archived in the same transaction. */
  readonly original?: MessageRecord | undefined;
  /** The send is refused if it would cost more, in coins. */
  readonly maxCoins?: number | undefined;
}
/** A priced plan on any channel. */
export type SendPlan = { [C in Channel]: SendPlanOf<C> }[Channel];

/** A priced plan, and the content to send if it differs from the stored content. */
export interface PlannedSend<P = SendPlan> {
  readonly plan: P;
  readonly outbound?: unknown;
}

/** Plans a request on any channel. */
export type Planner = (tenant: Tenant, request: SendRequest) => Promise<PlannedSend | PlanRefusal>;

/** Ports of planning: those of its price, and of the channels' planners. */
export interface PlanningPorts extends RoutePorts {
  readonly channels: PlanPorts;
}

/**
 * Adds the price row to a channel's plan, last in the order of checks (docs/spec/sends.md#order-of-checks); 412 or 422
 * for a route or destination that is not available.
 */
export const pricePlan = async <C extends Channel>(
  ports: RoutePorts,
  tenant: Tenant,
  { contactId, campaignId, metadata }: SendEnvelope,
  planned: Planned<C> | PlanRefusal,
): Promise<PlannedSend<SendPlanOf<C>> | PlanRefusal> => {
  if (isRefusal(planned)) return planned;
  const { plan, outbound } = planned;
  const price = await routePrice(ports, tenant, plan);
  if (isRefusal(price)) return price;
  const carriers = plan.asSms && (await carrierPrice(ports, plan, plan.asSms, price));
  if (isRefusal(carriers)) return carriers;
  const region = channelOf(plan.channel).recipient === 'phone' ? phoneRegion(plan.to) : undefined;
  const { units = 1, links = [] } = plan;
  const contact = contactId ?? plan.contactId;
  const common = { units, links, region, contactId: contact, campaignId, metadata };
  return { plan: { ...plan, price, ...carriers, ...common }, outbound };
};

/** Loaded by the first request that names a template, to keep templates out of other sends' cold starts. */
const loadTemplateText = async ({ channels }: PlanningPorts, tenant: Tenant, request: SendRequest) =>
  (await import('./template-text.ts')).withTemplateText(channels, tenant, request);

/** The field that makes a message's content large. */
const contentField = ({ variables, text }: SendRequest) => {
  if (variables !== undefined) return 'variables';
  return text === undefined ? 'payload' : 'text';
};

/**
 * Plans a queued request under the rules of the channel's own operation. On channels without templates a template is
 * sent as text. 409, 412 or 422 if it cannot be planned; nothing is stored.
 */
export const planSend = async (
  ports: PlanningPorts,
  tenant: Tenant,
  original: SendRequest,
): Promise<PlannedSend | PlanRefusal> => {
  const definition = channelOf(original.channel);
  const asText = definition.templates === 'as_text' && original.template !== undefined;
  const request = asText ? await loadTemplateText(ports, tenant, original) : original;
  if (isRefusal(request)) return request;
  const { plan: planOf, fieldNames } = await definition.planning();
  const planned = await pricePlan(ports, tenant, request, await planOf(ports.channels, tenant, request));
  if (isRefusal(planned)) return fieldNames ? renamedFields(planned, fieldNames(original)) : planned;
  const { priority, scheduledAt } = original;
  const plan = {
    ...planned.plan,
    type: request === original ? planned.plan.type : 'template',
    labels: { ...request.labels, ...planned.plan.labels },
    priority,
    scheduledAt,
  } as SendPlan;
  const queued = { ...planned, plan };
  return sizeFault(queued, contentField(original)) ?? queued;
};
