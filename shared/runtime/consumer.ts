import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { QUEUES, type QueueMessage, type QueueName } from '../queues/queues.ts';
import { retrySooner } from '../wiring/process/aws.ts';
import { logger, measure } from '../wiring/process/observe.ts';
import { lambda } from './lambda.ts';

/** The result of one message. */
type Outcome = PromiseSettledResult<unknown>;
/** Processes messages together; returns the results in their order. */
type BatchWork<Q extends QueueName> = (messages: readonly QueueMessage<Q>[]) => Promise<readonly Outcome[]>;

/** Errors whose message may repeat the unparsable input. */
const UNREADABLE = new Set(['SyntaxError', 'ZodError']);

const noteFailure = (queue: QueueName, { messageId }: SQSRecord, error: unknown): void => {
  measure({ queue }, { ConsumerFailures: 1 });
  logger.error('consumer failed', {
    queue,
    recordId: messageId,
    fault: error instanceof Error ? error.name : 'not an Error',
    reason: error instanceof Error && !UNREADABLE.has(error.name) ? error.message : 'the message does not parse',
  });
};

/** The result of each message. All failed if the work as a whole did, or returned no result for one of them. */
const outcomesOf = async <Q extends QueueName>(
  work: BatchWork<Q>,
  messages: readonly QueueMessage<Q>[],
): Promise<readonly Outcome[]> => {
  if (messages.length === 0) return [];
  try {
    const outcomes = await work(messages);
    if (outcomes.length === messages.length) return outcomes;
    throw new RangeError(`${outcomes.length} results of ${messages.length} messages`);
  } catch (reason) {
    return messages.map(() => ({ status: 'rejected', reason }));
  }
};

const parse = <Q extends QueueName>(queue: Q, { body }: SQSRecord) =>
  QUEUES[queue].message.parse(JSON.parse(body)) as QueueMessage<Q>;

const failedOf = (records: readonly SQSRecord[], failures: readonly { readonly itemIdentifier: string }[]) => {
  const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
  return records.flatMap(({ messageId, receiptHandle, attributes }) =>
    failed.has(messageId) ? [{ receiptHandle, receives: Number(attributes?.ApproximateReceiveCount ?? 1) }] : [],
  );
};

/**
 * Makes the Lambda handler of a consumer that processes a batch as a whole. Each record is parsed by the queue's schema; one that does not
 * parse fails alone. Exactly the failed records are reported and redelivered, the first time after 5 s, up to the dead-letter queue; the others are acknowledged. The
 * work must tolerate repeats, even within a batch, and any order. It must not share state between calls, since one process may run several
 * batches concurrently.
 */
export const batchConsumer = <Q extends QueueName>(queue: Q, work: BatchWork<Q>) =>
  lambda(async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const read = await Promise.allSettled(Records.map(async (record) => parse(queue, record)));
    const messages = read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const outcomes = (await outcomesOf(work, messages)).values();
    const batchItemFailures = Records.flatMap((record, at) => {
      const outcome = read[at]?.status === 'fulfilled' ? outcomes.next().value : read[at];
      if (outcome?.status !== 'rejected') return [];
      noteFailure(queue, record, outcome.reason);
      return [{ itemIdentifier: record.messageId }];
    });
    await retrySooner(queue, failedOf(Records, batchItemFailures));
    return { batchItemFailures };
  });

/** The same for work that handles each message alone. */
export const consumer = <Q extends QueueName>(queue: Q, handle: (message: QueueMessage<Q>) => Promise<void>) =>
  batchConsumer(queue, (messages) => Promise.allSettled(messages.map(async (message) => handle(message))));
