import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';

/** URLs of a queue and of its dead-letter queue. */
export interface QueuePair {
  readonly url: string;
  readonly deadLetterUrl: string;
}

/** Messages of a call to SQS, at most. */
const BATCH_SIZE = 10;
/** Visibility timeout of received messages in s: they are made visible again earlier, unless the process crashes. */
const LOOK_SECONDS = 20;

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

const receive = async (
  sqs: SQSClient,
  QueueUrl: string,
  count: number,
  visibilitySeconds: number,
): Promise<Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: Math.min(count, BATCH_SIZE),
      VisibilityTimeout: visibilitySeconds,
      MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount', 'MessageGroupId'],
    }),
  );
  return Messages;
};

const entries = <T extends object>(messages: readonly Message[], of: (message: Message) => T) =>
  messages.map((message, at) => ({ Id: String(at), ...of(message) }));

/** Makes received messages visible again at once. Those for which the call fails become visible when their timeout ends. */
const putBack = async (sqs: SQSClient, QueueUrl: string, messages: readonly Message[]): Promise<void> => {
  for (let at = 0; at < messages.length; at += BATCH_SIZE) {
    const batch = messages.slice(at, at + BATCH_SIZE);
    const Entries = entries(batch, ({ ReceiptHandle }) => ({ ReceiptHandle, VisibilityTimeout: 0 }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  }
};

/** Calls without a new message after which a queue counts as read: SQS samples some of its hosts per call. */
const EMPTY_CALLS = 2;

/**
 * Receives up to `max` distinct messages of a queue, until `isEnough`, and passes them to `use`; those that it does not return as `gone` are made
 * visible again at once. Each counts as received once more.
 */
const lookAt = async <T>(
  sqs: SQSClient,
  url: string,
  max: number,
  use: (messages: readonly Message[]) => Promise<{ readonly gone: readonly Message[]; readonly result: T }>,
  isEnough: (messages: readonly Message[]) => boolean = () => false,
): Promise<T> => {
  const seen = new Map<string, Message>();
  let gone: readonly Message[] = [];
  try {
    for (let empty = 0; empty < EMPTY_CALLS && seen.size < max && !isEnough([...seen.values()]); ) {
      const known = seen.size;
      for (const message of await receive(sqs, url, max - seen.size, LOOK_SECONDS))
        seen.set(message.MessageId ?? '', message);
      empty = seen.size > known ? 0 : empty + 1;
    }
    const used = await use([...seen.values()]);
    gone = used.gone;
    return used.result;
  } finally {
    const left = [...seen.values()].filter((message) => !gone.includes(message));
    await putBack(sqs, url, left).catch(() => undefined);
  }
};

/** A message as SQS returned it. */
export interface PeekedMessage {
  readonly id: string;
  readonly sentAt: string;
  readonly receives: number;
  readonly body: string;
}

/** Up to `count` messages of a queue, oldest first. They can be received again at once, but each peek counts as a receive. */
export const peek = (sqs: SQSClient, url: string, count: number): Promise<readonly PeekedMessage[]> =>
  lookAt(sqs, url, count, async (messages) => ({
    gone: [],
    result: messages
      .map(({ MessageId = '', Body = '', Attributes = {} }) => ({
        id: MessageId,
        sentAt: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
        receives: Number(Attributes.ApproximateReceiveCount ?? 0),
        body: Body,
      }))
      .sort((a, b) => (a.sentAt < b.sentAt ? -1 : 1)),
  }));

/** Moves up to ten dead letters to their queue. Those that the queue refuses stay dead letters. Returns the moved ones. */
const moveMessages = async (
  sqs: SQSClient,
  { url, deadLetterUrl }: QueuePair,
  messages: readonly Message[],
): Promise<readonly Message[]> => {
  if (messages.length === 0) return [];
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
  if (moved.length === 0) return [];
  await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: deadLetterUrl,
      Entries: entries(moved, ({ ReceiptHandle }) => ({ ReceiptHandle })),
    }),
  );
  return moved;
};

/**
 * Moves every dead letter back to its queue by receiving and sending, and returns how many. A crash midway may leave a message in both
 * queues; consumers are idempotent. Throws an Error when the queue refuses some.
 */
