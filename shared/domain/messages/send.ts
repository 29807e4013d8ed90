import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import { rulesOf } from './channels.ts';
import { dispatchMessage } from './dispatch.ts';
import type { Reservation } from './journal.ts';
import type { MessageOf, MessageRecord } from './message.ts';
import {
  type Beginning,
  chainOf,
  type Draft,
  draft,
  type PlanOf,
  pricedMessage,
  type SendPlan,
  type Tenant,
} from './plan.ts';
import type { SendPorts } from './ports.ts';
import type { Channel } from './provider.ts';
import { quote, type SendQuote } from './quote.ts';
import { type ConsentFault, consentRefusal, NO_FUNDS, TOO_FAST, tooDear } from './refusals.ts';
import { orEarlier, standingUnder } from './replay.ts';

export type ReserveRefusal = Refusal<
  'CONFLICT' | 'PAYMENT_REQUIRED' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE' | 'VALIDATION_ERROR'
>;
/** A message that stands, and whether an earlier call made it; `quote` is that of a fresh one. */
export interface Sent {
  readonly message: MessageRecord;
  readonly replayed: boolean;
  readonly quote?: SendQuote;
}

/** Quotes that a moving volume may spoil before a reservation holds. */
const QUOTE_TRIES = 10;

const reservationOf = (
  plan: SendPlan,
  beginning: Beginning,
  drafted: Draft,
  priced: SendQuote,
  events: (message: MessageRecord) => readonly DomainEvent[],
): Reservation => {
  const { recipient, countsVolume } = rulesOf(plan.channel);
  const { env, toHash, contactId } = drafted;
  const queued = beginning.status === 'queued' ? beginning : undefined;
  const message = pricedMessage(plan, beginning, drafted, priced);
  return {
    message,
    requestHash: plan.hash,
    ...(env === 'live' && countsVolume
      ? { volume: { month: priced.month, units: plan.units, from: priced.volumeFrom, to: priced.volumeTo } }
      : {}),
    consent: { recipient, toHash, mayOptOut: plan.mayOptOut, ...(contactId ? { contactId } : {}) },
    ...(plan.perSecond === undefined ? {} : { perSecond: plan.perSecond }),
    links: plan.links,
    original: plan.original,
    body: queued?.body,
    chain: queued?.hops?.length ? chainOf(drafted, queued.at, queued.hops) : undefined,
    step: queued?.step,
    events: events(message),
  };
};

const refusalOf = async (
  ports: SendPorts,
  { organizationId, env }: Tenant,
  kind: ConsentFault | 'ceiling' | 'insufficient' | 'overtaken' | 'original_moved',
): Promise<ReserveRefusal> => {
  switch (kind) {
    case 'opted_out':
    case 'unknown_contact':
      return consentRefusal(kind);
    case 'ceiling':
      return TOO_FAST;
    case 'original_moved':
      return refuse('CONFLICT', 'The message left or was replaced meanwhile.');
    case 'overtaken':
      return refuse('CONFLICT', { detail: 'The chain went on.', meta: { code: 'OVERTAKEN' } });
    case 'insufficient':
      await ports.noteDepleted(organizationId, env);
      return NO_FUNDS;
  }
};

/**
 * RESERVE: prices the plan and takes key, money and message in one transaction; nothing is stored when it refuses. A key that is
 * taken answers with what stands under it.
 */
export const reserveMessage = async (
  ports: SendPorts,
  tenant: Tenant,
  plan: SendPlan,
  beginning: Beginning,
  events: (message: MessageRecord) => readonly DomainEvent[] = () => [],
): Promise<Sent | ReserveRefusal> => {
  const { organizationId, env } = tenant;
  const drafted = await draft(ports, tenant, plan, beginning);
  for (let turn = 0; turn < QUOTE_TRIES; turn++) {
    const priced = await quote(ports, organizationId, env, plan.price, plan.units);
    if (plan.maxCoins !== undefined && priced.coins > plan.maxCoins) return tooDear(plan.maxCoins);
    const reservation = reservationOf(plan, beginning, drafted, priced, events);
    const outcome = await ports.journal.reserve(reservation);
    switch (outcome.kind) {
      case 'reserved':
        return { message: reservation.message, replayed: false, quote: priced };
      case 'volume_moved':
        ports.learnVolume(organizationId, priced.month, outcome.volume);
        continue;
      case 'kept': {
        const standing = await standingUnder(ports, outcome.promise, plan.hash);
        if (!standing) continue;
        return standing;
      }
      default:
        return refusalOf(ports, tenant, outcome.kind);
    }
  }
  return refuse('SERVICE_UNAVAILABLE', {
    detail: 'The volume moves too fast to be priced; try again.',
    retryAfterSeconds: 1,
  });
};

