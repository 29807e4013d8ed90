import * as z from 'zod';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { FeedEntry, FeedPage } from '../../domain/webhooks/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';

/*
 * A subscription's events in their order: the log that its sequence numbers come from.
 *
 * The head holds the end of the log: the event at position `n` of its tail has the number `base + 1 + n`. Appending to the tail is one write of
 * one row, which the table carries out one after another, so that numbers are given without a race: no writer fails because of another, and
 * no number exists without its event. Numbers never change: only appends lengthen the tail, and only sealing shortens it, at its beginning.
 *
 * An event gets one number, however often it is appended at once: the write refuses an event that the tail holds, and refuses a writer whose
 * view is too old, since an event that left the tail after that view would no longer be found in it. What left the tail before has a delivery.
 *
 * Sealing moves the beginning of the tail into a page, which is never changed. A page begins at the head's base: a sealer that was overtaken
 * writes events under the numbers that they have, and then finds that the base moved.
 */

/** Events of a page. The tail has once to twice as many, so that its row stays below a kilobyte while the traffic is low. */
export const PAGE_EVENTS = 16;
/** Events that one write appends, and that one seals: an expression has at most 300 operators and 4 KB (DynamoDB). */
const MAX_APPENDED = 50;
const MAX_SEALED = 100;
/** Appends that may be refused in turn. Each refusal means that others appended more than a page meanwhile. */
const MAX_ATTEMPTS = 50;
/** A page is kept longer than its events. */
const KEEP_SECONDS = 31 * 24 * 3600;

type EventId = Id<'event'>;
const events = z.array(id('event'));
const headRow = z.object({ base: z.int(), tail: events });
const pageRow = z.object({ first: z.int(), events });

/** The end of a log: its events after the sequence number `base`. */
export interface FeedHead {
  readonly base: number;
  readonly tail: readonly EventId[];
}
/** The last sequence number that was given out. */
export const topOf = ({ base, tail }: FeedHead): number => base + tail.length;

const readHead = (row: Row | undefined): FeedHead => (row ? headRow.parse(row) : { base: 0, tail: [] });
const numbered = (first: number, ids: readonly EventId[]): FeedEntry[] =>
  ids.map((eventId, at) => ({ eventId, sequence: first + at }));
const entriesOf = ({ base, tail }: FeedHead): FeedEntry[] => numbered(base + 1, tail);

/** Appends events, unless the tail holds one of them, or an event may have left it since `seen`. */
const append = (webhookId: Id<'webhook'>, ids: readonly EventId[], seen: FeedHead): WriteOp => ({
  update: KEYS.feedHead(webhookId),
  setOnce: { base: 0 },
  append: { tail: ids },
  when: {
    text: [
      '(attribute_not_exists(#base) OR #base <= :top)',
      ...ids.map((_, at) => `NOT contains(#tail, :event${at})`),
    ].join(' AND '),
    values: { top: topOf(seen), ...Object.fromEntries(ids.map((eventId, at) => [`event${at}`, eventId])) },
  },
});

/** Which of some events have no delivery, read consistently. */
export type FindUnmade = (ids: readonly EventId[]) => Promise<readonly EventId[]>;

/** The numbers of events, and the log as it was found or left; `appended` events of this call are at its end. */
export interface Numbers {
  readonly numbers: ReadonlyMap<EventId, number>;
  readonly head: FeedHead;
  readonly appended: number;
}

/** Numbers at most `MAX_APPENDED` events. */
const appendSome = async (
  table: Table,
  webhookId: Id<'webhook'>,
  ids: readonly EventId[],
  findUnmade: FindUnmade,
): Promise<Numbers> => {
  // Before the deliveries are read: an event without one was not appended before this, or is in this tail.
  let seen = readHead(await table.get(KEYS.feedHead(webhookId)));
  let unmade = await findUnmade(ids);
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const numbers = new Map(entriesOf(seen).map(({ eventId, sequence }) => [eventId, sequence]));
    const fresh = unmade.filter((eventId) => !numbers.has(eventId));
    if (fresh.length === 0) return { numbers, head: seen, appended: 0 };
    const { ok, row } = await table.write(append(webhookId, fresh, seen));
    const head = readHead(row);
    if (ok) {
      for (const { eventId, sequence } of entriesOf(head)) numbers.set(eventId, sequence);
      return { numbers, head, appended: fresh.length };
    }
    if (head.base > topOf(seen)) unmade = await findUnmade(unmade);
    seen = head;
  }
  throw new Unavailable('The event log changes too often to append to it.');
};

