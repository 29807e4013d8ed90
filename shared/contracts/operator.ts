import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { QUEUE_NAMES, QUEUE_OF_KIND, type WorkItem } from '../queues/queues.ts';
import { boundedText, closedObject, count, dateTime, flag, limit, openObject, part, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const tag = 'Operator';
/** Common fields of the operator's operations that read, and of those that write. */
export const reads = { tag, permission: { session: 'operator:read' } } as const;
export const writes = { tag, permission: { session: 'operator:write' } } as const;

const queueName = z.enum(QUEUE_NAMES).meta({ description: 'The queue.', example: 'outcome' });
const kind = z
  .enum(Object.keys(QUEUE_OF_KIND) as [WorkItem['kind'], ...WorkItem['kind'][]])
  .meta({ description: 'The kind of work.', example: 'send_message' });
const organizationId = idSchema('organization').optional();

const Queue = openObject(
  'Queue',
  'A queue with its dead letters. Numbers of messages are approximate, as SQS reports them.',
  {
    queue: queueName,
    waiting: count('Messages that wait for a consumer.', 0),
    inFlight: count('Messages that a consumer is processing.', 0),
    delayed: count('Messages that are not due yet.', 0),
    deadLetters: count('Messages that failed every attempt and wait for the operator.', 2),
    oldestDueSeconds: z.int().min(0).nullable().meta({
      description: 'How long the oldest work of the queue has been due in the table, in seconds; null when none is.',
      example: 3,
    }),
  },
);

export const listQueues = defineOperation({
  ...reads,
  id: 'operator.list-queues',
  route: 'GET /v2/operator/queues',
  summary: 'List the queues of the stage',
  answer: openObject('QueueList', 'The queues of the stage.', {
    items: z.array(Queue).meta({ description: 'Every queue.' }),
  }),
  uses: { table: 'write', operates: true },
});

const Work = part('The work of the message: never its recipient or its content.', {
  kind,
  pk: text('The partition key of its row.', 'MSG#msg_4hJ9sKq2LmN8pRt5VwXz1'),
  sk: text('The sort key of its row.', 'MSG'),
  organizationId,
});

const DeadLetter = openObject('DeadLetter', 'A message of a queue that failed every attempt.', {
  id: text('Its id, by which it can be redriven.', 'f1e2d3c4-0a1b-4c2d-8e3f-9a8b7c6d5e4f'),
  sentAt: dateTime('When it was sent to its queue.'),
  receives: count('How often it was received; each listing by an operator counts.', 6),
  work: Work.optional(),
  unreadable: flag('Whether it is not a message of the service; its content is not shown.', false),
  lastFailure: part('Why its last attempt failed; phone numbers and addresses are masked.', {
    fault: text('The name of the error.', 'Unavailable'),
    reason: text('The message of the error.', 'The table is too busy.'),
    at: dateTime('When it failed.'),
  }).optional(),
  isDue: flag(
    'Whether its work is still due in the table; if so, the dispatcher enqueues it again without a redrive.',
    true,
  ),
});

const queueParams = z.object({ queue: queueName });

export const peekDeadLetters = defineOperation({
  ...reads,
  id: 'operator.peek-dead-letters',
  route: 'GET /v2/operator/queues/{queue}/dead-letters',
  summary: 'List dead letters',
  description:
    'They stay in the dead-letter queue; while one call lists them, other calls do not see them. Each listing counts as a receive.',
  params: queueParams,
  query: z.strictObject({ limit: limit(10, 50) }),
  answer: openObject('DeadLetterList', 'Dead letters of a queue.', {
    items: z.array(DeadLetter).meta({ description: 'Dead letters, oldest first.' }),
  }),
  uses: { table: 'write', operates: true },
});

export const redriveDeadLetters = defineOperation({
  ...writes,
  id: 'operator.redrive-dead-letters',
  route: 'POST /v2/operator/queues/{queue}/dead-letters',
  summary: 'Move dead letters back to their queue',
  description:
    'Moves all of them, which continues in the background, or those with the given ids. Work that was done meanwhile is not repeated, so redriving twice is harmless.',
  params: queueParams,
  body: closedObject('RedriveDeadLetters', 'Which dead letters to move.', {
    ids: z
      .array(boundedText(128, 'The id of a dead letter.'))
      .min(1)
      .max(10)
      .optional()
      .meta({ description: 'The ids of the dead letters; when absent, all of the queue.' }),
  }),
  responses: {
    202: openObject('Redrive', 'The result of a redrive.', {
      queue: queueName,
      state: z.enum(['moved', 'running']).meta({
        description: '`running`: SQS moves all of them in the background, started by this call or an earlier one.',
        example: 'moved',
      }),
      moved: count('How many this call moved.', 2),
      notFound: z
        .array(z.string())
        .meta({ description: 'Ids that are no longer dead letters, or were not among the first 200.' }),
    }),
  },
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', operates: true },
  timeoutSeconds: 28,
});

const StuckWork = openObject('StuckWork', 'Work of one kind that is overdue or was set aside.', {
  kind,
  queue: queueName,
  overdue: count('Rows that are overdue; a lower bound when `more` is true.', 3),
  more: flag('Whether there are more rows than were counted.', false),
  oldestDueSeconds: z
    .int()
    .min(0)
    .nullable()
    .meta({ description: 'How long the oldest one has been due, in seconds; null when none is.', example: 190 }),
  setAside: count('Rows that failed for hours and wait for the operator, 100 at most.', 1),
  shards: z
    .array(
      part('A partition of the index of due work.', {
        shard: count('Its number.', 7),
        overdue: count('Rows that are overdue, 100 at most.', 3),
        oldestDueSeconds: count('How long the oldest one has been due, in seconds.', 190),
        leaseExpired: flag('Whether the last lease of a dispatcher expired without being released.', false),
      }),
    )
    .meta({ description: 'The partitions in which something is overdue.' }),
});

export const listStuckWork = defineOperation({
  ...reads,
  id: 'operator.list-work',
  route: 'GET /v2/operator/due-work',
  summary: 'List work that is overdue or was set aside',
  description:
    'Lists work that has been due for five seconds or more, and work that failed for hours and waits for the operator.',
  answer: openObject('StuckWorkList', 'Work that is stuck.', {
    items: z.array(StuckWork).meta({ description: 'The kinds of which some work is stuck.' }),
  }),
  uses: { table: 'write', operates: true },
});

const SetAsideWork = openObject('SetAsideWork', 'Work that failed for hours.', {
  kind,
  pk: text('The partition key of its row.', 'MSG#msg_4hJ9sKq2LmN8pRt5VwXz1'),
  sk: text('The sort key of its row.', 'MSG'),
  setAsideAt: dateTime('When it was set aside.'),
});

export const listSetAsideWork = defineOperation({
  ...reads,
  id: 'operator.list-set-aside',
  route: 'GET /v2/operator/due-work/set-aside',
  summary: 'List work that was set aside',
  query: z.strictObject({ kind: kind.optional(), limit: limit(50, 200) }),
  answer: openObject('SetAsideWorkList', 'Work that was set aside.', {
    items: z.array(SetAsideWork).meta({ description: 'The oldest of each kind, `limit` at most.' }),
  }),
  uses: { table: 'write', operates: true },
});

export const retryWork = defineOperation({
  ...writes,
  id: 'operator.retry-work',
  route: 'POST /v2/operator/due-work/set-aside',
  summary: 'Make work that was set aside due again',
  description: 'Work that was done meanwhile is not repeated; a second call changes nothing.',
  body: closedObject('RetryWork', 'Which work to make due again.', {
    kind,
    row: z
      .strictObject({
        pk: boundedText(512, 'Its partition key.', 'MSG#msg_4hJ9sKq2LmN8pRt5VwXz1'),
        sk: boundedText(512, 'Its sort key.', 'MSG'),
      })
      .optional()
      .meta({ description: 'The row of the work; when absent, the oldest 200 of the kind.' }),
  }),
  answer: openObject('RetriedWork', 'The work that is due again.', {
    kind,
    retried: count('How many rows are due again.', 1),
  }),
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', operates: true },
});
