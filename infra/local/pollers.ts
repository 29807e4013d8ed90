import { setTimeout as pause } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { LONG_POLL_SECONDS } from '../../shared/queues/client.ts';
import { lambdaContext, type StageFunctions } from './functions.ts';
import type { StageQueue } from './resources.ts';
import { LOCAL_REGION } from './stages.ts';

/** A queue and its consumer. */
export interface PollerOptions {
  readonly client: SQSClient;
  readonly queue: StageQueue;
  readonly functions: StageFunctions;
  /** The consumer's path under `functions/`. */
  readonly functionPath: string;
  readonly batchSize: number;
  /** Concurrent batches. When it is more than one, batches older than `overlapAfterMs` do not count. */
  readonly concurrency: number;
  /** A batch that takes longer than this, in ms, is waiting for a third party: another is started, as Lambda adds environments. */
  readonly overlapAfterMs: number;
  /** Visibility time-out of a failed message, in s, by its receive count. */
  readonly retrySeconds: (receives: number) => number;
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
}

/** Background work; `stop` resolves when its last run has ended. */
export interface Running {
  stop(): Promise<void>;
}

const CONSUMER_TIMEOUT_MS = 30_000;
/** Wait after a partial batch, so that the next one is fuller and takes fewer calls. */
const BATCH_FILL_DELAY_MS = 15;
/** Limit of batches in flight, slow ones included, as a multiple of `concurrency`. */
const MAX_OVERLAP = 8;
/** Wait after a failed receive. */
const RECEIVE_RETRY_DELAY_MS = 500;

const recordOf = (message: Message, arn: string): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: {
    ApproximateReceiveCount: message.Attributes?.ApproximateReceiveCount ?? '1',
    SentTimestamp: message.Attributes?.SentTimestamp ?? '',
    SenderId: message.Attributes?.SenderId ?? '',
    ApproximateFirstReceiveTimestamp: message.Attributes?.ApproximateFirstReceiveTimestamp ?? '',
  },
  messageAttributes: {},
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: arn,
  awsRegion: LOCAL_REGION,
});

/** The ids that a consumer reports as failed. As in Lambda, an id that is not of the batch fails the whole batch. */
export const failedIds = (result: unknown, given: readonly string[]): ReadonlySet<string> => {
  const failures = (result as SQSBatchResponse | undefined | null)?.batchItemFailures ?? [];
  const ids = failures.map(({ itemIdentifier }) => itemIdentifier);
  return ids.every((id) => given.includes(id)) ? new Set(ids) : new Set(given);
};

const consume = async (options: PollerOptions, messages: readonly Message[]): Promise<ReadonlySet<string>> => {
  const { functions, functionPath, queue, onFault } = options;
  const event: SQSEvent = { Records: messages.map((message) => recordOf(message, queue.arn)) };
  const ids = event.Records.map(({ messageId }) => messageId);
  const requestId = ids[0] ?? '';
  try {
    const handler = functions.loaded(functionPath) ?? (await functions.load(functionPath));
    return failedIds(await handler(event, lambdaContext(functionPath, requestId, CONSUMER_TIMEOUT_MS)), ids);
  } catch (error) {
    onFault(functionPath, requestId, error);
    return new Set(ids);
  }
};

/**
 * Deletes the messages that succeeded, and hides the failed ones until their next attempt; after the last one SQS moves them to the
 * dead-letter queue.
 */
const settle = async (
  options: PollerOptions,
  messages: readonly Message[],
  failed: ReadonlySet<string>,
): Promise<void> => {
  const { client, queue, retrySeconds } = options;
  const entry = (message: Message, index: number) => ({
    Id: String(index),
    ReceiptHandle: message.ReceiptHandle ?? '',
  });
  const done = messages.filter((message) => !failed.has(message.MessageId ?? ''));
  const again = messages.filter((message) => failed.has(message.MessageId ?? ''));
  if (done.length > 0)
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries: done.map(entry) }));
  if (again.length === 0) return;
  const Entries = again.map((message, index) => ({
    ...entry(message, index),
    VisibilityTimeout: retrySeconds(Number(message.Attributes?.ApproximateReceiveCount ?? 1)),
  }));
  await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queue.url, Entries }));
};

const runBatch = async (options: PollerOptions, messages: readonly Message[]): Promise<void> => {
  const failed = await consume(options, messages);
  // On failure the messages are received again after their visibility time-out; consumers are idempotent.
  await settle(options, messages, failed).catch((error: unknown) =>
    options.onFault(options.functionPath, 'settle', error),
  );
};

/** Runs batches within the concurrency limit. A batch frees its slot when it ends, or after `overlapAfterMs`. */
const batchRunner = (options: PollerOptions) => {
  const { concurrency, overlapAfterMs } = options;
  const inFlight = new Set<Promise<void>>();
  const slots = new Set<Promise<void>>();
  const maxInFlight = concurrency === 1 ? 1 : concurrency * MAX_OVERLAP;
  return {
    start: (messages: readonly Message[]): void => {
      const batch: Promise<void> = runBatch(options, messages).finally(() => inFlight.delete(batch));
      const overlap = pause(overlapAfterMs, undefined, { ref: false });
      const slot: Promise<void> = Promise.race([batch, overlap]).finally(() => slots.delete(slot));
      inFlight.add(batch);
      slots.add(slot);
    },
    untilSlotFree: async (): Promise<void> => {
      while (slots.size >= concurrency) await Promise.race(slots);
      while (inFlight.size >= maxInFlight) await Promise.race(inFlight);
    },
    untilIdle: () => Promise.all(inFlight),
  };
};

const receive = async (
  { client, queue, batchSize }: PollerOptions,
  abortSignal: AbortSignal,
): Promise<readonly Message[]> => {
  const command = new ReceiveMessageCommand({
    QueueUrl: queue.url,
    MaxNumberOfMessages: batchSize,
    WaitTimeSeconds: LONG_POLL_SECONDS,
    MessageSystemAttributeNames: ['All'],
  });
  const { Messages = [] } = await client.send(command, { abortSignal });
  return Messages;
};

/** Polls a queue and invokes its consumer, as Lambda's event source mapping does. */
export const startPoller = (options: PollerOptions): Running => {
  const stopping = new AbortController();
  const batches = batchRunner(options);
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await batches.untilSlotFree();
      try {
        const messages = await receive(options, stopping.signal);
        if (messages.length === 0) continue;
        batches.start(messages);
        if (messages.length < options.batchSize) await pause(BATCH_FILL_DELAY_MS);
      } catch (error) {
        if (stopping.signal.aborted) break;
        options.onFault(options.functionPath, 'receive', error);
        await pause(RECEIVE_RETRY_DELAY_MS);
      }
    }
    await batches.untilIdle();
  };
  const ended = loop();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
};
