import * as z from 'zod';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { FeedEntry, FeedPage } from '../../domain/webhooks/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { ABSENT, EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { QueryRange, Table } from '../client/table.ts';

/*
 * A subscription's events in order: the log that its sequence numbers come from. It is a chain of pages. The event at position `n` of a page
 * has the number `base + 1 + n`, and a page begins where the previous one ends.
 *
 * Events are appended to the last page until it is full, then to the next. An append is one write of one row, and the table serializes writes
 * of a row: so numbers are assigned without a race, any number of processes append concurrently, appends conflict only at the end of a page,
 * and no number exists without its event. Pages only grow, up to their end: the part that was read once never changes.
 *
 * An event gets one number, however often it is appended:
 * - a page refuses an event that it contains, and a full page refuses all, so a writer that moves from page to page finds every event that was
 *   appended after it started;
 * - before it started it read the last two pages, and then checked which of its events have a delivery. Every event before those two pages has
 *   one, because a page is started only once each event of the last page but one has its delivery.
 */

/**
 * Events after which a page is full. A small page's row stays below a kilobyte; a page that is started while others fill the one before
 * takes the events of many writers, each of which would otherwise advance page by page.
 */
export const PAGE_EVENTS = 24;
export const BUSY_PAGE_EVENTS = 100;
/** Events of one append: a condition has at most 300 operators and 4 KB (DynamoDB). */
export const MAX_APPENDED = 50;
const MAX_IN_PAGE = BUSY_PAGE_EVENTS - 1 + MAX_APPENDED;
/** Refused appends before giving up: each refusal means that others filled a page meanwhile, or appended the same event. */
const MAX_ATTEMPTS = 50;
/** A full page is kept longer than its events. */
const KEEP_SECONDS = 31 * 24 * 3600;

type EventId = Id<'event'>;
const pageRow = z.object({
  /** The sequence number before the page's first. */
  base: z.int(),
  events: z.array(id('event')),
  /** Events after which it is full. */
  size: z.int(),
  /** Absent until another page follows. */
  ttl: z.int().optional(),
});
type Page = z.output<typeof pageRow>;
const EMPTY: Page = { base: 0, events: [], size: PAGE_EVENTS };

const topOf = ({ base, events }: Page): number => base + events.length;
const isFull = ({ events, size }: Page): boolean => events.length >= size;
const entriesOf = ({ base, events }: Page): FeedEntry[] =>
  events.map((eventId, at) => ({ eventId, sequence: base + 1 + at }));

/** Appends events to a page, or starts it with them, unless it is full or contains one of them. */
const append = (
  webhookId: Id<'webhook'>,
  { base, size }: Page,
  ids: readonly EventId[],
  begins: 'goes_on' | 'begins',
): WriteOp => ({
  update: KEYS.feedPage(webhookId, base),
  setOnce: { base, size },
  append: { events: ids },
  when: {
    text: [
      begins === 'begins' ? '(attribute_not_exists(#size) OR size(#events) < #size)' : 'size(#events) < #size',
      ...ids.map((_, at) => `NOT contains(#events, :event${at})`),
    ].join(' AND '),
    values: Object.fromEntries(ids.map((eventId, at) => [`event${at}`, eventId])),
  },
});

/** The last `max` pages, the last one first; read consistently. */
const lastPages = async (table: Table, webhookId: Id<'webhook'>, max: number): Promise<Page[]> => {
  const { pk } = KEYS.feedPage(webhookId, 0);
  const { rows } = await table.query({ partition: pk, newestFirst: true, consistent: true, limit: max });
  return rows.map((row) => pageRow.parse(row));
};

const expire = async (table: Table, webhookId: Id<'webhook'>, { base }: Page, ttl: number): Promise<void> => {
  await table.write({ update: KEYS.feedPage(webhookId, base), set: { ttl }, when: EXISTS });
};

/** Lets pages expire that are followed by another: the last page has the last number, and stays. */
const expireEnded = async (
  table: Table,
  webhookId: Id<'webhook'>,
  pages: readonly (Page | undefined)[],
  now: number,
): Promise<void> => {
  for (const page of pages)
    if (page && page.ttl === undefined) await expire(table, webhookId, page, Math.ceil(now / 1000) + KEEP_SECONDS);
};

