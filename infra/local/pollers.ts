import { setTimeout as pause } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { lambdaContext, type StageFunctions } from './functions.ts';
import type { StageQueue } from './resources.ts';
import { LOCAL_REGION } from './stages.ts';

export interface PollerOptions {
  readonly client: SQSClient;
  readonly queue: StageQueue;
  readonly functions: StageFunctions;
  /** The consumer's function. */
  readonly functionPath: string;
  readonly batchSize: number;
  /** Batches that are worked on at the same time; where it is more than one, those that take long do not count. */
  readonly concurrency: number;
  /** A batch that takes longer, in ms, is held by strangers, and another begins beside it: Lambda, too, adds environments while batches are held. */
  readonly heldMs: number;
  /** How long a failed message stays hidden, by how often it was received. */
  readonly retrySeconds: (receives: number) => number;
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
}

/** Something that runs until it is stopped; `stop` answers when its last work is done. */
export interface Running {
  stop(): Promise<void>;
}

const LONG_POLL_SECONDS = 20;
const CONSUMER_TIMEOUT_MS = 30_000;
/** A short wait after a batch that was not full, so that the next one is fuller: each receive and each delete is a call, whatever it carries. */
const GATHER_MS = 15;
/** Batches in all, as a multiple of those at the same time. */
const HELD_SHARE = 8;
/** A short wait after a refused receive, so that an engine that is away is not asked without pause. */
const AFTER_FAULT_MS = 500;

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

/** The ids that a consumer reports as failed. As Lambda reads it: an id that it was not given fails the whole batch. */
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

/** Deletes what was done, and hides what failed until its next try; the queue itself moves it to the dead letters. */
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

const work = async (options: PollerOptions, messages: readonly Message[]): Promise<void> => {
  const failed = await consume(options, messages);
  // What cannot be settled comes again after its visibility time-out: consumers tolerate repeats.
  await settle(options, messages, failed).catch((error: unknown) =>
    options.onFault(options.functionPath, 'settle', error),
  );
};

/** Polls a queue and runs its consumer, as Lambda's event source mapping does. */
export const startPoller = (options: PollerOptions): Running => {
  const { client, queue, batchSize, concurrency, heldMs } = options;
  const stopping = new AbortController();
  /** All batches under way, and those of them that count. */
  const busy = new Set<Promise<void>>();
  const counted = new Set<Promise<void>>();
  const most = concurrency === 1 ? 1 : concurrency * HELD_SHARE;
  const begin = (messages: readonly Message[]): void => {
    const batch: Promise<void> = work(options, messages).finally(() => busy.delete(batch));
    const moment = pause(heldMs, undefined, { ref: false });
    const place: Promise<void> = Promise.race([batch, moment]).finally(() => counted.delete(place));
    busy.add(batch);
    counted.add(place);
  };
  const receive = async (): Promise<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queue.url,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: LONG_POLL_SECONDS,
      MessageSystemAttributeNames: ['All'],
    });
    const { Messages = [] } = await client.send(command, { abortSignal: stopping.signal });
    return Messages;
  };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      while (counted.size >= concurrency) await Promise.race(counted);
      while (busy.size >= most) await Promise.race(busy);
      try {
        const messages = await receive();
        if (messages.length === 0) continue;
        begin(messages);
        if (messages.length < batchSize) await pause(GATHER_MS);
      } catch (error) {
        if (stopping.signal.aborted) break;
        options.onFault(options.functionPath, 'receive', error);
        await pause(AFTER_FAULT_MS);
      }
    }
    await Promise.all(busy);
  };
  const ended = loop();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
};
