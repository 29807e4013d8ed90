import * as z from 'zod';
import { RCS_CARRIERS, RCS_STATUSES } from '../domain/channels/rcs/content.ts';
import { content, rcsFields, route } from '../domain/channels/rcs/request.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  byCursor,
  closedObject,
  cursorPageOf,
  dateTime,
  environment,
  openObject,
  optionalText,
  pathId,
  text,
} from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';
import { billing, messageLabels, replayed, SYNCHRONOUS_SEND, sendLabels } from './sends.ts';

const messageFields = {
  id: idSchema('message'),
  to: text('The recipient in E.164; masked without pii:full.', '+55119****0005'),
  content,
  route,
  status: z.enum(RCS_STATUSES).meta({ description: 'The status of the message.', example: 'sent' }),
  channel: z.enum(RCS_CARRIERS).optional().meta({
    description: 'The channel that carried it: RCS, or the SMS of its fallback. Absent until the provider reports it.',
    example: 'rcs',
  }),
  env: environment,
  ...messageLabels,
  failureReason: optionalText('Why it failed.', 'invalid_number'),
  sentAt: dateTime('When the provider accepted it.').optional(),
  deliveredAt: dateTime('When it reached the device.').optional(),
  readAt: dateTime('When it was read.').optional(),
  createdAt: dateTime('When the message was accepted by the service.'),
};

/** An RCS message in lists and reads: docs/spec/rcs.md#rcs-shape. */
export const RcsMessage = openObject(
  'RcsMessage',
  'An RCS message in its current state, its content as it was sent.',
  messageFields,
);

/** The response to a send: docs/spec/rcs.md#rcs-shape. */
export const SentRcs = openObject('SentRcs', 'The accepted RCS message, with its price.', {
  ...messageFields,
  billing: billing('The price of the message, whatever its length.'),
  replayed,
});

/** The body of a send: docs/spec/rcs.md#sending-rcs. */
export const SendRcs = closedObject('SendRcs', 'An RCS message to send.', {
  to: rcsFields.to,
  content,
  route,
  fallback: rcsFields.fallback,
  ...sendLabels,
  trackLinks: rcsFields.trackLinks,
});

export const sendRcs = defineOperation({
  ...SYNCHRONOUS_SEND,
  id: 'rcs.send',
  route: 'POST /v2/rcs/messages',
  tag: 'RCS',
  summary: 'Send an RCS message',
  description:
    'Synchronous: responds once the provider accepted or refused. Delivery arrives by webhook as rcs.delivered, rcs.read or rcs.failed, whose `data.channel` shows whether it was sent by RCS or by its SMS fallback. One price per message, however long its card. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.',
  permission: 'rcs:send',
  body: SendRcs,
  responses: { 201: SentRcs },
  uses: { table: 'write', queues: ['outcome', 'events'], rootKeys: SENDING_KEYS, awsProviders: ['end_user_messaging'] },
});

const reads = { tag: 'RCS', permission: 'rcs:read', uses: { table: 'read' } } as const;

export const listRcs = defineOperation({
  ...reads,
  id: 'rcs.list',
  route: 'GET /v2/rcs/messages',
  summary: 'List RCS messages, newest first',
  description:
    'Pages by cursor. A filtered page may have fewer messages than `limit`, or none, and still a `nextCursor`: the list ends where `nextCursor` is absent.',
  query: z.strictObject({
    status: z.enum(RCS_STATUSES).optional().meta({ description: 'Only messages of this status.' }),
    channel: z.enum(RCS_CARRIERS).optional().meta({ description: 'Only messages carried by this channel.' }),
    campaignId: z.string().max(128).optional().meta({ description: 'Only messages with this campaign tag.' }),
    ...byCursor(50, 200),
  }),
  answer: cursorPageOf(RcsMessage, 'RcsMessagePage', 'RCS messages', 'messages'),
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const getRcs = defineOperation({
  ...reads,
  id: 'rcs.get',
  route: 'GET /v2/rcs/messages/{id}',
  summary: 'Read an RCS message',
  description: 'The current state only: polling shows the same data as the webhook, but later.',
  params: z.object({ id: pathId('message', 'The id of the RCS message.') }),
  answer: RcsMessage,
});
