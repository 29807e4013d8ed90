import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { EVENT_TYPES } from '../domain/events/catalogue.ts';
import type { DomainEvent } from '../domain/events/event.ts';
import type { Id } from '../domain/ids.ts';
import { isoTime } from '../domain/time.ts';
import type { EventStore, StoredEvent } from '../domain/webhooks/ports.ts';
import type { DueHint } from '../queues/queues.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Row, Table } from './table.ts';
import { readTogether } from './together.ts';

/** Events stay readable for 30 days after they happened. */
const KEEP_SECONDS = 30 * 24 * 3600;

const rowOf = (event: DomainEvent) => ({
  ...KEYS.event(event.id),
  ...FINDS.due('publish_event', event.id, event.createdAt),
  id: event.id,
  type: event.type,
  org: event.organizationId,
  env: event.env,
  createdAt: isoTime(event.createdAt),
  data: event.data,
  ttl: Math.floor(event.createdAt / 1000) + KEEP_SECONDS,
});

/** The write that makes an event part of its change's transaction; due at once, so that a lost queue message loses nothing. */
export const eventWrite = (event: DomainEvent): WriteOp => ({ put: rowOf(event) });

/** The hint that makes an event's delivery early. */
export const eventHint = (id: string): DueHint => ({ kind: 'publish_event', ...KEYS.event(id) });

const stored = z.object({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  createdAt: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
  publishedAt: z.iso.datetime().optional(),
});

/** Reads an event's row; every field is checked. */
const parse = (row: Row): StoredEvent => {
  const { id, type, org, env, createdAt, data, publishedAt } = stored.parse(row);
  const event: DomainEvent = {
    id: id as Id<'event'>,
    type,
    organizationId: org as Id<'organization'>,
    env,
    createdAt: Date.parse(createdAt),
    data,
  };
  return { event, published: publishedAt !== undefined };
};

/** An event's row once nothing is left to do for it: out of the due index. */
const published = (event: DomainEvent, at: number): Row => {
  const { duePk: _, dueAt: __, ...row } = rowOf(event);
  return { ...row, publishedAt: isoTime(at) } as Row;
};

/** The events of a stage, as their consumer needs them. */
export const outbox = (table: Table): EventStore & { read(id: string): Promise<StoredEvent | undefined> } => ({
  async read(id) {
    const row = await table.get(KEYS.event(id));
    return row ? parse(row) : undefined;
  },
  async readAll(ids) {
    const rows = await readTogether(
      table,
      ids.map((id) => KEYS.event(id)),
    );
    return Promise.allSettled(rows.map(async (row) => (row ? parse(row) : undefined)));
  },
  keep: (event) => table.putMany([published(event, event.createdAt)]),
  markPublished: (events, now) => table.putMany(events.map((event) => published(event, now))),
});
