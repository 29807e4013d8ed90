import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { QUEUES, type QueueMessage, type QueueName } from '../queues/queues.ts';
import { keepLastFailures } from '../storage/due-work/dead-letters.ts';
import { clock, retrySooner, table } from '../wiring/process/aws.ts';
import { logger, measure } from '../wiring/process/observe.ts';
import { lambda } from './lambda.ts';

/** The result of one message. */
type Outcome = PromiseSettledResult<unknown>;
/** Processes messages together; returns the results in their order. */
type BatchWork<Q extends QueueName> = (messages: readonly QueueMessage<Q>[]) => Promise<readonly Outcome[]>;

/** Errors whose message may repeat the unparsable input. */
const UNREADABLE = new Set(['SyntaxError', 'ZodError']);

/** A record that failed, and whether it was its message that did not parse. */
interface Failed {
  readonly record: SQSRecord;
  readonly error: unknown;
  readonly unreadable: boolean;
}

const reasonOf = ({ error, unreadable }: Pick<Failed, 'error' | 'unreadable'>): string => {
  if (unreadable) return 'the message does not parse';
  if (!(error instanceof Error)) return 'no error was thrown, but another value';
  return UNREADABLE.has(error.name) ? 'a stored row or a response does not parse' : error.message;
};

const failureOf = (failed: Pick<Failed, 'error' | 'unreadable'>) => ({
  fault: failed.error instanceof Error ? failed.error.name : 'not an Error',
  reason: reasonOf(failed),
});

const noteFailure = (queue: QueueName, failed: Failed): void => {
  measure({ queue }, { ConsumerFailures: 1 });
  logger.error('consumer failed', { queue, recordId: failed.record.messageId, ...failureOf(failed) });
};

const receivesOf = ({ attributes }: SQSRecord): number => Number(attributes?.ApproximateReceiveCount ?? 1);

/** Stores, for the operator, why messages failed that become dead letters now. Best effort: the log has it too. */
const keepDeaths = async (queue: QueueName, failed: readonly Failed[]): Promise<void> => {
  const dead = failed.filter(({ record }) => receivesOf(record) >= QUEUES[queue].maxReceives);
  if (dead.length === 0) return;
  const at = clock();
  const failures = dead.map((each) => ({ sqsId: each.record.messageId, at, ...failureOf(each) }));
  await keepLastFailures(table, failures).catch((error: unknown) =>
    logger.warn('why messages died could not be kept', { queue, fault: failureOf({ error, unreadable: false }).fault }),
  );
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
  return records.flatMap((record) =>
    failed.has(record.messageId) ? [{ receiptHandle: record.receiptHandle, receives: receivesOf(record) }] : [],
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
    const failed = Records.flatMap((record, at): Failed[] => {
      const unreadable = read[at]?.status !== 'fulfilled';
      const outcome = unreadable ? read[at] : outcomes.next().value;
      return outcome?.status === 'rejected' ? [{ record, error: outcome.reason, unreadable }] : [];
    });
    for (const each of failed) noteFailure(queue, each);
    const batchItemFailures = failed.map(({ record }) => ({ itemIdentifier: record.messageId }));
    await Promise.all([retrySooner(queue, failedOf(Records, batchItemFailures)), keepDeaths(queue, failed)]);
    return { batchItemFailures };
  });

/** The same for work that handles each message alone. */
export const consumer = <Q extends QueueName>(queue: Q, handle: (message: QueueMessage<Q>) => Promise<void>) =>
  batchConsumer(queue, (messages) => Promise.allSettled(messages.map(async (message) => handle(message))));