/** The log's access to its subscription's deliveries. */
export interface Deliveries {
  /** Which of some events have no delivery, read consistently. */
  unmade(ids: readonly EventId[]): Promise<readonly EventId[]>;
  /** Makes sure that each of these events has had its delivery. */
  make(entries: readonly FeedEntry[]): Promise<void>;
}

/**
 * Assigns at most `MAX_APPENDED` events their sequence numbers, in order and once: those that have neither a delivery nor a number are
 * appended to the log at `now` (ms). Returns the numbers of all of them that have no delivery, and of others. Throws `Unavailable` if the
 * table does not respond.
 */
export const takeNumbers = async (
  table: Table,
  webhookId: Id<'webhook'>,
  ids: readonly EventId[],
  deliveries: Deliveries,
  now: number,
): Promise<ReadonlyMap<EventId, number>> => {
  const numbers = new Map<EventId, number>();
  const see = (page: Page) => {
    for (const { eventId, sequence } of entriesOf(page)) numbers.set(eventId, sequence);
  };
  let [last = EMPTY, before] = await lastPages(table, webhookId, 2);
  for (const page of [last, before]) if (page) see(page);
  // After the pages: an event without a delivery then was not appended before them.
  const unmade = await deliveries.unmade(ids);
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const fresh = unmade.filter((eventId) => !numbers.has(eventId));
    if (fresh.length === 0) return numbers;
    const ended = isFull(last) ? last : undefined;
    const page = ended ? { ...EMPTY, base: topOf(ended), size: turn > 0 ? BUSY_PAGE_EVENTS : PAGE_EVENTS } : last;
    let written = await table.write(append(webhookId, page, fresh, 'goes_on'));
    if (!written.row) {
      if (before) await deliveries.make(entriesOf(before));
      written = await table.write(append(webhookId, page, fresh, 'begins'));
      // If a process crashed here, the start of the page after the next lets these expire.
      if (written.ok) await expireEnded(table, webhookId, [before, ended], now);
    }
    if (ended) before = ended;
    last = pageRow.parse(written.row);
    see(last);
  }
  throw new Unavailable('The event log changes too often to append to it.');
};

/**
 * Skips `by` numbers: starts a page that much later. For a log restored from an earlier state: its receivers have seen the next numbers
 * from events that are no longer there.
 */
export const skipNumbers = async (table: Table, webhookId: Id<'webhook'>, by: number): Promise<void> => {
  const [last = EMPTY] = await lastPages(table, webhookId, 1);
  const base = topOf(last) + by;
  await table.write({ put: { ...KEYS.feedPage(webhookId, base), ...EMPTY, base }, when: ABSENT });
};

/** Lets the log of a revoked subscription expire at a moment (s): pages that were followed by another expire before. A repeat changes nothing. */
export const expireLog = async (table: Table, webhookId: Id<'webhook'>, ttl: number): Promise<void> => {
  for (const page of await lastPages(table, webhookId, 2))
    if (page.ttl === undefined) await expire(table, webhookId, page, ttl);
};

/**
 * At most `limit` entries of the log after a sequence number, in order, and the last assigned number. Read consistently: an event is
 * visible as soon as it has its number, and never before an earlier one.
 */
export const readLog = async (
  table: Table,
  webhookId: Id<'webhook'>,
  after: number,
  limit: number,
): Promise<FeedPage> => {
  const [last] = await lastPages(table, webhookId, 1);
  const top = last ? topOf(last) : 0;
  const { pk, sk: from } = KEYS.feedPage(webhookId, Math.max(0, after + 1 - MAX_IN_PAGE));
  const entries: FeedEntry[] = [];
  let startKey: QueryRange['startKey'];
  while (after < top) {
    const page = await table.query({
      partition: pk,
      sort: { text: '#sk >= :from', values: { from } },
      consistent: true,
      limit: Math.ceil((limit - entries.length + MAX_IN_PAGE) / PAGE_EVENTS) + 1,
      startKey,
    });
    for (const row of page.rows)
      entries.push(...entriesOf(pageRow.parse(row)).filter(({ sequence }) => sequence > after));
    startKey = page.nextKey;
    if (!startKey || entries.length >= limit) break;
  }
  return { entries: entries.slice(0, limit), lastSequence: Math.max(top, entries.at(-1)?.sequence ?? 0) };
};