/** The longest wait that a caller is told whose first request is still running, in s. */
const LONGEST_WAIT_S = 10;

/**
 * After how many seconds to ask again of a request that has run since `startedAt` (ms): as many as it has run so far, 1 to 10. Most end
 * within one; of those that do not, a caller that does as told asks a few times instead of every second.
 */
export const askAgainSeconds = (startedAt: number, now: number): number =>
  Math.min(LONGEST_WAIT_S, Math.max(1, Math.ceil((now - startedAt) / 1000)));

/**
 * How a send that an earlier one or a refusal answers is told to a caller who waits for a provider (interface 4.1, rule 1; decisions,
 * part 3).
 */
const toldWaiting = <C extends Channel>(ports: SendPorts, sent: Sent | SendRefusal): SentNow<C> | SendRefusal => {
  if (isRefusal(sent)) return sent;
  const { message: first } = sent;
  if (first.hold === 'captured') return { message: first as MessageOf<C>, replayed: true };
  if (first.hold === 'open')
    return refuse('CONFLICT', {
      detail: 'The first request with this key is still running.',
      meta: { code: 'EM_ANDAMENTO', messageId: first.id },
      retryAfterSeconds: askAgainSeconds(first.createdAt, ports.clock()),
    });
  return refuse('DEPENDENCY_FAILED', {
    detail: 'It could not be learned whether the provider sent the message; it was not charged.',
    meta: { messageId: first.id, reason: first.reason ?? 'indeterminate' },
  });
};

/** What leaves of a plan while its caller waits: its `content`, where more leaves than is kept. */
export interface Leaving<C extends Channel> {
  readonly plan: PlanOf<C>;
  readonly content?: unknown;
}
interface SentNow<C extends Channel> {
  readonly message: MessageOf<C>;
  readonly replayed: boolean;
}

/**
 * Sends while the caller waits (interface 4.1, 4.5, 4.6). One transaction reserves key, money and message; then the provider is
 * called; then one transaction captures or releases. Whatever happens in between, the message is sent at most once and charged
 * only if it was. A plan that is refused is answered by an earlier send under its key, if there is one.
 */
export const sendNow = async <C extends Channel>(
  ports: SendPorts,
  tenant: Tenant,
  keyed: Pick<SendPlan, 'key' | 'hash'>,
  planned: Leaving<C> | SendRefusal,
): Promise<SentNow<C> | SendRefusal> => {
  if (isRefusal(planned)) return toldWaiting(ports, await orEarlier(ports, tenant, keyed, planned));
  const { plan, content = plan.content } = planned;
  const candidates = await ports.routing.candidates(plan.channel, tenant.organizationId, tenant.env, plan.route);
  const provider = candidates.kind === 'ready' ? (candidates.providers[0]?.name ?? '') : '';
  const beginning: Beginning = { status: 'sending', provider: provider || 'sandbox_provider' };
  const reserved = await reserveMessage(ports, tenant, plan as unknown as SendPlan, beginning);
  if (isRefusal(reserved) || reserved.replayed) return toldWaiting(ports, reserved);
  const sent = await dispatchMessage(ports, reserved.message, content, candidates, false);
  return isRefusal(sent) ? sent : { message: sent as MessageOf<C>, replayed: false };
};

export type SendRefusal =
  | ReserveRefusal
  | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED'>
  | Exclude<Awaited<ReturnType<typeof dispatchMessage>>, MessageRecord>;

/** Answers a send: what its channel shows of the message, or the refusal, which is counted. */
export const answerSend = <C extends Channel, View>(
  ports: Pick<SendPorts, 'observe'>,
  actor: Actor,
  channel: C,
  sent: SentNow<C> | SendRefusal,
  view: (message: MessageOf<C>, unmasked: boolean, replayed: boolean) => View,
): View | SendRefusal => {
  if (!isRefusal(sent)) return view(sent.message, actor.scopes.has('pii:full'), sent.replayed);
  ports.observe.sent(channel, sent.name, { organizationId: actor.organizationId });
  return sent;
};
