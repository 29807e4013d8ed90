import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type DueHint, QUEUE_OF_DUE_KIND, type QueueName } from './queues.ts';

/** SQS takes at most 10 messages a call, and delays of at most 900 s; what is due later is left to the due index. */
const BATCH = 10;
const MAX_DELAY_SECONDS = 900;
/** Calls under way per queue: further hints gather meanwhile, and leave together. */
const CALLS_AT_ONCE = 2;

interface Entry {
  readonly body: string;
  readonly delaySeconds: number;
}
interface Lane {
  waiting: Entry[];
  calls: number;
  idle: (() => void)[];
}

export interface Publisher {
  /** Hands hints over; `delaySeconds` from now. Never throws: a hint that is lost is found again by its due time. */
  publish(hints: readonly DueHint[], delaySeconds?: number): void;
  /** Resolves once all that was handed over has left, or failed. To be awaited before a Lambda answers. */
  drained(): Promise<void>;
}

/** A publisher over the queues' addresses. `onFault` hears of calls that failed. */
export const makePublisher = (client: SQSClient, urls: Readonly<Record<string, string>>, onFault: (queue: QueueName, error: unknown) => void): Publisher => {
  const lanes = new Map<QueueName, Lane>();
  const laneOf = (queue: QueueName): Lane => {
    let lane = lanes.get(queue);
    if (!lane) {
      lane = { waiting: [], calls: 0, idle: [] };
      lanes.set(queue, lane);
    }
    return lane;
  };
  const send = async (queue: QueueName, entries: readonly Entry[]): Promise<void> => {
    const url = urls[queue];
    if (!url) throw new Error(`the queue ${queue} has no address here`);
    const answer = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: url,
        Entries: entries.map(({ body, delaySeconds }, index) => ({ Id: String(index), MessageBody: body, DelaySeconds: delaySeconds })),
      }),
    );
    if (answer.Failed?.length) throw new Error(`${answer.Failed.length} of ${entries.length} were refused`);
  };
  const pump = (queue: QueueName, lane: Lane): void => {
    while (lane.calls < CALLS_AT_ONCE && lane.waiting.length > 0) {
      const entries = lane.waiting.splice(0, BATCH);
      lane.calls += 1;
      send(queue, entries)
        .catch((error: unknown) => onFault(queue, error))
        .finally(() => {
          lane.calls -= 1;
          pump(queue, lane);
          if (lane.calls === 0) for (const resolve of lane.idle.splice(0)) resolve();
        });
    }
  };
  return {
    publish(hints, delaySeconds = 0) {
      if (delaySeconds > MAX_DELAY_SECONDS) return;
      for (const hint of hints) {
        const queue = QUEUE_OF_DUE_KIND[hint.kind];
        const lane = laneOf(queue);
        lane.waiting.push({ body: JSON.stringify({ kind: hint.kind, pk: hint.pk, sk: hint.sk }), delaySeconds: Math.max(0, Math.ceil(delaySeconds)) });
        pump(queue, lane);
      }
    },
    async drained() {
      await Promise.all(
        [...lanes.values()].filter((lane) => lane.calls > 0).map((lane) => new Promise<void>((resolve) => lane.idle.push(resolve))),
      );
    },
  };
};
