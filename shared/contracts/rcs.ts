import * as z from 'zod';
import { RCS_CARRIERS, RCS_STATUSES } from '../domain/channels/rcs/content.ts';
import { content, rcsFields, route } from '../domain/channels/rcs/request.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { dateTime, environment, limit, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { billing, campaignId, replayed, SYNCHRONOUS_SEND } from './sends.ts';

const messageFields = {
  id: idSchema('message'),
  to: z.string().meta({ description: 'The recipient in E.164; masked without pii:full.', example: '+55119****0005' }),
  content,
  route,
  status: z.enum(RCS_STATUSES).meta({ description: 'Where the message stands.', example: 'sent' }),
  channel: z.enum(RCS_CARRIERS).optional().meta({
    description:
      'What carried it: RCS, or the SMS of its fallback. Absent until the provider tells: absent never means rcs.',
    example: 'rcs',
  }),
  env: environment,
  contactId: idSchema('contact', 'The contact that the send named.').optional(),
  campaignId: campaignId.optional(),
  metadata: metadataSchema.optional(),
  failureReason: z.string().optional().meta({ description: 'Why it failed.', example: 'invalid_number' }),
  sentAt: dateTime('When the provider accepted it.').optional(),
  deliveredAt: dateTime('When it reached the device.').optional(),
  readAt: dateTime('When it was read.').optional(),
  createdAt: dateTime('When the message was accepted by the service.'),
};

/** An RCS message in lists and reads: docs/spec/rcs.md#rcs-shape. */
export const RcsMessage = z
  .object(messageFields)
  .meta({ id: 'RcsMessage', description: 'An RCS message in its current state, its content as it left.' });

/** The response to a send: docs/spec/rcs.md#rcs-shape. */
export const SentRcs = z
  .object({
    ...messageFields,
    billing: billing('The price of the message, whatever its length.'),
    replayed,
  })
  .meta({ id: 'SentRcs', description: 'The accepted RCS message, with its price.' });

/** The body of a send: docs/spec/rcs.md#sending-rcs. */
export const SendRcs = z
  .strictObject({
    to: rcsFields.to,
    content,
    route,
    fallback: rcsFields.fallback,
    contactId: idSchema('contact', 'The contact it is for; its opt-out decides.').optional(),
    campaignId: campaignId.optional(),
    metadata: metadataSchema.optional(),
    trackLinks: rcsFields.trackLinks,
  })
  .meta({ id: 'SendRcs', description: 'An RCS message to send.' });

export const sendRcs = defineOperation({
  ...SYNCHRONOUS_SEND,
  id: 'rcs.send',
  path: '/v2/rcs/messages',
  tag: 'RCS',
  summary: 'Send an RCS message',
  description:
    'Synchronous: answers once the provider accepted or refused. Delivery arrives by webhook as rcs.delivered, rcs.read or rcs.failed, whose `data.channel` tells whether it left by RCS or by its SMS fallback. One price per message, however long its card. The same Idempotency-Key with the same body answers the first response with `replayed: true`; with another body, 409.',
  permission: 'rcs:send',
  request: { body: SendRcs },
  responses: { 201: SentRcs },
  uses: { table: 'write', queues: ['outcome', 'events'], vault: true, awsProviders: ['end_user_messaging'] },
});

export const listRcs = defineOperation({
  id: 'rcs.list',
  method: 'GET',
  path: '/v2/rcs/messages',
  tag: 'RCS',
  summary: 'List RCS messages, newest first',
  description:
    'Pages by cursor. A page that is filtered may hold fewer messages than `limit`, or none, and still name a `nextCursor`: the list ends where `nextCursor` is absent.',
  permission: 'rcs:read',
  request: {
    query: z.strictObject({
      status: z.enum(RCS_STATUSES).optional().meta({ description: 'Only this status.' }),
      channel: z.enum(RCS_CARRIERS).optional().meta({ description: 'Only what left by this channel.' }),
      campaignId: z.string().max(128).optional().meta({ description: 'Only this campaign tag.' }),
      limit: limit(50, 200),
      cursor: z.string().max(2048).optional().meta({ description: "The previous page's nextCursor." }),
    }),
  },
  responses: {
    200: z
      .object({
        items: z.array(RcsMessage).meta({ description: 'The messages of this page, newest first.' }),
        nextCursor: z
          .string()
          .optional()
          .meta({ description: 'Pass it as cursor for the next page; absent at the end.' }),
      })
      .meta({ id: 'RcsMessagePage', description: 'A page of RCS messages.' }),
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
  uses: { table: 'read', vault: true },
});

export const getRcs = defineOperation({
  id: 'rcs.get',
  method: 'GET',
  path: '/v2/rcs/messages/{id}',
  tag: 'RCS',
  summary: 'Read an RCS message',
  description: 'The current state only: polling shows the same data later than the webhook.',
  permission: 'rcs:read',
  request: { params: z.object({ id: pathId('message', 'The id of the RCS message.') }) },
  responses: { 200: RcsMessage },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read' },
});
