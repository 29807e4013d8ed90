import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { PRIORITIES } from '../../domain/core/priority.ts';
import { EVENT_TYPES } from '../../domain/events/catalogue.ts';
import type { DomainEvent, QueuedEvent } from '../../domain/events/event.ts';
import type { EventStore, StoredEvent } from '../../domain/webhooks/ports.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { coalescedRead } from '../client/coalescer.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** Events are kept for 30 days. */
const KEEP_SECONDS = 30 * 24 * 3600;

interface OutboxEvent extends DomainEvent {
  /** Absent until its deliveries are created. */
  readonly publishedAt?: number;
}
const eventRows = defineRow<OutboxEvent>()({
  attributes: {
    id: id('event'),
    type: z.enum(EVENT_TYPES),
    ...tenant,
    createdAt: time,
    data: z.record(z.string(), z.unknown()),
    priority: z.enum(PRIORITIES).exactOptional(),
    publishedAt: time.exactOptional(),
  },
  key: (event) => KEYS.event(event.id),
});

const rowOf = (event: OutboxEvent): Row => ({
  ...eventRows.write(event),
  ttl: Math.floor(event.createdAt / 1000) + KEEP_SECONDS,
});

/** The write of an event in its cause's transaction. Due immediately, so that a lost queue message loses nothing. */
export const eventWrite = (event: DomainEvent): { readonly put: Row } => ({
  put: { ...rowOf(event), ...INDEX_KEYS.due('publish_event', event.id, event.createdAt) },
});

/** The work item that publishes an event early. */
export const eventWorkItem = ({ id, organizationId: owner, priority }: QueuedEvent): Publishable => ({
  kind: 'publish_event',
  ...KEYS.event(id),
  owner,
  priority,
});

const read = (row: Row): StoredEvent => {
  const { publishedAt, ...event } = eventRows.read(row);
  return { event, published: publishedAt !== undefined };
};

/** An event's row after publication: no longer in the due index. */
const published = (event: DomainEvent, publishedAt: number): Row => rowOf({ ...event, publishedAt });

/** The outbox of a stage, for the event consumer. */
export const outbox = (table: Table): EventStore & { read(id: Id<'event'>): Promise<StoredEvent | undefined> } => ({
  async read(id) {
    const row = await table.get(KEYS.event(id));
    return row ? read(row) : undefined;
  },
  async readAll(ids) {
    const rows = await coalescedRead(
      table,
      ids.map((id) => KEYS.event(id)),
    );
    return Promise.allSettled(rows.map(async (row) => (row ? read(row) : undefined)));
  },
  keep: (event) => table.putMany([published(event, event.createdAt)]),
  markPublished: (events, now) => table.putMany(events.map((event) => published(event, now))),
});
