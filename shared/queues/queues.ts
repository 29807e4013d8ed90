import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import type { Id } from '../domain/core/ids.ts';
import { type Prioritized, type Priority, priorityOf } from '../domain/core/priority.ts';

/** Points to a due row. Only a trigger: the consumer reads the row and decides by its current state. */
const workItem = z.strictObject({
  /** Kind of work (partition of the `due` index). */
  kind: z.enum([
    'send_message',
    'fallback',
    'recover_send',
    'sandbox_outcome',
    'apply_receipt',
    'publish_event',
    'deliver_webhook',
    'drain_backlog',
    'send_chunk',
    'close_escrow',
    'abandon_upload',
    'check_sender',
    'judge_destination',
    'check_lanes',
    'send_push',
    'mail_sign_in',
    'index_contacts',
    'index_companies',
    'segment_members',
    'clean_up',
    'count_list',
    'erase_contact',
    'run_job',
    'tell_activity',
    'check_cards',
    'run_journey',
    'journey_signal',
    'journey_work',
    'campaign_work',
    'smpp_parts',
    'reply_parts',
    'smpp_watch',
  ]),
  /** The row's key in the table. */
  pk: z.string().min(1).max(512),
  sk: z.string().min(1).max(512),
  /** The owner, if known: an organization with many messages does not delay another's (fair queues). */
  organizationId: idSchema('organization').exactOptional(),
});
/** A message of every queue: the kind of work, and the key of the row to work on. */
export type WorkItem = z.output<typeof workItem>;

export interface QueueDeclaration {
  readonly name: string;
  readonly purpose: string;
  readonly message: z.ZodType;
  /** Visibility timeout in seconds; six times the consumer's timeout, as AWS recommends for Lambda. */
  readonly visibilitySeconds: number;
  /** Receives before a message goes to the dead-letter queue. */
  readonly maxReceives: number;
  readonly batchSize: number;
  /** Local only: batches processed concurrently. One if the table is the bottleneck, more if the consumer waits for other hosts. */
  readonly concurrentBatches: number;
  /**
   * Local only: a batch that runs longer than this, in ms, no longer counts towards `concurrentBatches`, so that another starts, as Lambda
   * would add environments.
   */
  readonly overlapAfterMs: number;
  /**
   * Deployed only: the consumer's concurrency as a multiple of the stage's. A million messages in ten minutes are 170 batches a second; one of ten, whose
   * providers answer in 120 ms, takes about 0.3 s, which is 50 at once.
   */
  readonly concurrencyFactor: number;
  /** File name under `functions/consumers/`. */
  readonly consumer: string;
  /** True if the consumer calls providers and prices sends. */
  readonly sends?: true;
}

/** Delays before a message whose work failed is received again, in s, by receive count; after these, its visibility timeout. */
const RETRY_SECONDS = [5, 30, 120] as const;
/** Undefined: the queue's visibility timeout. */
export const retrySeconds = (receives: number): number | undefined => RETRY_SECONDS[receives - 1];

/** Common settings of most queues. */
const STANDARD = {
  message: workItem,
  visibilitySeconds: 180,
  maxReceives: 5,
  batchSize: 10,
  concurrentBatches: 1,
  overlapAfterMs: 1_000,
  concurrencyFactor: 1,
} as const;

