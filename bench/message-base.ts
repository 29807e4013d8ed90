import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type Id, newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import type { MessageRecord } from '../shared/domain/message/message.ts';
import { withRetries } from '../shared/storage/client/retries.ts';
import { messageRows } from '../shared/storage/messages/message-rows.ts';

/** Messages are spread evenly over this time, whatever their number. */
const SPAN_MS = 365 * 24 * 3_600_000;
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

/** Time between two messages of a list of this size, ms. */
export const stepOf = (size: number): number => Math.floor(SPAN_MS / size);

/**
 * Writes this many messages of an organization, evenly over a year; `MATCHES` of them are of the contact, where one is given. Answers the time of
 * the newest.
 */
export const layOutMessages = async (
  client: DynamoDBClient,
  tableName: string,
  organizationId: Id<'organization'>,
  count: number,
  contactId?: Id<'contact'>,
): Promise<number> => {
  const step = stepOf(count);
  const start = Date.now() - count * step - 1_000;
  const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => at * BATCH);
  await mapConcurrently(starts, CONCURRENCY, (from) => {
    const items = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) =>
      rowAt(organizationId, start + (from + at) * step, from + at, count, contactId),
    );
    const RequestItems = { [tableName]: items.map((Item) => ({ PutRequest: { Item } })) };
    return withRetries(() => client.send(new BatchWriteItemCommand({ RequestItems })));
  });
  return start + (count - 1) * step;
};
