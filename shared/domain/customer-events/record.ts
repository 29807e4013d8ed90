import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import { derivedId, type Id, randomBase62 } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import type { Clock } from '../core/time.ts';
import { ATTRIBUTION_HOURS, type Attribution, lastTouch, type Touch } from './attribution.ts';
import type { CustomerEvent } from './customer-event.ts';
import { type CustomerNames, type CustomerPorts, identifyCustomer } from './identify.ts';

/** A parsed report of an event. */
export interface EventReport extends Pick<CustomerEvent, 'name' | 'eventId' | 'value' | 'currency' | 'properties'> {
  readonly contact: CustomerNames;
  /** ISO 8601; now when absent. */
  readonly occurredAt?: string | undefined;
  readonly attributionWindowHours?: number | undefined;
}

/** A stored event, and whether an earlier report stored it. */
export interface RecordedEvent {
  readonly event: CustomerEvent;
  readonly duplicate: boolean;
}

export interface CustomerEventPorts extends CustomerPorts {
  readonly clock: Clock;
  /** Messages sent to a contact from `from` to `to` (ms, both inclusive), including the last one. */
  readonly touches: (
    organizationId: Id<'organization'>,
    contactId: Id<'contact'>,
    window: { readonly from: number; readonly to: number },
  ) => Promise<readonly Touch[]>;
  /** The step of a journey that sent a message; undefined for any other message. */
  readonly journeyOf: (messageId: Id<'message'>) => Promise<Attribution['journey']>;
  readonly read: (id: Id<'customerEvent'>) => Promise<CustomerEvent | undefined>;
  /** Whether any journey of the organization needs its events. */
  readonly triggersJourneys: (organizationId: Id<'organization'>) => Promise<boolean>;
  /** Stores an event unless its id exists; returns the stored one. `signalsJourneys`: enqueues it for journeys, in the same write. */
  readonly store: (event: CustomerEvent, signalsJourneys: boolean) => Promise<CustomerEvent>;
}

const HOUR_MS = 3_600_000;
/** The maximum clock skew of a caller. */
const MAX_AHEAD_MS = 5 * 60_000;
const DEFAULT_CURRENCY = 'BRL';

/** When the event happened, in ms; 422 for a time in the future, or before 1970. */
const momentOf = ({ occurredAt }: EventReport, now: number): number | Refusal<'VALIDATION_ERROR'> => {
  const at = occurredAt === undefined ? now : Date.parse(occurredAt);
  if (at >= 0 && at <= now + MAX_AHEAD_MS) return at;
  return refuseField(
    'The event cannot have happened then.',
    'occurredAt',
    'must be from 1970 on and not in the future',
  );
};

/** A touch with the attribution of its journey's step. */
const attributed = async (
  { journeyOf }: Pick<CustomerEventPorts, 'journeyOf'>,
  touch: Touch | null,
): Promise<Attribution | null> => {
  const journey = touch && (await journeyOf(touch.messageId));
  return journey ? { ...touch, journey } : touch;
};

/**
 * Records an event that happened outside of messages, once per eventId, and attributes it to the last message sent to its customer before
 * (docs/spec/customer-events.md#recording-an-event). A repeat returns what is stored, whatever its other fields.
 */
export const recordEvent = async (
  ports: CustomerEventPorts,
  actor: Actor,
  report: EventReport,
): Promise<RecordedEvent | Refusal<'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const { organizationId, env } = actor;
  const { name, eventId, value, properties } = report;
  const id = derivedId('customerEvent', [organizationId, env, eventId]);
  const before = await ports.read(id);
  if (before) return { event: before, duplicate: true };
  const now = ports.clock();
  const occurredAt = momentOf(report, now);
  if (isRefusal(occurredAt)) return occurredAt;
  const customer = await identifyCustomer(ports, actor, report.contact);
  if (isRefusal(customer)) return customer;
  const windowMs = (report.attributionWindowHours ?? ATTRIBUTION_HOURS.fallback) * HOUR_MS;
  const { contactId } = customer;
  const [touches, signalsJourneys] = contactId
    ? await Promise.all([
        ports.touches(organizationId, contactId, { from: occurredAt - windowMs, to: occurredAt }),
        ports.triggersJourneys(organizationId),
      ])
    : [[], false];
  const event: CustomerEvent = {
    id,
    organizationId,
    env,
    eventId,
    name,
    ...customer,
    occurredAt,
    value,
    currency: report.currency ?? (value === undefined ? undefined : DEFAULT_CURRENCY),
    properties,
    attribution: await attributed(ports, lastTouch(touches)),
    claim: randomBase62(12),
    createdAt: now,
  };
  const stored = await ports.store(event, signalsJourneys);
  return { event: stored, duplicate: stored.claim !== event.claim };
};
