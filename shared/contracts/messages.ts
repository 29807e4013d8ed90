import * as z from 'zod';
import { looseId } from '../domain/core/id-schema.ts';
import { dateTime, paged, pageOf, pathId } from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';
import { Message, QueuedMessage, status, Timeline } from './message-shapes.ts';
import { ResendMessage } from './resend-message.ts';

const tag = 'Messages';
const params = z.object({ id: pathId('message', 'The id of the message.') });
const filterText = z.string().min(1).max(128);
const only = <T extends z.ZodString>(what: string, text: T) => text.optional().meta({ description: `Only ${what}.` });
const reads = { tag, permission: 'messages:read', uses: { table: 'read' } } as const;
const acts = { tag, permission: 'messages:send' } as const;
const manages = { ...acts, permission: 'messages:manage' } as const;

export const listMessages = defineOperation({
  ...reads,
  id: 'messages.list',
  route: 'GET /messages',
  // Its totals store counts of past hours and days, and have long lists counted in the background.
  uses: { table: 'write', queues: ['outcome'] },
  summary: 'List messages of all channels, sent and received, newest first',
  query: z.strictObject({
    status: status.optional(),
    numberId: only('messages sent from or received by this number', filterText),
    contactId: only('sends that named this contact, and what it wrote', looseId('contact', filterText)),
    campaignId: only('messages with this campaign tag', filterText),
    batchId: only('messages of this bulk send', looseId('batch', filterText)),
    sentByAccountId: only('messages sent by this operator from the dashboard', looseId('account', filterText)),
    from: dateTime('Only messages created at or after this time.').optional(),
    to: dateTime('Only messages created at or before this time.').optional(),
    ...paged(50, 200),
  }),
  answer: pageOf(Message, 'MessagePage', 'messages'),
});

export const getMessage = defineOperation({
  ...reads,
  id: 'messages.get',
  route: 'GET /messages/{id}',
  summary: 'Read a message of any channel',
  params,
  answer: Message,
});

export const getTimeline = defineOperation({
  ...reads,
  id: 'messages.timeline',
  route: 'GET /messages/{id}/timeline',
  summary: "Read a message's timeline",
  description:
    "Contact match, opt-out, window, price band, hold, route, providers' answers, receipts, fallbacks and webhooks, oldest first. Webhook deliveries are shown for 30 days, as long as they are kept.",
  params,
  answer: Timeline,
});

export const cancelMessage = defineOperation({
  ...manages,
  id: 'messages.cancel',
  route: 'POST /messages/{id}/cancel',
  summary: 'Cancel a queued message',
  description:
    'Its hold is released and the coins can be spent again at once; nothing is sent. A message of a scheduled bulk send can be cancelled too; the others of the batch stay queued. A message that is no longer queued is 409.',
  params,
  answer: Message,
  errors: ['CONFLICT'],
  uses: { table: 'write' },
});

export const forceMessage = defineOperation({
  ...acts,
  id: 'messages.force',
  route: 'POST /messages/{id}/force',
  summary: 'Send a queued message now',
  description:
    'It is sent at once, ignoring its schedule, quiet hours and rate limits. 409 for a message that is no longer queued, and for one of a batch that is not decided yet: no message of a batch is sent before the batch is accepted.',
  params,
  responses: { 202: Message },
  errors: ['CONFLICT'],
  uses: { table: 'write', queues: ['send'] },
});

export const resendMessage = defineOperation({
  ...manages,
  id: 'messages.resend',
  route: 'POST /messages/{id}/resend',
  summary: 'Correct and resend a queued or failed message',
  description:
    "The original is archived and refers to the new message, which is billed like any other; the hold of a queued original is released. The new message is sent at once, whatever the original's schedule was, and without fallbacks: those of a queued original end with it. Of concurrent resends one succeeds and the others are 409, and so is one of a message whose batch is not decided yet. With an Idempotency-Key, a repeat returns the first response with `replayed: true`.",
  idempotency: 'optional',
  rate: 'single_send',
  params,
  body: ResendMessage,
  responses: { 201: QueuedMessage },
  errors: ['PAYMENT_REQUIRED', 'CONFLICT', 'PRECONDITION_FAILED', 'VALIDATION_ERROR', 'DEPENDENCY_FAILED'],
  uses: { table: 'write', queues: ['send', 'events'], rootKeys: SENDING_KEYS, liveVolume: true },
  memoryMb: 1024,
});
