import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type Id, newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import type { MessageRecord } from '../shared/domain/message/message.ts';
import { withRetries } from '../shared/storage/client/retries.ts';
import { messageRows } from '../shared/storage/messages/message-rows.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** How many messages each filter finds, of any number of them. */
export const MATCHES = 100;
export const CAMPAIGN = 'spring';
const BATCH = 25;
const CONCURRENCY = 8;

/** One in so many matches a filter. */
const isMatch = (nth: number, size: number, offset: number) => nth % (size / MATCHES) === offset;

/** The nth of a list of this size. */
const messageAt = (
  organizationId: Id<'organization'>,
  at: number,
  nth: number,
  size: number,
  contactId?: Id<'contact'>,
): MessageRecord => ({
  id: newId('message'),
  organizationId,
  env: 'test',
  channel: 'sms',
  direction: 'outbound',
  type: 'text',
  priority: 'normal',
  status: isMatch(nth, size, 1) ? 'failed' : 'delivered',
  to: '+5511999990005',
  recipientHash: `hash-${at % 1_000}`,
  region: 'BR',
  route: 'otp',
  provider: 'sandbox_provider',
  units: 1,
  content: { text: 'Your order is on its way.', encoding: 'GSM-7', length: 26, segments: 1 },
  contactId: isMatch(nth, size, 2) ? contactId : undefined,
  campaignId: isMatch(nth, size, 0) ? CAMPAIGN : undefined,
  metadata: undefined,
  coins: 900 as MessageRecord['coins'],
  hold: 'captured',
  fence: 1,
  deadline: at,
  callerKey: `key-${at}`,
  attempts: 1,
  createdAt: at,
  updatedAt: at,
  sentAt: at,
  decisions: [{ at, kind: 'accepted', detail: 'request accepted' }],
});

/** Rows that are not due, as those of finished messages. */
const rowAt = (...message: Parameters<typeof messageAt>) =>
  marshall(messageRows.write(messageAt(...message)), { removeUndefinedValues: true });

/** The messages of a list: as many, `stepMs` apart, the oldest of them at `start`. */
export interface Layout {
  readonly size: number;
  readonly start: number;
  readonly stepMs: number;
}

/** Evenly over the year that ends now, whatever their number. */
export const overYear = (size: number): Layout => {
  const stepMs = Math.floor(YEAR_MS / size);
  return { size, stepMs, start: Date.now() - size * stepMs - 1_000 };
};

/** All within one hour (UTC), the last that ended at least two hours ago: its messages' states are counted. */
export const withinHour = (size: number): Layout => ({
  size,
  stepMs: Math.floor(HOUR_MS / size),
  start: Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS,
});

/** The time of its newest message, ms. */
export const newestOf = ({ size, start, stepMs }: Layout): number => start + (size - 1) * stepMs;

/** Writes the messages of an organization; `MATCHES` of them are of the contact, where one is given. */
export const layOutMessages = async (
  client: DynamoDBClient,
  tableName: string,
  organizationId: Id<'organization'>,
  { size, start, stepMs }: Layout,
  contactId?: Id<'contact'>,
): Promise<void> => {
  const starts = Array.from({ length: Math.ceil(size / BATCH) }, (_, at) => at * BATCH);
  await mapConcurrently(starts, CONCURRENCY, (from) => {
    const items = Array.from({ length: Math.min(BATCH, size - from) }, (_, at) =>
      rowAt(organizationId, start + (from + at) * stepMs, from + at, size, contactId),
    );
    const RequestItems = { [tableName]: items.map((Item) => ({ PutRequest: { Item } })) };
    return withRetries(() => client.send(new BatchWriteItemCommand({ RequestItems })));
  });
};
