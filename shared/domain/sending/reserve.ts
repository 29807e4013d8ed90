import { channelOf } from '../channels/registry.ts';
import type { SentCounts } from '../contacts/frequency.ts';
import type { Caller, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { saoPauloMonth } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { MessageRecord } from '../message/message.ts';
import { type Draft, draft, fallbackOf, type InitialState, pricedMessage } from './draft.ts';
import { type CountedSend, countSend, type SendFrequency } from './frequency.ts';
import { findReplay, type RequestKey, replayOr, type Sent } from './idempotency.ts';
import type { Reservation } from './message-store.ts';
import type { SendPlan } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { takesPositions } from './positions.ts';
import { quote, type SendQuote } from './quote.ts';
import { type ConsentFault, consentRefusal, exceedsMaxCoins, NO_FUNDS, RATE_EXCEEDED } from './refusals.ts';

/** Refusals of a reservation; nothing is stored then. */
export type ReserveRefusal = Refusal<
  'CONFLICT' | 'PAYMENT_REQUIRED' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE' | 'VALIDATION_ERROR'
>;
/** Attempts against concurrent changes of the month's volume. */
const MAX_QUOTE_ATTEMPTS = 10;
/**
 * Attempts on contention: in lanes that others use or that must lease first, and on counts of a contact that others
 * send to.
 */
const MAX_LANE_ATTEMPTS = 40;

/** A plan to reserve under its caller's key, with the message's initial state and events. */
export interface ReserveRequest {
  readonly plan: SendPlan;
  readonly key: RequestKey;
  readonly initial: InitialState;
  /** Counts it for its contact's frequency caps; ignored for transactional messages and those without a contact. */
  readonly frequency?: SendFrequency | undefined;
  readonly events?: (message: MessageRecord) => readonly DomainEvent[];
}

const reservationOf = (
  { plan, key, initial, events = () => [] }: ReserveRequest,
  drafted: Draft,
  priced: SendQuote,
  lane: number,
  count: CountedSend | undefined,
): Reservation => {
  const { recipient } = channelOf(plan.channel);
  const { recipientHash, contactId } = drafted;
  const queued = initial.status === 'queued' ? initial : undefined;
  const message = {
    ...pricedMessage(plan, initial, drafted, priced),
    ...(lane > 0 ? { lane } : {}),
    ...(count ? { countedHour: count.hour } : {}),
  };
  return {
    message,
    requestHash: key.requestHash,
    keepMs: key.keepMs,
    unrepeatable: key.unrepeatable,
    ...(takesPositions(drafted) ? { volume: { month: priced.month, change: priced, price: plan.price } } : {}),
    consent: { recipient, recipientHash, requiresConsent: plan.requiresConsent, ...(contactId ? { contactId } : {}) },
    ...(plan.perSecond === undefined ? {} : { perSecond: plan.perSecond }),
    count,
    links: plan.links,
    original: plan.original,
    body: queued?.body,
    fallback: queued?.steps?.length ? fallbackOf(drafted, queued.at, queued.steps) : undefined,
    transition: queued?.transition,
    events: events(message),
  };
};

const refusalOf = async (
  ports: SendPorts,
  { organizationId, env }: Tenant,
  kind: ConsentFault | 'ceiling' | 'insufficient' | 'superseded' | 'original_changed' | 'parts_changed',
): Promise<ReserveRefusal> => {
  switch (kind) {
    case 'opted_out':
    case 'unknown_contact':
      return consentRefusal(kind);
    case 'ceiling':
      return RATE_EXCEEDED;
    case 'original_changed':
      return refuse('CONFLICT', 'The message was sent or replaced meanwhile.');
    case 'parts_changed':
      return refuse('CONFLICT', { detail: 'The parts of the message changed meanwhile.', meta: { code: 'OVERTAKEN' } });
    case 'superseded':
      return refuse('CONFLICT', { detail: 'The fallback went on.', meta: { code: 'OVERTAKEN' } });
    case 'insufficient':
      await ports.noteDepleted(organizationId, env);
      return NO_FUNDS;
  }
};

/** A lane to debit, and the price of the plan at its part of the month. */
const quoteInLane = async (
  ports: SendPorts,
  tenant: Tenant,
  plan: SendPlan,
  drafted: Draft,
  mustUseRoot: boolean,
): Promise<{ readonly lane: number; readonly priced: SendQuote }> => {
  const { organizationId, env } = tenant;
  const { channel } = plan;
  const of = takesPositions(drafted) ? { channel, month: saoPauloMonth(ports.clock()) } : undefined;
  const { lane, volume } = mustUseRoot ? { lane: 0, volume: undefined } : await ports.debitLane(tenant, of);
  const pricing = volume ? { ...ports, volume: async () => volume } : ports;
  return { lane, priced: await quote(pricing, organizationId, env, plan.price, plan.units) };
};

/** The send counts of a send's contact, and its change of them; undefined if it does not count. */
const counterOf = async (ports: SendPorts, { plan, frequency }: ReserveRequest, { contactId, createdAt }: Draft) => {
  if (!frequency || !plan.requiresConsent || contactId === undefined) return undefined;
  let counts = await ports.messageStore.sentTo(contactId);
  return {
    count: () => countSend(contactId, counts, frequency, createdAt),
    learn(newer: SentCounts) {
      counts = newer;
    },
  };
};

/**
 * Prices the plan and stores key, hold and message in one transaction; stores nothing if it refuses. A key that is
 * already taken returns its message, or 409 if the request differs.
 */
export const reserveMessage = async (
  ports: SendPorts,
  tenant: Caller,
  request: ReserveRequest,
): Promise<Sent | ReserveRefusal> => {
  const { organizationId } = tenant;
  const { plan, key, initial } = request;
  const drafted = await draft(ports, tenant, plan, key, initial);
  const counter = await counterOf(ports, request, drafted);
  let mustUseRoot = false;
  for (let [quotes, lanes] = [0, 0]; quotes < MAX_QUOTE_ATTEMPTS && lanes < MAX_LANE_ATTEMPTS; ) {
    const { lane, priced } = await quoteInLane(ports, tenant, plan, drafted, mustUseRoot);
    if (plan.maxCoins !== undefined && priced.coins > plan.maxCoins) return exceedsMaxCoins(plan.maxCoins);
    const count = counter?.count();
    if (isRefusal(count)) return replayOr(ports, tenant, key, count);
    const reservation = reservationOf(request, drafted, priced, lane, count);
    const outcome = await ports.messageStore.reserve(reservation);
    switch (outcome.kind) {
      case 'reserved':
        // The next send of this process must not count on them.
        if (lane === 0 && priced.reused.length > 0) ports.learnVolume(organizationId, priced.month, priced.after);
        return { message: reservation.message, replayed: false, quote: priced };
      case 'volume_changed':
        ports.learnVolume(organizationId, priced.month, outcome.volume);
        quotes += 1;
        continue;
      case 'moved':
        mustUseRoot = outcome.root === true;
        lanes += 1;
        continue;
      case 'counts_changed':
        counter?.learn(outcome.counts);
        lanes += 1;
        continue;
      case 'key_taken': {
        const replay = await findReplay(ports, outcome.idempotencyRecord, key);
        quotes += 1;
        if (!replay) continue;
        return replay;
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
