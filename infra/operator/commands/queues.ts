import * as z from 'zod';
import {
  depthOf,
  peek,
  purge,
  type QueuePair,
  redriveChosen,
  redriveManually,
  startRedrive,
} from '../../../shared/queues/dead-letters.ts';
import { QUEUE_NAMES } from '../../../shared/queues/queues.ts';
import { backlogSeconds } from '../../../shared/storage/due-work/overdue-work.ts';
import { defineCommand } from '../command.ts';
import { env, environmentsOf, nameList, optionalEnv, wholeNumber } from '../options.ts';

const queue = z
  .enum(QUEUE_NAMES, `must be ${QUEUE_NAMES.join(' or ')}`)
  .meta({ description: QUEUE_NAMES.join(' or ') });
const SIDES = ['dlq', 'queue'] as const;
const from = z.enum(SIDES, 'must be dlq or queue').default('dlq').meta({ description: 'dlq (default) or queue' });

const side = ({ url, deadLetterUrl }: QueuePair, chosen: (typeof SIDES)[number]) =>
  chosen === 'dlq' ? deadLetterUrl : url;

const queueList = defineCommand({
  name: 'queue list',
  summary: 'Show the number of messages in each queue and its dead-letter queue',
  options: z.object({
    env: optionalEnv,
    queue: queue.optional().meta({ description: `${QUEUE_NAMES.join(' or ')}; all when absent` }),
  }),
  run: async (target, { env: chosen, queue: only }) => {
    const wanted = environmentsOf(chosen).flatMap((each) =>
      QUEUE_NAMES.filter((name) => !only || name === only).map((name) => ({ each, name })),
    );
    const items = await Promise.all(
      wanted.map(async ({ each, name }) => {
        const pair = await target.queue(each, name);
        const [depth, dead, oldestDueSeconds] = await Promise.all([
          depthOf(target.sqs, pair.url),
          depthOf(target.sqs, pair.deadLetterUrl),
          backlogSeconds(target.tables[each], name, Date.now()),
        ]);
        return { env: each, queue: name, ...depth, deadLetters: dead.waiting + dead.inFlight, oldestDueSeconds };
      }),
    );
    return {
      data: { items },
      note: 'oldestDueSeconds: how long the oldest work item of the queue has been due in the table.',
    };
  },
});

const queuePeek = defineCommand({
  name: 'queue peek',
  summary: 'Show messages without consuming them; each peek counts as a receive',
  options: z.object({
    env,
    queue,
    from,
    max: wholeNumber(1, 'maximum number, 1 to 10 (default 10)').pipe(z.int().max(10)).default(10),
  }),
  run: async (target, { env: chosen, queue: name, from: where, max }) => ({
    data: { items: await peek(target.sqs, side(await target.queue(chosen, name), where), max) },
  }),
});

const queueRedrive = defineCommand({
  name: 'queue redrive',
  summary: 'Move the dead letters back to their queue; consumers are idempotent',
  options: z.object({
    env,
    queue,
    ids: nameList('ids of dead letters, as `queue peek` shows them, separated by commas; all when absent')
      .pipe(z.array(z.string()).max(10, 'must be ten at most'))
      .optional(),
  }),
  run: async (target, { env: chosen, queue: name, ids }) => {
    const pair = await target.queue(chosen, name);
    if (ids) {
      const moved = await redriveChosen(target.sqs, pair, ids);
      return { data: { env: chosen, queue: name, moved: moved.length } };
    }
    if (target.supportsMoveTasks)
      return { data: { env: chosen, queue: name, taskHandle: await startRedrive(target.sqs, pair) } };
    return { data: { env: chosen, queue: name, moved: await redriveManually(target.sqs, pair) } };
  },
});

const queuePurge = defineCommand({
  name: 'queue purge',
  summary:
    'Delete the dead letters, or the messages of a queue; due work items stay in the table and are enqueued again',
  options: z.object({ env, queue, from }),
  run: async (target, { env: chosen, queue: name, from: where }) => {
    const url = side(await target.queue(chosen, name), where);
    const { waiting, inFlight, delayed } = await depthOf(target.sqs, url);
    await purge(target.sqs, url);
    return { data: { env: chosen, queue: name, from: where, purged: waiting + inFlight + delayed } };
  },
});

/** Queues and their dead letters. */
export const QUEUE_COMMANDS = [queueList, queuePeek, queueRedrive, queuePurge];
