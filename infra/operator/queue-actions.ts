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
import { type DueHint, QUEUE_OF_DUE_KIND } from '../../shared/queues/queues.ts';
import { duePartitions } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/table.ts';
import type { QueuePair } from './targets.ts';

const DEPTHS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** How many messages wait, are being worked on, and are delayed; as SQS counts them. */
export const depthOf = async (
  sqs: SQSClient,
  QueueUrl: string,
): Promise<{ waiting: number; inFlight: number; delayed: number }> => {
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...DEPTHS] }));
  const [waiting = 0, inFlight = 0, delayed = 0] = DEPTHS.map((name) => Number(Attributes[name] ?? 0));
  return { waiting, inFlight, delayed };
};

/**
 * For how many seconds the oldest work of a queue has been due in the table; null when nothing is. The table is the truth: this is the
 * backlog that counts, whatever messages there are, and it is read without receiving one.
 */
export const backlogSeconds = async (table: Table, queue: QueueName, now: number): Promise<number | null> => {
  const kinds = (Object.keys(QUEUE_OF_DUE_KIND) as DueHint['kind'][]).filter(
    (kind) => QUEUE_OF_DUE_KIND[kind] === queue,
  );
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
      MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount'],
    }),
  );
  return Messages;
};

/** Up to ten messages as they lie there. Each look counts as one receive; they stay visible to others. */
export const peek = async (sqs: SQSClient, url: string, count: number) =>
  (await receive(sqs, url, count, 0)).map(({ MessageId, Body = '', Attributes = {} }) => ({
    id: MessageId,
    sentAt: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
    receives: Number(Attributes.ApproximateReceiveCount ?? 0),
    body: Body,
  }));

const entries = <T extends object>(messages: readonly Message[], of: (message: Message) => T) =>
  messages.map((message, at) => ({ Id: String(at), ...of(message) }));

/** One batch from the dead letters to their queue: what was not taken over stays where it was. How many went. */
const moveBatch = async (sqs: SQSClient, { url, deadLetterUrl }: QueuePair, most: number): Promise<number> => {
  const messages = await receive(sqs, deadLetterUrl, Math.min(most, 10), 30);
  if (messages.length === 0) return 0;
  const sent = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: entries(messages, ({ Body }) => ({ MessageBody: Body ?? '' })),
    }),
  );
  const taken = (sent.Successful ?? []).flatMap(({ Id }) => messages[Number(Id)] ?? []);
  if (taken.length < messages.length)
    throw new Error(`The queue refused ${messages.length - taken.length} messages; they stay among the dead letters.`);
  await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: deadLetterUrl,
      Entries: entries(taken, ({ ReceiptHandle }) => ({ ReceiptHandle })),
    }),
  );
  return taken.length;
};

/** Sends every dead letter back to its queue. A crash midway leaves a letter in both at worst, which the consumers tolerate. */
export const redriveByHand = async (sqs: SQSClient, pair: QueuePair): Promise<number> => {
  const { waiting, inFlight } = await depthOf(sqs, pair.deadLetterUrl);
  let moved = 0;
  // Letters that fail again return here while this runs: no more are moved than lay here at its start.
  while (moved < waiting + inFlight) {
    const count = await moveBatch(sqs, pair, waiting + inFlight - moved);
    if (count === 0) break;
    moved += count;
  }
  return moved;
};

/** Has SQS move every dead letter back to its queue, in the background. The task's handle. */
export const startRedrive = async (sqs: SQSClient, { deadLetterUrl }: QueuePair): Promise<string> => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  );
  const { TaskHandle = '' } = await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: Attributes.QueueArn }));
  return TaskHandle;
};

/** Empties a queue. SQS allows it once a minute. */
export const purge = async (sqs: SQSClient, QueueUrl: string): Promise<void> => {
  await sqs.send(new PurgeQueueCommand({ QueueUrl }));
};
