import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type Publishable, type QueueName, queueOf, retrySeconds } from './queues.ts';

/** Limits of SQS: messages per SendMessageBatch call, and the longest delay. Later work is left to the due index. */
const BATCH_SIZE = 10;
const MAX_DELAY_SECONDS = 900;

interface Entry {
  readonly body: string;
  readonly delaySeconds: number;
  /** The tenant for the queue's fairness; absent: the stage's own work. */
  readonly group?: string | undefined;
}
interface PendingEntry extends Entry {
  readonly onSent: () => void;
}
/** Standard queues are fair by `MessageGroupId`: a tenant that keeps the consumers busy does not delay the messages of others. */
const entryOf = ({ kind, pk, sk, owner }: Publishable, delaySeconds: number): Entry => {
  const organizationId = owner === 'stage' ? undefined : owner;
  return { body: JSON.stringify({ kind, pk, sk, organizationId }), delaySeconds, group: organizationId };
};

/** A received message whose work failed, and its receive count. */
export interface FailedMessage {
  readonly receiptHandle: string;
  readonly receives: number;
}

export interface Publisher {
  /**
   * Sends work items, to be received after `delaySeconds`. Resolves once they were sent or failed; never rejects: the dispatcher finds
   * the work of a lost item by its due time. Items delayed by more than 900 s are not sent at all.
   */
  publish(workItems: readonly Publishable[], delaySeconds?: number): Promise<void>;
  /**
   * Sends work items, ten per call and all calls concurrently. Rejects unless the queue has accepted all of them; some may have been sent
   * anyway.
   */
  handOver(workItems: readonly Publishable[]): Promise<void>;
  /**
   * Makes at most ten messages receivable sooner than their visibility timeout, which is sized for long work rather than for failures. Best
   * effort; never rejects.
   */
  retrySooner(queue: QueueName, failed: readonly FailedMessage[]): Promise<void>;
  /** Approximate number of waiting messages in a queue; 0 if SQS is unavailable. */
  approximateDepth(queue: QueueName): Promise<number>;
}

type OnFault = (queue: QueueName, error: unknown) => void;

const sendBatch = async (client: SQSClient, url: string | undefined, entries: readonly Entry[]): Promise<void> => {
  if (!url) throw new Error('the queue has no address here');
  const answer = await client.send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: entries.map(({ body, delaySeconds, group }, index) => ({
        Id: String(index),
        MessageBody: body,
        DelaySeconds: delaySeconds,
        MessageGroupId: group,
      })),
    }),
  );
  if (answer.Failed?.length) throw new Error(`${answer.Failed.length} of ${entries.length} were refused`);
};

const inBatches = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / BATCH_SIZE) }, (_, at) =>
    items.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
  );

/**
 * Returns a function that queues an entry for the next batch. Entries of the same tick share a call; one call is in flight at a time, so
 * that further entries are collected for the next.
 */
const batchSender = (send: (entries: readonly Entry[]) => Promise<void>) => {
  const pending: PendingEntry[] = [];
  let sending = false;
  let flushScheduled = false;
  const flush = (): void => {
    if (sending || pending.length === 0) return;
    sending = true;
    const entries = pending.splice(0, BATCH_SIZE);
    void send(entries).finally(() => {
      sending = false;
      for (const { onSent } of entries) onSent();
      flush();
    });
  };
  return (entry: PendingEntry): void => {
    pending.push(entry);
    if (flushScheduled) return;
    flushScheduled = true;
    setImmediate(() => {
      flushScheduled = false;
      flush();
    });
  };
};

/** A publisher over the queues' URLs. `onFault` is called for every call to SQS that failed. */
export const makePublisher = (
  client: SQSClient,
  urls: Readonly<Record<string, string>>,
  onFault: OnFault,
): Publisher => {
  const senders = new Map<QueueName, (entry: PendingEntry) => void>();
  const senderOf = (queue: QueueName): ((entry: PendingEntry) => void) => {
    const sender =
      senders.get(queue) ??
      batchSender((entries) =>
        sendBatch(client, urls[queue], entries).catch((error: unknown) => onFault(queue, error)),
      );
    senders.set(queue, sender);
    return sender;
  };
  const enqueue = (item: Publishable, delaySeconds: number): Promise<void> =>
    new Promise((onSent) => senderOf(queueOf(item))({ ...entryOf(item, delaySeconds), onSent }));
  return {
    async publish(workItems, delaySeconds = 0) {
      if (delaySeconds > MAX_DELAY_SECONDS) return;
      const delay = Math.max(0, Math.ceil(delaySeconds));
      await Promise.all(workItems.map((item) => enqueue(item, delay)));
    },
    async handOver(workItems) {
      const queues = Map.groupBy(workItems, queueOf);
      const calls = [...queues].flatMap(([queue, items]) =>
        inBatches(items).map((batch) =>
          sendBatch(
            client,
            urls[queue],
            batch.map((item) => entryOf(item, 0)),
          ),
        ),
      );
      await Promise.all(calls);
    },
    async retrySooner(queue, failed) {
      const Entries = failed.flatMap(({ receiptHandle, receives }, at) => {
        const seconds = retrySeconds(receives);
        return seconds === undefined
          ? []
          : [{ Id: String(at), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }];
      });
      if (Entries.length === 0 || !urls[queue]) return;
      try {
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: urls[queue], Entries }));
      } catch (error) {
        onFault(queue, error);
      }
    },
    async approximateDepth(queue) {
      try {
        const { Attributes } = await client.send(
          new GetQueueAttributesCommand({ QueueUrl: urls[queue], AttributeNames: ['ApproximateNumberOfMessages'] }),
        );
        return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
      } catch (error) {
        onFault(queue, error);
        return 0;
      }
    },
  };
};