/**
 * Gives events their sequence numbers, in their order and once: those that have no delivery and no number are appended to the log. The
 * numbers of what `findUnmade` finds made are left out. Throws `Unavailable` when the table refuses.
 */
export const takeNumbers = async (
  table: Table,
  webhookId: Id<'webhook'>,
  ids: readonly EventId[],
  findUnmade: FindUnmade,
): Promise<Numbers> => {
  const first = await appendSome(table, webhookId, ids.slice(0, MAX_APPENDED), findUnmade);
  if (ids.length <= MAX_APPENDED) return first;
  const rest = await takeNumbers(table, webhookId, ids.slice(MAX_APPENDED), findUnmade);
  return { ...rest, numbers: new Map([...first.numbers, ...rest.numbers]), appended: first.appended + rest.appended };
};

/**
 * The entries that this call is to seal: those up to the last page but one, for the one call whose append began a page. So there is one
 * sealer at a time, without a lease; what a sealer that died left behind is sealed with the next page.
 */
export const entriesToSeal = ({ head, appended }: Numbers): readonly FeedEntry[] => {
  const pages = (top: number) => Math.floor(top / PAGE_EVENTS);
  const top = topOf(head);
  if (pages(top) === pages(top - appended)) return [];
  const last = (pages(top) - 1) * PAGE_EVENTS;
  return entriesOf(head).slice(0, Math.min(Math.max(0, last - head.base), MAX_SEALED));
};

/** Moves the beginning of the tail into a page. Every entry must have its delivery. False when another sealer did it first. */
export const seal = async (
  table: Table,
  webhookId: Id<'webhook'>,
  entries: readonly FeedEntry[],
  now: number,
): Promise<boolean> => {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return false;
  const ttl = Math.ceil(now / 1000) + KEEP_SECONDS;
  const page = { first: first.sequence, events: entries.map(({ eventId }) => eventId), ttl };
  await table.write({ put: { ...KEYS.feedPage(webhookId, last.sequence), ...page } });
  const { ok } = await table.write({
    update: KEYS.feedHead(webhookId),
    set: { base: last.sequence },
    // The last first: the same elements, whether an engine removes them at once or one after another.
    remove: entries.map((_, at) => `tail[${at}]`).reverse(),
    when: { text: '#base = :base', values: { base: first.sequence - 1 } },
  });
  return ok;
};

/** Lets the log of a revoked subscription expire at a moment (s). */
export const expireLog = async (table: Table, webhookId: Id<'webhook'>, ttl: number): Promise<void> => {
  await table.write({ update: KEYS.feedHead(webhookId), set: { ttl }, when: EXISTS });
};

/** Entries after a sequence number, from pages that are not deleted yet. Pages of sealers that overtook each other overlap. */
const sealedEntries = async (
  table: Table,
  webhookId: Id<'webhook'>,
  after: number,
  limit: number,
): Promise<FeedEntry[]> => {
  const { pk, sk: from } = KEYS.feedPage(webhookId, after + 1);
  const entries: FeedEntry[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({
      partition: pk,
      sort: { text: '#sk >= :from', values: { from } },
      consistent: true,
      limit: Math.ceil((limit - entries.length) / PAGE_EVENTS) + 1,
      startKey,
    });
    for (const row of page.rows) {
      const { first, events: ids } = pageRow.parse(row);
      const seen = entries.at(-1)?.sequence ?? after;
      entries.push(...numbered(first, ids).filter(({ sequence }) => sequence > seen));
    }
    startKey = page.nextKey;
  } while (startKey && entries.length < limit);
  return entries;
};

/**
 * At most `limit` entries of the log after a sequence number, in order, and the last number that was given out. Read consistently: an event
 * is seen as soon as it has its number, and never before an earlier one.
 */
export const readLog = async (
  table: Table,
  webhookId: Id<'webhook'>,
  after: number,
  limit: number,
): Promise<FeedPage> => {
  // The head first: what left it is in a page by then.
  const head = readHead(await table.get(KEYS.feedHead(webhookId)));
  const entries = after < head.base ? await sealedEntries(table, webhookId, after, limit) : [];
  const seen = entries.at(-1)?.sequence ?? after;
  // Pages may reach beyond the head that was read, when sealing went on meanwhile.
  if (entries.length < limit) entries.push(...entriesOf(head).filter(({ sequence }) => sequence > seen));
  return { entries: entries.slice(0, limit), lastSequence: Math.max(topOf(head), seen) };
};
