import * as z from 'zod';

/** A row that became due: a hint to look at it, never the truth itself. */
const dueRow = z.strictObject({
  /** Which kind of work (`due` index). */
  kind: z.enum([
    'send_message',
    'fallback',
    'resolve_send',
    'sandbox_outcome',
    'apply_receipt',
    'publish_event',
    'deliver_webhook',
    'drain_backlog',
    'send_chunk',
    'close_escrow',
    'abandon_upload',
    'send_push',
  ]),
  /** The row's key in the table. */
  pk: z.string().min(1).max(512),
  sk: z.string().min(1).max(512),
});
/** A hint about a row with work to do: its kind and its key. */
export type DueHint = z.output<typeof dueRow>;

export interface QueueDeclaration {
  readonly name: string;
  readonly purpose: string;
  readonly message: z.ZodType;
  /** Seconds that a received message stays hidden; six times the consumer's time-out, as AWS advises for Lambda. */
  readonly visibilitySeconds: number;
  /** Receives before the message goes to the dead-letter queue. */
  readonly maxReceives: number;
  readonly batchSize: number;
  /** Batches that one machine works on at the same time: one where the work is the table's, more where it waits for strangers. */
  readonly batchesAtOnce: number;
  /** How long a batch takes at most before another begins beside it on one machine, in ms: the less, the more of it waits for strangers. */
  readonly heldMs: number;
  /** The consumer's file under `functions/consumers/`. */
  readonly consumer: string;
  /** True where the consumer calls carriers and prices sends. */
  readonly sends?: true;
}

/** Every queue of a stage, one row each; each has a dead-letter queue of the same name with `-dlq`. */
export const QUEUES = {
  send: {
    name: 'send',
    purpose: 'Messages that were accepted to leave later: unified sends, scheduled ones, hops of a fallback.',
    message: dueRow,
    visibilitySeconds: 180,
    maxReceives: 5,
    batchSize: 10,
    batchesAtOnce: 4,
    heldMs: 1_000,
    consumer: 'send',
    sends: true,
  },
  bulk: {
    name: 'bulk',
    purpose: 'Chunks of bulk sends: the messages of one leave together.',
    message: dueRow,
    visibilitySeconds: 240,
    maxReceives: 5,
    batchSize: 1,
    batchesAtOnce: 2,
    heldMs: 1_000,
    consumer: 'bulk',
    sends: true,
  },
  push: {
    name: 'push',
    purpose: 'Push sends whose time has come, and the chunks of devices that each is made of.',
    message: dueRow,
    visibilitySeconds: 240,
    maxReceives: 5,
    batchSize: 1,
    batchesAtOnce: 2,
    heldMs: 1_000,
    consumer: 'push',
  },
  outcome: {
    name: 'outcome',
    purpose: 'What became of a send: receipts, sandbox outcomes, and holds past their deadline.',
    message: dueRow,
    visibilitySeconds: 180,
    maxReceives: 5,
    batchSize: 10,
    batchesAtOnce: 1,
    heldMs: 1_000,
    consumer: 'outcome',
  },
  events: {
    name: 'events',
    purpose: 'Committed events on their way to the webhook subscriptions.',
    message: dueRow,
    visibilitySeconds: 180,
    maxReceives: 5,
    batchSize: 10,
    batchesAtOnce: 1,
    heldMs: 1_000,
    consumer: 'events',
  },
  webhook: {
    name: 'webhook',
    purpose: 'Events on their way to one endpoint each.',
    message: dueRow,
    visibilitySeconds: 180,
    maxReceives: 5,
    batchSize: 10,
    batchesAtOnce: 16,
    heldMs: 250,
    consumer: 'webhook',
  },
  backlog: {
    name: 'backlog',
    purpose: 'Webhook endpoints that take nothing at the moment: a look each at what waits for them.',
    message: dueRow,
    visibilitySeconds: 180,
    maxReceives: 5,
    batchSize: 1,
    batchesAtOnce: 4,
    heldMs: 250,
    consumer: 'backlog',
  },
} as const satisfies Record<string, QueueDeclaration>;

export type QueueName = keyof typeof QUEUES;
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];
export type QueueMessage<Q extends QueueName> = z.output<(typeof QUEUES)[Q]['message']>;

/** Which queue carries each kind of due work. */
export const QUEUE_OF_DUE_KIND: Readonly<Record<DueHint['kind'], QueueName>> = {
  send_message: 'send',
  fallback: 'send',
  resolve_send: 'outcome',
  sandbox_outcome: 'outcome',
  apply_receipt: 'outcome',
  publish_event: 'events',
  deliver_webhook: 'webhook',
  drain_backlog: 'backlog',
  send_chunk: 'bulk',
  close_escrow: 'outcome',
  abandon_upload: 'outcome',
  send_push: 'push',
};
