import { channelOf } from '../channels/registry.ts';
import type { Caller, Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { DomainEvent } from '../events/event.ts';
import type { MessageRecord } from '../message/message.ts';
import { type Draft, draft, fallbackOf, type InitialState, pricedMessage } from './draft.ts';
import { findReplay, type RequestKey, type Sent } from './idempotency.ts';
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

/** A plan to reserve under its caller's key, with the message's initial state and events. */
export interface ReserveRequest {
  readonly plan: SendPlan;
  readonly key: RequestKey;
  readonly initial: InitialState;
  readonly events?: (message: MessageRecord) => readonly DomainEvent[];
}

const reservationOf = (
  { plan, key, initial, events = () => [] }: ReserveRequest,
  drafted: Draft,
  priced: SendQuote,
): Reservation => {
  const { recipient } = channelOf(plan.channel);
  const { recipientHash, contactId } = drafted;
  const queued = initial.status === 'queued' ? initial : undefined;
  const message = pricedMessage(plan, initial, drafted, priced);
  return {
    message,
    requestHash: key.requestHash,
    ...(takesPositions(drafted) ? { volume: { month: priced.month, change: priced } } : {}),
    consent: { recipient, recipientHash, requiresConsent: plan.requiresConsent, ...(contactId ? { contactId } : {}) },
    ...(plan.perSecond === undefined ? {} : { perSecond: plan.perSecond }),
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
  kind: ConsentFault | 'ceiling' | 'insufficient' | 'superseded' | 'original_changed',
): Promise<ReserveRefusal> => {
  switch (kind) {
    case 'opted_out':
    case 'unknown_contact':
      return consentRefusal(kind);
    case 'ceiling':
      return RATE_EXCEEDED;
    case 'original_changed':
      return refuse('CONFLICT', 'The message left or was replaced meanwhile.');
    case 'superseded':
      return refuse('CONFLICT', { detail: 'The fallback went on.', meta: { code: 'OVERTAKEN' } });
    case 'insufficient':
      await ports.noteDepleted(organizationId, env);
      return NO_FUNDS;
  }
};

/**
 * Prices the plan and stores key, hold and message in one transaction; stores nothing when it refuses. A key that is already taken
 * answers with its message, or 409 when the request differs.
 */
export const reserveMessage = async (
  ports: SendPorts,
  tenant: Caller,
  request: ReserveRequest,
): Promise<Sent | ReserveRefusal> => {
  const { organizationId, env } = tenant;
  const { plan, key, initial } = request;
  const drafted = await draft(ports, tenant, plan, key, initial);
  for (let attempt = 0; attempt < MAX_QUOTE_ATTEMPTS; attempt++) {
    const priced = await quote(ports, organizationId, env, plan.price, plan.units);
    if (plan.maxCoins !== undefined && priced.coins > plan.maxCoins) return exceedsMaxCoins(plan.maxCoins);
    const reservation = reservationOf(request, drafted, priced);
    const outcome = await ports.messageStore.reserve(reservation);
    switch (outcome.kind) {
      case 'reserved':
        // The next send of this process counts on them no more.
        if (priced.reused.length > 0) ports.learnVolume(organizationId, priced.month, priced.after);
        return { message: reservation.message, replayed: false, quote: priced };
      case 'volume_changed':
        ports.learnVolume(organizationId, priced.month, outcome.volume);
        continue;
      case 'key_taken': {
        const replay = await findReplay(ports, outcome.idempotencyRecord, key);
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
