import * as z from 'zod';
import { DISPATCH_STATUSES } from '../domain/channels/push/dispatch.ts';
import { PUSH_ORIGINS, PUSH_STATUSES, RATE_KINDS } from '../domain/channels/push/message.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { coins, dateTime, limit, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { pushPlatform } from './push-devices.ts';
import {
  actions,
  audience,
  count,
  imageUrl,
  ONE_AUDIENCE,
  oneAudience,
  PushMessage,
  platforms,
  SendPush,
  SentPush,
  silent,
} from './push-shapes.ts';

const TAG = 'Push';
const messageParams = z.object({ id: pathId('message', 'The id of the push message.') });
const ownErrors = ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'] as const;
const cursor = z.string().max(2048).optional().meta({ description: "The previous page's nextCursor." });
const nextCursor = z
  .string()
  .optional()
  .meta({ description: 'Pass it as cursor for the next page; absent at the end.' });

export const sendPush = defineOperation({
  id: 'push.send',
  method: 'POST',
  path: '/v2/push/messages',
  tag: TAG,
  summary: 'Send a push message to an audience',
  description:
    'Answers once every device is queued, not when the push services accept: read it by its id to follow it. The price of all devices is held; each is charged when its push service accepts it, and what fails is given back. When the last device is resolved one event is raised for the whole message, message.sent or message.failed, with the counts in its data. A test key reaches only sandbox devices. An audience without devices is accepted and reaches none. A request that takes too long answers 503: the same request with the same Idempotency-Key goes on where it stopped, and no device is queued twice.',
  permission: 'push:send',
  idempotency: 'required',
  rate: 'single_send',
  request: { body: SendPush },
  responses: { 201: SentPush },
  errors: [...ownErrors, 'PAYMENT_REQUIRED', 'CONFLICT', 'VALIDATION_ERROR', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  uses: { table: 'write', queues: ['push', 'events'] },
  memoryMb: 1769,
  timeoutSeconds: 28,
});

/** A repeatable query parameter. Sorted and without duplicates, so that a cursor is valid however the values are written. */
const repeatable = <const V extends readonly [string, ...string[]]>(values: V, description: string) =>
  z
    .union([z.array(z.enum(values)), z.enum(values)])
    .transform((given): V[number][] => values.filter((value) => [given].flat().includes(value)))
    .optional()
    .meta({ description });

export const listPush = defineOperation({
  id: 'push.list',
  method: 'GET',
  path: '/v2/push/messages',
  tag: TAG,
  summary: 'List push messages, newest first',
  description:
    'Pages by cursor. A page that is filtered may hold fewer messages than `limit`, or none, and still name a `nextCursor`: the list ends where `nextCursor` is absent.',
  permission: 'push:read',
  request: {
    query: z.strictObject({
      status: repeatable(PUSH_STATUSES, 'Only this status; repeat it for several.'),
      origin: repeatable(PUSH_ORIGINS, 'Only this origin; repeat it for several.'),
      from: dateTime('Only what was created at or after this moment.').optional(),
      to: dateTime('Only what was created at or before this moment.').optional(),
      limit: limit(50, 200),
      cursor,
    }),
  },
  responses: {
    200: z
      .object({ items: z.array(PushMessage).meta({ description: 'The messages of this page.' }), nextCursor })
      .meta({ id: 'PushMessagePage', description: 'A page of push messages.' }),
  },
  errors: [...ownErrors, 'VALIDATION_ERROR'],
  uses: { table: 'read', vault: true },
});

export const getPush = defineOperation({
  id: 'push.get',
  method: 'GET',
  path: '/v2/push/messages/{id}',
  tag: TAG,
  summary: 'Read a push message and where its devices stand',
  permission: 'push:read',
  request: { params: messageParams },
  responses: { 200: PushMessage },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read' },
});

const PushDispatch = z
  .object({
    dispatchId: idSchema('pushDispatch', 'What the app receives in the payload, and sends back when it is opened.'),
    tokenId: idSchema('pushToken'),
    platform: pushPlatform,
    status: z.enum(DISPATCH_STATUSES).meta({
      description: '`queued`, `delivered` once its push service accepted it, or `failed`.',
      example: 'delivered',
    }),
    reason: z.string().optional().meta({ description: 'Why it failed.', example: 'unregistered' }),
    openedAt: dateTime('When it was first opened.').optional(),
  })
  .meta({ id: 'PushDispatch', description: 'One device of a push message.' });

export const listPushDispatches = defineOperation({
  id: 'push.list-dispatches',
  method: 'GET',
  path: '/v2/push/messages/{id}/dispatches',
  tag: TAG,
  summary: 'List the devices of a push message',
  description: 'They are kept for 180 days; the counts of the message stay.',
  permission: 'push:read',
  request: { params: messageParams, query: z.strictObject({ limit: limit(50, 200), cursor }) },
  responses: {
    200: z
      .object({ items: z.array(PushDispatch).meta({ description: 'The devices of this page.' }), nextCursor })
      .meta({ id: 'PushDispatchPage', description: 'A page of the devices of a push message.' }),
  },
  errors: [...ownErrors, 'NOT_FOUND'],
  uses: { table: 'read', vault: true },
});

export const previewPush = defineOperation({
  id: 'push.preview',
  method: 'POST',
  path: '/v2/push/preview',
  tag: TAG,
  summary: 'Count and price an audience without sending',
  permission: 'push:read',
  request: {
    body: z
      .strictObject({
        platforms,
        ...audience,
        imageUrl: imageUrl.optional(),
        actions: actions.optional(),
        silent: silent.optional(),
      })
      .refine(oneAudience, ONE_AUDIENCE)
      .meta({ id: 'PreviewPush', description: 'What would be sent, as far as its price goes.' }),
  },
  responses: {
    200: z
      .object({
        reach: count('How many devices it would reach now.'),
        rateKind: z.enum(RATE_KINDS).meta({ description: 'Which price each device has.', example: 'simple' }),
        price: z
          .object({ coins: coins('The price of all devices.'), coinsEach: coins('The price of one device.') })
          .meta({ description: 'What it would cost.' }),
        charged: z.boolean().meta({
          description: 'False where the installation has no wallet and the send would go out without debit.',
          example: true,
        }),
      })
      .meta({ id: 'PushPreview', description: 'What a push message would reach and cost.' }),
  },
  errors: ownErrors,
  uses: { table: 'read' },
});

export const openPush = defineOperation({
  id: 'push.open-dispatch',
  method: 'POST',
  path: '/v2/push/dispatches/{id}/opened',
  tag: TAG,
  summary: 'Tell that a notification was opened',
  description:
    'Call it when the person taps the notification. Only the first open counts; a repeat answers `counted: false`, and so does one of a device that the notification did not reach: it failed, or has not left yet. It does not affect billing.',
  permission: 'push:send',
  request: { params: z.object({ id: pathId('pushDispatch', 'The dispatch id of the notification’s payload.') }) },
  responses: {
    200: z
      .object({
        dispatchId: idSchema('pushDispatch'),
        counted: z
          .boolean()
          .meta({ description: 'Whether this was the first open of what was delivered.', example: true }),
      })
      .meta({ id: 'PushOpened', description: 'Whether the open was counted.' }),
  },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'write' },
});
