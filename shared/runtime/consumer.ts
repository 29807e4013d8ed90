import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { QUEUES, type QueueMessage, type QueueName } from '../queues/queues.ts';
import { logger, measure } from '../wiring/process/observe.ts';
import { lambda } from './lambda.ts';

/** How the work of one message went. */
type Outcome = PromiseSettledResult<unknown>;
/** Works on messages together; answers how each went, in their order. */
type BatchWork<Q extends QueueName> = (messages: readonly QueueMessage<Q>[]) => Promise<readonly Outcome[]>;

/** Faults whose own words may repeat what could not be read. */
const UNREADABLE = new Set(['SyntaxError', 'ZodError']);

/** How long the oldest of a batch waited: one line a batch, since the line is the unit of cost. */
const noteAge = (queue: QueueName, records: readonly SQSRecord[]): void => {
  const sent = records.map(({ attributes }) => Number(attributes?.SentTimestamp ?? Number.NaN)).filter(Number.isFinite);
  if (sent.length > 0) measure({ queue }, { QueueAge: Math.max(0, Date.now() - Math.min(...sent)) });
};

const noteFailure = (queue: QueueName, { messageId }: SQSRecord, error: unknown): void => {
  measure({ queue }, { ConsumerFailures: 1 });
  logger.error('consumer failed', {
    queue,
    recordId: messageId,
    fault: error instanceof Error ? error.name : 'not an Error',
    reason: error instanceof Error && !UNREADABLE.has(error.name) ? error.message : 'what was read does not parse',
  });
};

/** How each message went; all of them failed where the work as a whole did, or tells nothing of one. */
const outcomesOf = async <Q extends QueueName>(
  work: BatchWork<Q>,
  messages: readonly QueueMessage<Q>[],
): Promise<readonly Outcome[]> => {
  if (messages.length === 0) return [];
  try {
    const outcomes = await work(messages);
    if (outcomes.length === messages.length) return outcomes;
    throw new RangeError(`${outcomes.length} outcomes of ${messages.length} messages`);
  } catch (reason) {
    return messages.map(() => ({ status: 'rejected', reason }));
  }
};

const parse = <Q extends QueueName>(queue: Q, { body }: SQSRecord) =>
  QUEUES[queue].message.parse(JSON.parse(body)) as QueueMessage<Q>;

/**
 * Makes the Lambda handler of a queue's consumer that works on a batch as one. Each record is parsed against the queue's schema: one
 * that does not parse fails alone. Exactly the records whose work failed are reported and come again, up to the dead-letter queue,
 * while the others are acknowledged. The work must tolerate repeats, in the same batch too, and any order. What it keeps is its
 * own, for one process may work on several batches at once.
 */
export const batchConsumer = <Q extends QueueName>(queue: Q, work: BatchWork<Q>) =>
  lambda(async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    noteAge(queue, Records);
    const read = await Promise.allSettled(Records.map(async (record) => parse(queue, record)));
    const messages = read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const outcomes = (await outcomesOf(work, messages)).values();
    const batchItemFailures = Records.flatMap((record, at) => {
      const outcome = read[at]?.status === 'fulfilled' ? outcomes.next().value : read[at];
      if (outcome?.status !== 'rejected') return [];
      noteFailure(queue, record, outcome.reason);
      return [{ itemIdentifier: record.messageId }];
    });
    return { batchItemFailures };
  });

/** The same for work that handles each message alone. */
export const consumer = <Q extends QueueName>(queue: Q, handle: (message: QueueMessage<Q>) => Promise<void>) =>
  batchConsumer(queue, (messages) => Promise.allSettled(messages.map(async (message) => handle(message))));
