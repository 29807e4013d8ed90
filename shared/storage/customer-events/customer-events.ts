import * as z from 'zod';
import type { CursorItems } from '../../domain/core/cursor.ts';
import { type Refusal, Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { TOUCH_CHANNELS } from '../../domain/customer-events/attribution.ts';
import type { CustomerEvent } from '../../domain/customer-events/customer-event.ts';
import type { CustomerEventPorts } from '../../domain/customer-events/record.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { usesJourneys } from '../automation/journey-use.ts';
import { journeyLabel } from '../automation/labels.ts';
import { id, jsonText, tenant, time } from '../client/attributes.ts';
import { ABSENT, equal } from '../client/conditions.ts';
import { type CursorRequest, cursorItems, type ListRange } from '../client/cursor-pages.ts';
import { between, isEmpty } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { CUSTOMER_EVENT_SHARDS, shardOf } from '../table-indexes.ts';

const propertiesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** The rows of customer events. */
export const customerEventRows = defineRow<CustomerEvent>()({
  attributes: {
    id: id('customerEvent'),
    ...tenant,
    eventId: z.string(),
    name: z.string(),
    contactId: id('contact').optional(),
    contactExternalId: z.string().optional(),
    occurredAt: time,
    value: z.number().optional(),
    currency: z.string().optional(),
    properties: jsonText((json) => propertiesSchema.parse(json)).optional(),
    attribution: z
      .object({
        messageId: id('message'),
        channel: z.enum(TOUCH_CHANNELS),
        campaignId: z.string().optional(),
        sentAt: time,
        journey: journeyLabel.pick({ journeyId: true, stepId: true, runId: true }).optional(),
      })
      .nullable(),
    claim: z.string(),
    createdAt: time,
  },
  // Renamed because the index of contacts' objects projects it.
  rename: { name: 'eventName' },
  key: (event) => KEYS.customerEvent(event.id),
  index({ id, organizationId, contactId, name, occurredAt }) {
    const at = isoTime(occurredAt);
    const shard = shardOf(id, CUSTOMER_EVENT_SHARDS);
    return {
      ...INDEX_KEYS.customerEventsOf(organizationId, at, id, shard),
      ...INDEX_KEYS.customerEventsNamed(organizationId, name, at, id, shard),
      ...(contactId ? INDEX_KEYS.customerEventsOfContact(contactId, at, id) : {}),
    };
  },
});

/** Customer events in the table of one stage. `raised` gets notifications for journeys, for early publication; best effort. */
export const customerEventStore = (
  table: Table,
  raised: (workItems: readonly Publishable[]) => void,
): Pick<CustomerEventPorts, 'read' | 'store' | 'triggersJourneys'> => ({
  read: (id) => readRow(table, KEYS.customerEvent(id), customerEventRows.read),

  triggersJourneys: (organizationId) => usesJourneys(table, organizationId),

  async store(event, signalsJourneys) {
    const { id, organizationId: owner, createdAt } = event;
    const due = signalsJourneys ? INDEX_KEYS.due('journey_signal', id, createdAt) : {};
    const { ok, row } = await table.write({ put: { ...customerEventRows.write(event), ...due }, when: ABSENT });
    if (ok && signalsJourneys) raised([{ kind: 'journey_signal', ...KEYS.customerEvent(id), owner }]);
    if (ok) return event;
    if (!row) throw new Unavailable('The event was stored and deleted meanwhile.');
    return customerEventRows.read(row);
  },
});

/** Filters of a list of events: time (ms, both inclusive), name and contact. */
export interface CustomerEventFilter {
  readonly from: number;
  readonly to: number;
  readonly name?: string | undefined;
  readonly contactId?: Id<'contact'> | undefined;
}

const SHARDS = Array.from({ length: CUSTOMER_EVENT_SHARDS }, (_, shard) => shard);

/** The narrowest index for a filter. */
const rangeOf = (
  organizationId: Id<'organization'>,
  { name, contactId, ...window }: CustomerEventFilter,
): ListRange => {
  const sort = between(window);
  if (contactId !== undefined) {
    const partition = INDEX_KEYS.customerEventsOfContact(contactId, '', '').gsi2pk;
    return { index: 'gsi2', partition, sort, filter: equal({ org: organizationId, eventName: name }) };
  }
  const ofShard = (shard: number): string =>
    name === undefined
      ? INDEX_KEYS.customerEventsOf(organizationId, '', '', shard).gsi1pk
      : INDEX_KEYS.customerEventsNamed(organizationId, name, '', '', shard).gsi3pk;
  const [partition = '', ...others] = SHARDS.map(ofShard);
  return { index: name === undefined ? 'gsi1' : 'gsi3', partition, others, sort };
};

/** A page of events; without `nextCursor` the list ended. */

/**
 * A page of an organization's events, latest first; its cost does not grow with the list. When filtered by contact and name, a page may
 * have fewer items and still a `nextCursor`. 400 for a cursor of another list.
 */
export const listCustomerEvents = async (
  table: Table,
  filter: CustomerEventFilter,
  request: CursorRequest,
): Promise<CursorItems<CustomerEvent> | Refusal<'BAD_REQUEST'>> => {
  if (isEmpty(filter)) return { items: [] };
  const range = rangeOf(request.scope.organizationId, filter);
  return cursorItems(table, range, request, (rows) => rows.map(customerEventRows.read));
};