/** Every queue of a stage. Each has a dead-letter queue of the same name with `-dlq`. */
export const QUEUES = {
  send: {
    ...STANDARD,
    name: 'send',
    purpose:
      'Accepted messages to send asynchronously: unified sends, scheduled ones, fallback steps; parts of messages that have waited for the others; what waits for SMPP accounts; runs of journeys, and the events that they wait for; and sign-in links to mail.',
    concurrentBatches: 4,
    concurrencyFactor: 3,
    consumer: 'send',
    sends: true,
  },
  critical: {
    ...STANDARD,
    name: 'critical',
    purpose:
      'All work of messages that wait for no others, one-time passwords and those of priority critical, but for their webhooks.',
    concurrentBatches: 4,
    consumer: 'critical',
    sends: true,
  },
  'critical-webhook': {
    ...STANDARD,
    name: 'critical-webhook',
    purpose: 'Deliveries of the events of critical messages to one endpoint each.',
    concurrentBatches: 4,
    overlapAfterMs: 250,
    consumer: 'critical-webhook',
  },
  bulk: {
    ...STANDARD,
    name: 'bulk',
    purpose:
      'Chunks of bulk sends, whose messages are sent together; campaigns and their portions; and parts of imports and exports of files.',
    visibilitySeconds: 240,
    batchSize: 1,
    concurrentBatches: 2,
    consumer: 'bulk',
    sends: true,
  },
  push: {
    ...STANDARD,
    name: 'push',
    purpose: 'Push sends that are due, and their chunks of devices.',
    visibilitySeconds: 240,
    batchSize: 1,
    concurrentBatches: 2,
    consumer: 'push',
  },
  outcome: {
    ...STANDARD,
    name: 'outcome',
    purpose:
      'Outcomes of sends: receipts, sandbox outcomes, and holds past their deadline; replies of which parts are missing; checks of pending senders and of the lanes of wallets; judgements of destinations; erasures of deleted contacts; changes of contacts for the index of the audience, and of companies for their directory; members of segments; activities that are due; links to what was deleted; cards that stay too long in their stage; what edits of lists left to delete; contacts of an unsubscribed address that are not opted out yet; and the rest of long lists of messages to count.',
    consumer: 'outcome',
  },
  events: {
    ...STANDARD,
    name: 'events',
    purpose: 'Committed events to fan out to webhook subscriptions.',
    consumer: 'events',
  },
  webhook: {
    ...STANDARD,
    name: 'webhook',
    purpose: 'Deliveries of an event to one endpoint each.',
    concurrentBatches: 16,
    overlapAfterMs: 250,
    consumer: 'webhook',
  },
  backlog: {
    ...STANDARD,
    name: 'backlog',
    purpose: 'Throttled webhook endpoints: one drain of the backlog each.',
    batchSize: 1,
    concurrentBatches: 4,
    overlapAfterMs: 250,
    consumer: 'backlog',
  },
} as const satisfies Record<string, QueueDeclaration>;

export type QueueName = keyof typeof QUEUES;
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];
export type QueueMessage<Q extends QueueName> = z.output<(typeof QUEUES)[Q]['message']>;

/** The owner of a work item: an organization, or the stage. */
export type WorkOwner = Id<'organization'> | 'stage';

/** Work to publish. Its queue depends on its kind and its priority, which defaults to normal. */
export interface Publishable extends Pick<WorkItem, 'kind' | 'pk' | 'sk'> {
  readonly owner: WorkOwner;
  readonly priority?: Priority | undefined;
}

/** The common fields of a message's work items: owner and priority. */
export const workOf = (message: Prioritized & { readonly organizationId: Id<'organization'> }) => ({
  owner: message.organizationId,
  priority: priorityOf(message),
});

/** The queue of each kind of work, unless its priority has another. */
export const QUEUE_OF_KIND = {
  send_message: 'send',
  fallback: 'send',
  recover_send: 'outcome',
  sandbox_outcome: 'outcome',
  apply_receipt: 'outcome',
  publish_event: 'events',
  deliver_webhook: 'webhook',
  drain_backlog: 'backlog',
  send_chunk: 'bulk',
  close_escrow: 'outcome',
  abandon_upload: 'outcome',
  check_sender: 'outcome',
  judge_destination: 'outcome',
  check_lanes: 'outcome',
  send_push: 'push',
  mail_sign_in: 'send',
  index_contacts: 'outcome',
  index_companies: 'outcome',
  segment_members: 'outcome',
  clean_up: 'outcome',
  count_list: 'outcome',
  erase_contact: 'outcome',
  run_job: 'bulk',
  tell_activity: 'outcome',
  check_cards: 'outcome',
  run_journey: 'send',
  journey_signal: 'send',
  journey_work: 'send',
  campaign_work: 'bulk',
  smpp_parts: 'send',
  reply_parts: 'outcome',
  smpp_watch: 'send',
} as const satisfies Readonly<Record<WorkItem['kind'], QueueName>>;

type BaseQueue = (typeof QUEUE_OF_KIND)[WorkItem['kind']];

/**
 * The queues of work with another priority, by its normal queue. Short work shares one; work that waits for external hosts has its own, so
 * that no hanging endpoint delays a send.
 */
const LANES: Readonly<Partial<Record<Priority, Partial<Record<BaseQueue, QueueName>>>>> = {
  critical: {
    send: 'critical',
    outcome: 'critical',
    events: 'critical',
    push: 'critical',
    webhook: 'critical-webhook',
  },
};

/** The queue of a work item. */
export const queueOf = ({ kind, priority = 'normal' }: Pick<Publishable, 'kind' | 'priority'>): QueueName => {
  const queue = QUEUE_OF_KIND[kind];
  return LANES[priority]?.[queue] ?? queue;
};
