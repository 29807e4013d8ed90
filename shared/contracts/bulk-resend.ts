import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { BatchAccepted, MAX_MESSAGES } from './batch.ts';
import { coins, dateTime, inOrder, optionalBoundedText, optionalFlag } from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';
import { ResendMessage } from './resend-message.ts';

const Items = z
  .array(
    z.strictObject({
      id: idSchema('message', 'The message to resend.'),
      correction: ResendMessage.optional(),
    }),
  )
  .min(1)
  .max(MAX_MESSAGES)
  .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, 'must name each message once')
  .meta({ description: `Messages by id: 1 to ${MAX_MESSAGES}, each with its own correction.` });

const Filter = inOrder(
  z.strictObject({
    status: z
      .enum(['queued', 'failed'])
      .optional()
      .meta({ description: 'Only messages of this status; both when absent.' }),
    campaignId: optionalBoundedText(128, 'Only messages with this campaign tag.'),
    batchId: idSchema('batch', 'Only messages of this bulk send.').optional(),
    channel: z.enum(CHANNELS).optional().meta({ description: 'Only messages of this channel.' }),
    errorCode: optionalBoundedText(64, 'Only messages that failed for this reason.', 'invalid_recipient'),
    from: dateTime('Only messages created at or after this time.'),
    to: dateTime('Only messages created at or before this time.'),
  }),
).meta({
  description: `Selects queued and failed messages that were not replaced: the oldest ${MAX_MESSAGES}. A resent message no longer matches, so the same call continues with the rest.`,
});

const Body = z
  .strictObject({
    items: Items.optional(),
    filter: Filter.optional(),
    correction: ResendMessage.optional(),
    dryRun: optionalFlag(
      'With `filter` only. True: nothing is sent or charged; the response shows what would be sent, and its price.',
    ),
  })
  .superRefine(({ items, filter, correction, dryRun }, { addIssue }) => {
    const wrong = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message });
    if ((items === undefined) === (filter === undefined))
      wrong('items', 'must be given, or filter: exactly one of the two');
    if (filter !== undefined) return;
    if (correction !== undefined) wrong('correction', 'goes with filter: each of items has its own');
    if (dryRun !== undefined) wrong('dryRun', 'goes with filter only');
  })
  .meta({
    id: 'BulkResend',
    description:
      'Either `items`, messages by id with their own corrections, or a `filter` with one `correction` for all.',
  });

const Answer = BatchAccepted.extend({
  price: z
    .object({ coins: coins('What it would cost.') })
    .optional()
    .meta({ description: 'With dryRun only.' }),
}).meta({ id: 'BulkResent', description: 'The result of a bulk resend.' });

export const bulkResend = defineOperation({
  id: 'bulk.resend',
  route: 'POST /v1/messages/bulk-resend',
  tag: 'All channels',
  summary: 'Correct and resend queued or failed messages',
  description:
    'Each message is resent as it would be alone: the original is archived and refers to the new one, which is billed like any other; the hold of a queued original is released. Messages that cannot be resent are listed in `errors`; the others are resent. A repeat sends nothing twice, since an archived original cannot be resent. With an Idempotency-Key the same request again has the first batch and the messages that it selected: what was not resent yet is resent now, and the rest is not sent again; another body under the key is 409. Without pii:full, at most 60 dry runs a minute may show that a new address is refused; then 429.',
  permission: 'messages:manage',
  idempotency: 'optional',
  rate: 'bulk_send',
  body: Body,
  responses: { 202: Answer },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['send', 'events'], rootKeys: SENDING_KEYS, liveVolume: true },
  memoryMb: 1769,
  timeoutSeconds: 28,
});
