import * as z from 'zod';
import { looseId } from '../domain/core/id-schema.ts';
import { dateTime, limit, pageOf, pathId, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { Message, QueuedMessage, ResendMessage, status, Timeline } from './message-shapes.ts';

const tag = 'Messages';
const params = z.object({ id: pathId('message', 'The id of the message.') });
const filterText = z.string().min(1).max(128);
const only = <T extends z.ZodString>(what: string, text: T) => text.optional().meta({ description: `Only ${what}.` });
const reads = { tag, permission: 'messages:read', method: 'GET', uses: { table: 'read' } } as const;
const READ = ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'] as const;
const acts = { tag, permission: 'messages:send', method: 'POST' } as const;
const ACT = ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT'] as const;

export const listMessages = defineOperation({
  ...reads,
  id: 'messages.list',
  path: '/messages',
  summary: 'List messages of all channels, sent and received, newest first',
  request: {
    query: z.strictObject({
      status: status.optional(),
      numberId: only('what left from this number or came in to it', filterText),
      contactId: only('sends that named this contact, and what it wrote', looseId('contact', filterText)),
      campaignId: only('this campaign tag', filterText),
      batchId: only('this bulk send', looseId('batch', filterText)),
      sentByAccountId: only('what this operator sent from the dashboard', looseId('account', filterText)),
      from: dateTime('Only what was created at or after this moment.').optional(),
      to: dateTime('Only what was created at or before this moment.').optional(),
      limit: limit(50, 200),
      skip,
    }),
  },
  responses: { 200: pageOf(Message, 'messages').meta({ id: 'MessagePage', description: 'A page of messages.' }) },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
});

export const getMessage = defineOperation({
  ...reads,
  id: 'messages.get',
  path: '/messages/{id}',
  summary: 'Read a message of any channel',
  request: { params },
  responses: { 200: Message },
  errors: READ,
});

export const getTimeline = defineOperation({
  ...reads,
  id: 'messages.timeline',
  path: '/messages/{id}/timeline',
  summary: 'Read what was decided on a message, step by step',
  description:
    'Contact match, opt-out, window, price band, hold, route, what providers answered, receipts, fallbacks and webhooks, oldest first. Deliveries of webhooks are shown as long as they are kept: 30 days.',
  request: { params },
  responses: { 200: Timeline },
  errors: READ,
});

export const cancelMessage = defineOperation({
  ...acts,
  id: 'messages.cancel',
  path: '/messages/{id}/cancel',
  summary: 'Cancel a queued message',
  description:
    'Its hold is released, its coins can be spent again at once, and nothing is sent; of a scheduled bulk send too, whose other messages wait on. A message that is no longer queued answers 409.',
  request: { params },
  responses: { 200: Message },
  errors: ACT,
  uses: { table: 'write' },
});

export const forceMessage = defineOperation({
  ...acts,
  id: 'messages.force',
  path: '/messages/{id}/force',
  summary: 'Send a queued message now',
  description:
    'It leaves at once, past its schedule, quiet hours and rate buckets. A message that is no longer queued answers 409, and so does one of a strict batch that is still being decided: nothing of it leaves before the batch is accepted.',
  request: { params },
  responses: { 202: Message },
  errors: ACT,
  uses: { table: 'write', queues: ['send'] },
});

export const resendMessage = defineOperation({
  ...acts,
  id: 'messages.resend',
  path: '/messages/{id}/resend',
  summary: 'Correct a queued or failed message and send it anew',
  description:
    'The original is archived and points at the new message, which is billed as any other; what a queued original held comes back. The new message leaves at once, whatever moment the original was scheduled for, and alone: the fallbacks of a queued original end with it. Of resends at the same time one is taken and the others answer 409, and so does one of a message whose strict batch is still being decided. With an Idempotency-Key, a repeat answers the first response with `replayed: true`.',
  idempotency: 'optional',
  rate: 'single_send',
  request: { params, body: ResendMessage },
  responses: { 201: QueuedMessage },
  errors: [
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'PAYMENT_REQUIRED',
    'FORBIDDEN',
    'NOT_FOUND',
    'CONFLICT',
    'PRECONDITION_FAILED',
    'VALIDATION_ERROR',
    'RATE_LIMITED',
    'DEPENDENCY_FAILED',
    'SERVICE_UNAVAILABLE',
  ],
  uses: { table: 'write', queues: ['send', 'events'], vault: true, liveVolume: true },
  memoryMb: 1024,
});
