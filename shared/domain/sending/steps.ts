import { channelOf } from '../channels/registry.ts';
import type { Caller, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, toV1Error } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { type FallbackStep, needsMatch } from '../message/fallback.ts';
import { automationLabels, type Labels } from '../message/message.ts';
import type { PlanRefusal } from '../message/plan.ts';
import type { SendRequest } from '../message/send-request.ts';
import { operatorOf } from './draft.ts';
import type { PlannedSend, Planner, SendPlan } from './plan.ts';
import type { QuotePorts, SendPorts } from './ports.ts';
import { quote } from './quote.ts';
import { type ConsentFault, consentRefusal, exceedsMaxCoins } from './refusals.ts';

/** A fallback step as in the request; omitted fields are taken from the send. */
export interface StepRequest extends Omit<FallbackStep, 'afterMs' | 'type'> {
  readonly afterMs?: number | undefined;
}

/** How long to wait for a delivery if neither the send nor the step specifies it, in ms. */
export const DEFAULT_WAIT_MS = 10 * 60_000;

/** Ports of planning a fallback step. */
export interface StepPorts {
  readonly plan: Planner;
  /** A contact's address on a channel; undefined when it has none, or there is no such contact. */
  readonly recipientOf: (
    tenant: Tenant,
    contactId: Id<'contact'>,
    channel: SendRequest['channel'],
  ) => Promise<string | undefined>;
  /** The contact with an address; undefined if there is none, or several. */
  readonly contactAt: (
    tenant: Tenant,
    channel: SendRequest['channel'],
    recipient: string,
  ) => Promise<Id<'contact'> | undefined>;
}

/** Why consent forbids a plan; undefined when it does not. */
type ConsentCheck = (tenant: Tenant, plan: SendPlan) => Promise<ConsentFault | undefined>;

/** The step has no recipient. */
export const NO_RECIPIENT = refuse('VALIDATION_ERROR', {
  detail: 'The fallback has no recipient: neither the send nor its contact has one on this channel.',
  v1Code: 'invalid_recipient',
});

/** The template labels that a message stores. */
export const templateLabels = ({ template, variables }: Pick<SendRequest, 'template' | 'variables'>): Labels =>
  template === undefined
    ? {}
    : { templateId: template, templateVars: variables && Object.values(variables).map(String) };

/**
 * Completes the fallback steps: omitted fields are taken from the first message. A step without a recipient uses its
 * contact's address when it is planned.
 */
export const completeSteps = (
  first: SendRequest,
  requested: readonly StepRequest[],
  waitMs: number,
): readonly FallbackStep[] =>
  requested.map((step) => {
    const content = step.text === undefined && step.template === undefined ? first : step;
    const variables = step.variables ?? first.variables;
    const { contactId, campaignId, metadata, priority } = first;
    const sharesFormat = channelOf(step.channel).recipient === channelOf(first.channel).recipient;
    return {
      channel: step.channel,
      to: step.to ?? (sharesFormat ? first.to : undefined),
      type: content.template === undefined ? 'text' : 'template',
      text: content.text,
      template: content.template,
      variables,
      contactId,
      campaignId,
      metadata,
      priority,
      afterMs: step.afterMs ?? waitMs,
      maxCoins: step.maxCoins,
      trackLinks: first.trackLinks,
      labels: { ...templateLabels({ template: content.template, variables }), ...automationLabels(first.labels ?? {}) },
    };
  });

/**
 * Completes the steps of a send that names no contact: those without a recipient go to the contact that has the first
 * message's recipient now. The contact is stored with them, so that they still go to that person when they are due,
 * whoever has the recipient then. At most one lookup.
 */
export const matchContact = async (
  ports: Pick<StepPorts, 'contactAt'>,
  tenant: Tenant,
  first: SendRequest,
  steps: readonly FallbackStep[],
): Promise<readonly FallbackStep[]> => {
  if (!steps.some((step) => needsMatch(first, step))) return steps;
  const contactId = await ports.contactAt(tenant, first.channel, first.to);
  if (contactId === undefined) return steps;
  return steps.map((step) => (needsMatch(first, step) ? { ...step, contactId } : step));
};

/**
 * Plans a fallback step with current data. Without a recipient of its own it goes to its contact's address on the
 * channel.
 */
export const planStep = async (
  ports: Omit<StepPorts, 'contactAt'>,
  tenant: Tenant,
  step: FallbackStep,
): Promise<PlannedSend | PlanRefusal> => {
  const { afterMs: _, maxCoins, coins: __, refusal: ___, ...request } = step;
  const to = request.to ?? (request.contactId && (await ports.recipientOf(tenant, request.contactId, request.channel)));
  if (to === undefined) return NO_RECIPIENT;
  const planned = await ports.plan(tenant, { ...request, to });
  return isRefusal(planned) ? planned : { ...planned, plan: { ...planned.plan, maxCoins } };
};

const refusedStep = (step: FallbackStep, refusal: Refusal): FallbackStep => {
  const { code, detail, reason } = toV1Error(refusal);
  return { ...step, refusal: { code, detail, ...(reason === undefined ? {} : { reason }) } };
};

/**
 * The fallback steps with their price now, or the reason why they could not be sent now
 * (docs/spec/v1.md#fallbacks-that-cannot-be-sent). Both are informative: a step is planned, priced and checked again when
 * it is due.
 */
export const priceSteps = (
  ports: Omit<StepPorts, 'contactAt'> & QuotePorts & Pick<SendPorts, 'routing'>,
  tenant: Caller,
  completed: readonly FallbackStep[],
  consentFault: ConsentCheck,
): Promise<readonly FallbackStep[]> =>
  Promise.all(
    completed.map(async (each) => {
      const step = { ...each, labels: { ...each.labels, ...operatorOf(tenant) } };
      const planned = await planStep(ports, tenant, step);
      if (isRefusal(planned)) return refusedStep(step, planned);
      const { plan } = planned;
      const { organizationId, env } = tenant;
      const [{ coins }, consent, candidates] = await Promise.all([
        quote(ports, organizationId, env, plan.price, plan.units),
        plan.requiresConsent ? consentFault(tenant, plan) : undefined,
        ports.routing.candidates(plan.channel, organizationId, env, plan.route),
      ]);
      if (plan.maxCoins !== undefined && coins > plan.maxCoins)
        return refusedStep(step, exceedsMaxCoins(plan.maxCoins));
      if (consent) return refusedStep(step, consentRefusal(consent));
      if (candidates.kind === 'none') return refusedStep(step, refuse('DEPENDENCY_FAILED', candidates.missing));
      return { ...step, coins };
    }),
  );
