import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { Attribution } from './attribution.ts';

/**
 * Something that a customer did outside of messages, as reported by the organization (docs/spec/customer-events.md#recording-an-event).
 * Times in ms.
 */
export interface CustomerEvent extends Tenant {
  readonly id: Id<'customerEvent'>;
  /** The caller's id: each is stored once. */
  readonly eventId: string;
  readonly name: string;
  readonly contactId?: Id<'contact'> | undefined;
  /** The caller's own id of the customer: the contact's, else the reported one. */
  readonly contactExternalId?: string | undefined;
  readonly occurredAt: number;
  readonly value?: number | undefined;
  /** ISO 4217; always present with a value. */
  readonly currency?: string | undefined;
  readonly properties?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** The message that the event follows; null when there is none. Decided once, when the event is stored. */
  readonly attribution: Attribution | null;
  /** Random: identifies which of several concurrent reports stored the event. */
  readonly claim: string;
  readonly createdAt: number;
}

const HOUR_MS = 3_600_000;
/** Four decimals are a third of a second. */
const hoursBetween = (from: number, to: number): number => Math.round(((to - from) / HOUR_MS) * 10_000) / 10_000;

const attributionView = ({ messageId, channel, campaignId, sentAt, journey }: Attribution, occurredAt: number) => ({
  messageId,
  channel,
  ...definedFields({
    campaignId,
    journeyId: journey?.journeyId,
    journeyStepId: journey?.stepId,
    journeyRunId: journey?.runId,
  }),
  sentAt: isoTime(sentAt),
  horasAteOEvento: hoursBetween(sentAt, occurredAt),
});

/** An event on the wire; `duplicate`: the reported eventId was stored before. */
export const customerEventView = (event: CustomerEvent, duplicate: boolean) => {
  const { id, name, eventId, contactId, contactExternalId, occurredAt, value, currency, properties } = event;
  return {
    id,
    name,
    eventId,
    ...definedFields({ contactId, contactExternalId, value, currency, properties: properties && { ...properties } }),
    occurredAt: isoTime(occurredAt),
    attribution: event.attribution && attributionView(event.attribution, occurredAt),
    duplicate,
  };
};
