import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { EVENT_TYPES } from '../domain/events/catalogue.ts';
import type { DomainEvent } from '../domain/events/event.ts';
import type { Id } from '../domain/ids.ts';
import { isoTime } from '../domain/time.ts';
import type { DueHint } from '../queues/queues.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Table } from './table.ts';

/** Events stay readable for 30 days after they happened. */
const KEEP_SECONDS = 30 * 24 * 3600;

/** The write that makes an event part of its change's transaction; due at once, so that a lost queue message loses nothing. */
export const eventWrite = (event: DomainEvent): WriteOp => ({
  put: {
    ...KEYS.event(event.id),
    ...FINDS.due('publish_event', event.id, event.createdAt),
    id: event.id,
    type: event.type,
    org: event.organizationId,
    env: event.env,
    createdAt: isoTime(event.createdAt),
    data: event.data,
    ttl: Math.floor(event.createdAt / 1000) + KEEP_SECONDS,
  },
});

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

/** The events of a stage, as their consumer needs them. */
export const outbox = (table: Table) => ({
  /** An event by its id; `published` once its consumer was through with it. */
  async read(id: string): Promise<{ event: DomainEvent; published: boolean } | undefined> {
    const row = await table.get(KEYS.event(id));
    if (!row) return undefined;
    const parsed = stored.parse(row);
    const event: DomainEvent = {
      id: parsed.id as Id<'event'>,
      type: parsed.type,
      organizationId: parsed.org as Id<'organization'>,
      env: parsed.env,
      createdAt: Date.parse(parsed.createdAt),
      data: parsed.data,
    };
    return { event, published: parsed.publishedAt !== undefined };
  },
  /** Keeps an event that is not to be fanned out: an example that somebody asked for. */
  async keep(event: DomainEvent): Promise<void> {
    const write = eventWrite(event);
    if (!('put' in write)) return;
    const { duePk: _, dueAt: __, ...row } = write.put as typeof write.put & { duePk?: string; dueAt?: number };
    await table.write({ put: { ...row, publishedAt: isoTime(event.createdAt) } });
  },
  /** Marks an event as handed over and takes it out of the due index. True the first time only. */
  async markPublished(id: string, now: number): Promise<boolean> {
    const written = await table.write({
      update: KEYS.event(id),
      set: { publishedAt: isoTime(now) },
      remove: ['duePk', 'dueAt'],
      when: { text: 'attribute_exists(#pk) AND attribute_not_exists(#publishedAt)' },
    });
    return written.ok;
  },
});
