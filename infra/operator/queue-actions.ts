import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { QueueName } from '../../shared/queues/queues.ts';
import { QUEUE_OF_KIND, type WorkItem } from '../../shared/queues/queues.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { duePartitions } from '../../shared/storage/partitions.ts';
import type { QueuePair } from './target.ts';

const DEPTHS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Visible, in-flight and delayed messages of a queue, by SQS's approximate counts. */
export const depthOf = async (
  sqs: SQSClient,
  QueueUrl: string,
): Promise<{ waiting: number; inFlight: number; delayed: number }> => {
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...DEPTHS] }));
  const [waiting = 0, inFlight = 0, delayed = 0] = DEPTHS.map((name) => Number(Attributes[name] ?? 0));
  return { waiting, inFlight, delayed };
};

/**
 * Age in s of the queue's oldest overdue work item in the due index; null when none is due. The table is the source of truth, so this is
 * the real backlog, however many messages the queue holds.
 */
export const backlogSeconds = async (table: Table, queue: QueueName, now: number): Promise<number | null> => {
  const kinds = (Object.keys(QUEUE_OF_KIND) as WorkItem['kind'][]).filter((kind) => QUEUE_OF_KIND[kind] === queue);
  const partitions = kinds.flatMap((kind) => duePartitions(kind));
  const due = await Promise.all(
    partitions.map(async (partition) => {
      const sort = { text: '#sk <= :now', values: { now } };
      const { rows } = await table.query({ index: 'due', partition, sort, limit: 1 });
      return rows.map((row) => Number(row.dueAt));
    }),
  );
  const oldest = Math.min(...due.flat());
  return Number.isFinite(oldest) ? Math.floor((now - oldest) / 1000) : null;
};

const receive = async (
  sqs: SQSClient,
  QueueUrl: string,
  count: number,
  visibilitySeconds: number,
): Promise<Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: count,
      VisibilityTimeout: visibilitySeconds,
      MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount', 'MessageGroupId'],
    }),
  );
  return Messages;
};

/** Up to ten messages of a queue. They stay visible to consumers, but each peek counts as one receive. */
export const peek = async (sqs: SQSClient, url: string, count: number) =>
  (await receive(sqs, url, count, 0)).map(({ MessageId, Body = '', Attributes = {} }) => ({
    id: MessageId,
    sentAt: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
    receives: Number(Attributes.ApproximateReceiveCount ?? 0),
    body: Body,
  }));

const entries = <T extends object>(messages: readonly Message[], of: (message: Message) => T) =>
  messages.map((message, at) => ({ Id: String(at), ...of(message) }));

/** Moves one batch of at most ten dead letters to their queue, and returns how many. Those that the queue refuses stay dead letters. */
const moveBatch = async (sqs: SQSClient, { url, deadLetterUrl }: QueuePair, max: number): Promise<number> => {
  const messages = await receive(sqs, deadLetterUrl, Math.min(max, 10), 30);
  if (messages.length === 0) return 0;
  const sent = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: entries(messages, ({ Body, Attributes }) => ({
        MessageBody: Body ?? '',
        MessageGroupId: Attributes?.MessageGroupId,
      })),
    }),
  );
  const moved = (sent.Successful ?? []).flatMap(({ Id }) => messages[Number(Id)] ?? []);
  if (moved.length < messages.length)
    throw new Error(`The queue refused ${messages.length - moved.length} messages; they stay among the dead letters.`);
  await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: deadLetterUrl,
      Entries: entries(moved, ({ ReceiptHandle }) => ({ ReceiptHandle })),
    }),
  );
  return moved.length;
};

/**
 * Moves every dead letter back to its queue by receiving and sending, and returns how many. A crash midway may leave a message in both
 * queues; consumers are idempotent.
 */
export const redriveManually = async (sqs: SQSClient, pair: QueuePair): Promise<number> => {
  const { waiting, inFlight } = await depthOf(sqs, pair.deadLetterUrl);
  let moved = 0;
  // Messages that fail again may come back meanwhile, so no more are moved than there were at the start.
  while (moved < waiting + inFlight) {
    const count = await moveBatch(sqs, pair, waiting + inFlight - moved);
    if (count === 0) break;
    moved += count;
  }
  return moved;
};

/** Starts an SQS message move task from the dead-letter queue to its queue; it runs in the background. Returns the task's handle. */
export const startRedrive = async (sqs: SQSClient, { deadLetterUrl }: QueuePair): Promise<string> => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  );
  const { TaskHandle = '' } = await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: Attributes.QueueArn }));
  return TaskHandle;
};

/** Empties a queue. SQS allows one purge per minute. */
export const purge = async (sqs: SQSClient, QueueUrl: string): Promise<void> => {
  await sqs.send(new PurgeQueueCommand({ QueueUrl }));
};
