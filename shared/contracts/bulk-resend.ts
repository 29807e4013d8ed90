import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { BatchAccepted, MAX_MESSAGES } from './bulk.ts';
import { coins, dateTime } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { ResendMessage } from './message-shapes.ts';

const Items = z
  .array(
    z.strictObject({
      id: idSchema('message', 'The message to send anew.'),
      correction: ResendMessage.optional(),
    }),
  )
  .min(1)
  .max(MAX_MESSAGES)
  .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, 'must name each message once')
  .meta({ description: `Messages by their ids: 1 to ${MAX_MESSAGES}, each with its correction.` });

const Filter = z
  .strictObject({
    status: z.enum(['queued', 'failed']).optional().meta({ description: 'Only these; both when absent.' }),
    campaignId: z.string().min(1).max(128).optional().meta({ description: 'Only this campaign tag.' }),
    batchId: idSchema('batch', 'Only this bulk send.').optional(),
    channel: z.enum(CHANNELS).optional().meta({ description: 'Only this channel.' }),
    errorCode: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Only what failed for this reason.', example: 'invalid_recipient' }),
    from: dateTime('What was created at or after this moment.'),
    to: dateTime('What was created at or before this moment.'),
  })
  .meta({
    description: `Messages by what they have in common, queued and failed ones that nobody replaced: the oldest ${MAX_MESSAGES}. What is sent anew no longer matches, so the same call goes on with the rest.`,
  });

const Body = z
  .strictObject({
    items: Items.optional(),
    filter: Filter.optional(),
    correction: ResendMessage.optional(),
    dryRun: z.boolean().optional().meta({
      description:
        'With `filter` only. True: nothing is sent or charged; the answer tells what would be, and its price.',
    }),
  })
  .superRefine(({ items, filter, correction, dryRun }, { addIssue }) => {
    const wrong = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message });
    if ((items === undefined) === (filter === undefined)) wrong('items', 'must be given, or filter: one of both');
    if (filter !== undefined) return;
    if (correction !== undefined) wrong('correction', 'goes with filter: each of items has its own');
    if (dryRun !== undefined) wrong('dryRun', 'goes with filter only');
  })
  .meta({
    id: 'BulkResend',
    description:
      'Messages by their ids in `items`, each with its own correction, or those that a `filter` finds, with one `correction` for all: one of both.',
  });

const Answer = BatchAccepted.extend({
  price: z
    .object({ coins: coins('What it would cost.') })
    .optional()
    .meta({ description: 'With dryRun only.' }),
}).meta({ id: 'BulkResent', description: 'What became of a batch of resends.' });

export const bulkResend = defineOperation({
  id: 'bulk.resend',
  method: 'POST',
  path: '/v1/messages/bulk-resend',
  tag: 'Overview',
  summary: 'Correct queued or failed messages and send them anew',
  description:
    'Each message is sent anew as it would be alone: the original is archived and points at the new one, which is billed as any other; what a queued original held comes back. What cannot be sent anew is named in `errors`, and the others go on. A repeat sends nothing twice, since an archived original is no longer sent anew.',
  permission: 'messages:send',
  idempotency: 'optional',
  rate: 'bulk_send',
  request: { body: Body },
  responses: { 202: Answer },
  errors: [
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'PAYLOAD_TOO_LARGE',
    'VALIDATION_ERROR',
    'RATE_LIMITED',
    'SERVICE_UNAVAILABLE',
  ],
  uses: { table: 'write', queues: ['send', 'events'], vault: true, liveVolume: true },
  memoryMb: 1769,
  timeoutSeconds: 28,
});