export const redriveManually = async (sqs: SQSClient, pair: QueuePair): Promise<number> => {
  const { waiting, inFlight } = await depthOf(sqs, pair.deadLetterUrl);
  let moved = 0;
  // Messages that fail again may come back meanwhile, so no more are moved than there were at the start.
  while (moved < waiting + inFlight) {
    const messages = await receive(sqs, pair.deadLetterUrl, waiting + inFlight - moved, 30);
    if (messages.length === 0) break;
    const { length } = await moveMessages(sqs, pair, messages);
    if (length < messages.length)
      throw new Error(`The queue refused ${messages.length - length} messages; they stay among the dead letters.`);
    moved += length;
  }
  return moved;
};

/** Dead letters that are received to find the chosen ones, at most. */
const MAX_LOOKED_AT = 200;

/**
 * Moves the dead letters with these ids, at most ten, back to their queue, and returns the ids of the moved ones; one that was moved before is not
 * among them. A crash midway may leave a message in both queues; consumers are idempotent.
 */
export const redriveChosen = (sqs: SQSClient, pair: QueuePair, ids: readonly string[]): Promise<readonly string[]> => {
  const isChosen = ({ MessageId = '' }: Message) => ids.includes(MessageId);
  return lookAt(
    sqs,
    pair.deadLetterUrl,
    MAX_LOOKED_AT,
    async (messages) => {
      const gone = await moveMessages(sqs, pair, messages.filter(isChosen));
      return { gone, result: gone.map(({ MessageId = '' }) => MessageId) };
    },
    (messages) => messages.filter(isChosen).length === ids.length,
  );
};

/** Starts an SQS message move task from the dead-letter queue to its queue; it runs in the background. Returns the task's handle. */
export const startRedrive = async (sqs: SQSClient, { deadLetterUrl }: QueuePair): Promise<string> => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  );
  const { TaskHandle = '' } = await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: Attributes.QueueArn }));
  return TaskHandle;
};

/** Whether SQS refused the task because one is already moving these dead letters. */
const isMoving = (error: unknown): boolean =>
  error instanceof Error && /already (?:a task|an active|running)|active message move task/i.test(error.message);

/** An operator's actions on the queues of a stage, by the queue's name. */
export interface QueueOperator {
  depth(queue: string): Promise<{ waiting: number; inFlight: number; delayed: number; deadLetters: number }>;
  deadLetters(queue: string, count: number): Promise<readonly PeekedMessage[]>;
  /** Moves the dead letters with these ids, ten at most, and returns the ids of the moved ones. */
  redrive(queue: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Moves all dead letters: at once, with their number; or in the background, where SQS has move tasks. */
  redriveAll(
    queue: string,
  ): Promise<{ readonly state: 'moved'; readonly moved: number } | { readonly state: 'running' }>;
}

/** Operates queues. `byTask`: SQS has message move tasks, which run in the background. */
export const queueOperator = (
  sqs: SQSClient,
  pairOf: (queue: string) => QueuePair,
  { byTask }: { readonly byTask: boolean },
): QueueOperator => ({
  async depth(queue) {
    const { url, deadLetterUrl } = pairOf(queue);
    const [own, dead] = await Promise.all([depthOf(sqs, url), depthOf(sqs, deadLetterUrl)]);
    return { ...own, deadLetters: dead.waiting + dead.inFlight };
  },
  deadLetters: (queue, count) => peek(sqs, pairOf(queue).deadLetterUrl, count),
  redrive: (queue, ids) => redriveChosen(sqs, pairOf(queue), ids),
  async redriveAll(queue) {
    if (!byTask) return { state: 'moved', moved: await redriveManually(sqs, pairOf(queue)) };
    await startRedrive(sqs, pairOf(queue)).catch((error: unknown) => {
      if (!isMoving(error)) throw error;
    });
    return { state: 'running' };
  },
});

/** Empties a queue. SQS allows one purge per minute. */
export const purge = async (sqs: SQSClient, QueueUrl: string): Promise<void> => {
  await sqs.send(new PurgeQueueCommand({ QueueUrl }));
};
