import { GetQueueAttributesCommand, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type DueHint, QUEUE_OF_DUE_KIND, type QueueName } from './queues.ts';

/** SQS takes at most 10 messages a call, and delays of at most 900 s; what is due later is left to the due index. */
const BATCH = 10;
const MAX_DELAY_SECONDS = 900;
/** Calls under way per queue: hints of other requests gather meanwhile, and leave together. */
const CALLS_AT_ONCE = 1;

interface Entry {
  readonly body: string;
  readonly delaySeconds: number;
  readonly left: () => void;
}
interface Lane {
  readonly waiting: Entry[];
  calls: number;
  /** True until the pump that was asked for runs. */
  asked: boolean;
}

export interface Publisher {
  /**
   * Hands hints over, to be delivered in `delaySeconds`. Resolves once they have left, or are lost; never rejects: a lost hint's work is
   * found again by its due time.
   */
  publish(hints: readonly DueHint[], delaySeconds?: number): Promise<void>;
  /** About how many messages a queue holds that are not in its consumer's hands; 0 when it cannot be asked. */
  waiting(queue: QueueName): Promise<number>;
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

/** A publisher over the queues' addresses. `onFault` hears of calls that failed. */
export const makePublisher = (
  client: SQSClient,
  urls: Readonly<Record<string, string>>,
  onFault: OnFault,
): Publisher => {
  const lanes = new Map<QueueName, Lane>();
  const laneOf = (queue: QueueName): Lane => {
    const lane = lanes.get(queue) ?? { waiting: [], calls: 0, asked: false };
    lanes.set(queue, lane);
    return lane;
  };
  const pump = (queue: QueueName, lane: Lane): void => {
    while (lane.calls < CALLS_AT_ONCE && lane.waiting.length > 0) {
      const entries = lane.waiting.splice(0, BATCH);
      lane.calls += 1;
      sendBatch(client, urls[queue], entries)
        .catch((error: unknown) => onFault(queue, error))
        .finally(() => {
          lane.calls -= 1;
          for (const { left } of entries) left();
          pump(queue, lane);
        });
    }
  };
  /** Once the turn of the event loop is over: what is handed over in it leaves in one call, whatever its delays. */
  const pumpSoon = (queue: QueueName, lane: Lane): void => {
    if (lane.asked) return;
    lane.asked = true;
    setImmediate(() => {
      lane.asked = false;
      pump(queue, lane);
    });
  };
  /** Puts a hint into its queue's lane; resolves once it has left. */
  const wait = (hint: DueHint, delaySeconds: number): Promise<void> => {
    const body = JSON.stringify({ kind: hint.kind, pk: hint.pk, sk: hint.sk });
    return new Promise((left) => laneOf(QUEUE_OF_DUE_KIND[hint.kind]).waiting.push({ body, delaySeconds, left }));
  };
  return {
    async publish(hints, delaySeconds = 0) {
      if (delaySeconds > MAX_DELAY_SECONDS) return;
      const delay = Math.max(0, Math.ceil(delaySeconds));
      const left = hints.map((hint) => wait(hint, delay));
      for (const queue of new Set(hints.map(({ kind }) => QUEUE_OF_DUE_KIND[kind]))) pumpSoon(queue, laneOf(queue));
      await Promise.all(left);
    },
    async waiting(queue) {
      try {
        const { Attributes } = await client.send(
          new GetQueueAttributesCommand({
            QueueUrl: urls[queue],
            AttributeNames: ['ApproximateNumberOfMessages'],
          }),
        );
        return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
      } catch (error) {
        onFault(queue, error);
        return 0;
      }
    },
  };
};
