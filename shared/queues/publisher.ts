import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { QUEUE_OF_KIND, type QueueName, retrySeconds, type WorkItem } from './queues.ts';

/** Limits of SQS: messages per SendMessageBatch call, and the longest delay. Later work is left to the due index. */
const BATCH_SIZE = 10;
const MAX_DELAY_SECONDS = 900;

interface Entry {
  readonly body: string;
  readonly delaySeconds: number;
  readonly onSent: () => void;
}

/** A received message whose work failed, and how often it was received. */
export interface FailedMessage {
  readonly receiptHandle: string;
  readonly receives: number;
}

export interface Publisher {
  /**
   * Sends work items, to be received after `delaySeconds`. Resolves once they were sent or failed; never rejects: the dispatcher finds
   * the work of a lost item by its due time. Items delayed by more than 900 s are not sent at all.
   */
  publish(workItems: readonly WorkItem[], delaySeconds?: number): Promise<void>;
  /**
   * Lets at most ten messages be received again sooner than their visibility timeout, which is made for work that takes its time and not for
   * work that failed. Best effort; never rejects.
   */
  retrySooner(queue: QueueName, failed: readonly FailedMessage[]): Promise<void>;
  /** Approximate number of messages in a queue that no consumer has received; 0 when SQS cannot be asked. */
  approximateDepth(queue: QueueName): Promise<number>;
}

type OnFault = (queue: QueueName, error: unknown) => void;

const sendBatch = async (client: SQSClient, url: string | undefined, entries: readonly Entry[]): Promise<void> => {
  if (!url) throw new Error('the queue has no address here');
  const answer = await client.send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: entries.map(({ body, delaySeconds }, index) => ({
        Id: String(index),
        MessageBody: body,
        DelaySeconds: delaySeconds,
      })),
    }),
  );
  if (answer.Failed?.length) throw new Error(`${answer.Failed.length} of ${entries.length} were refused`);
};

/**
 * Returns a function that queues an entry for the next batch. Entries of one turn of the event loop share a call; one call is in flight
 * at a time, so that entries of other requests gather for the next.
 */
const batchSender = (send: (entries: readonly Entry[]) => Promise<void>) => {
  const pending: Entry[] = [];
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
  return (entry: Entry): void => {
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
  const senders = new Map<QueueName, (entry: Entry) => void>();
  const senderOf = (queue: QueueName): ((entry: Entry) => void) => {
    const sender =
      senders.get(queue) ??
      batchSender((entries) =>
        sendBatch(client, urls[queue], entries).catch((error: unknown) => onFault(queue, error)),
      );
    senders.set(queue, sender);
    return sender;
  };
  const enqueue = ({ kind, pk, sk }: WorkItem, delaySeconds: number): Promise<void> =>
    new Promise((onSent) =>
      senderOf(QUEUE_OF_KIND[kind])({ body: JSON.stringify({ kind, pk, sk }), delaySeconds, onSent }),
    );
  return {
    async publish(workItems, delaySeconds = 0) {
      if (delaySeconds > MAX_DELAY_SECONDS) return;
      const delay = Math.max(0, Math.ceil(delaySeconds));
      await Promise.all(workItems.map((item) => enqueue(item, delay)));
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
