import * as z from 'zod';
import { DISPATCH_STATUSES } from '../domain/channels/push/dispatch.ts';
import { PUSH_ORIGINS, PUSH_STATUSES, RATE_KINDS } from '../domain/channels/push/message.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { byCursor, coins, cursorPageOf, dateTime, flag, openObject, optionalText, part, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { pushPlatform } from './push-platform.ts';
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

const writes = { tag: TAG, permission: 'push:send', uses: { table: 'write' } } as const;

const reads = { tag: TAG, permission: 'push:read', uses: { table: 'read' } } as const;

export const sendPush = defineOperation({
  ...writes,
  id: 'push.send',
  route: 'POST /v2/push/messages',
  summary: 'Send a push message to an audience',
  description:
    'Responds once every device is queued, not when the push services accept: read the message by its id to follow it. The price of all devices is held; each is charged when its push service accepts it, and the price of failed ones is released. When the last device is resolved, one event is raised for the whole message, message.sent or message.failed, with the counts in its data. A test key reaches only sandbox devices. An audience without devices is accepted and reaches none. A request that takes too long is 503: the same request with the same Idempotency-Key continues where it stopped, and no device is queued twice.',
  idempotency: 'required',
  rate: 'single_send',
  body: SendPush,
  responses: { 201: SentPush },
  errors: ['PAYMENT_REQUIRED', 'CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['send', 'events'] },
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
  ...reads,
  id: 'push.list',
  route: 'GET /v2/push/messages',
  summary: 'List push messages, newest first',
  description:
    'Pages by cursor. A filtered page may have fewer messages than `limit`, or none, and still a `nextCursor`: the list ends where `nextCursor` is absent.',
  query: z.strictObject({
    status: repeatable(PUSH_STATUSES, 'Only messages of this status; repeat it for several.'),
    origin: repeatable(PUSH_ORIGINS, 'Only messages of this origin; repeat it for several.'),
    from: dateTime('Only messages created at or after this time.').optional(),
    to: dateTime('Only messages created at or before this time.').optional(),
    ...byCursor(50, 200),
  }),
  answer: cursorPageOf(PushMessage, 'PushMessagePage', 'push messages', 'messages', ''),
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const getPush = defineOperation({
  ...reads,
  id: 'push.get',
  route: 'GET /v2/push/messages/{id}',
  summary: 'Read a push message and the results of its devices',
  params: messageParams,
  answer: PushMessage,
});

const PushDispatch = openObject('PushDispatch', 'One device of a push message.', {
  dispatchId: idSchema(
    'pushDispatch',
    'The id that the app receives in the payload, and returns when the notification is opened.',
  ),
  tokenId: idSchema('pushToken'),
  platform: pushPlatform,
  status: z.enum(DISPATCH_STATUSES).meta({
    description: '`queued`, `delivered` once its push service accepted it, or `failed`.',
    example: 'delivered',
  }),
  reason: optionalText('Why it failed.', 'unregistered'),
  openedAt: dateTime('When it was first opened.').optional(),
});

export const listPushDispatches = defineOperation({
  ...reads,
  id: 'push.list-dispatches',
  route: 'GET /v2/push/messages/{id}/dispatches',
  summary: 'List the devices of a push message',
  description: 'They are kept for 180 days; the counts of the message stay.',
  params: messageParams,
  query: z.strictObject({ ...byCursor(50, 200) }),
  answer: cursorPageOf(PushDispatch, 'PushDispatchPage', 'the devices of a push message', 'devices', ''),
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const previewPush = defineOperation({
  ...reads,
  id: 'push.preview',
  route: 'POST /v2/push/preview',
  summary: 'Count and price an audience without sending',
  body: z
    .strictObject({
      platforms,
      ...audience,
      imageUrl: imageUrl.optional(),
      actions: actions.optional(),
      silent: silent.optional(),
    })
    .refine(oneAudience, ONE_AUDIENCE)
    .meta({ id: 'PreviewPush', description: 'The parts of a push message that determine its price.' }),
  answer: openObject('PushPreview', 'The reach and price of a push message.', {
    reach: count('How many devices it would reach now.'),
    rateKind: z.enum(RATE_KINDS).meta({ description: 'The kind of its price per device.', example: 'simple' }),
    price: part('What it would cost.', {
      coins: coins('The price of all devices.'),
      coinsEach: coins('The price of one device.'),
    }),
    charged: flag('False when the installation has no wallet and the send would not be charged.', true),
  }),
});

export const openPush = defineOperation({
  ...writes,
  id: 'push.open-dispatch',
  route: 'POST /v2/push/dispatches/{id}/opened',
  summary: 'Report that a notification was opened',
  description:
    'Call it when the person taps the notification. Only the first open counts; a repeat returns `counted: false`, and so does one for a device that the notification did not reach: it failed, or is not sent yet. It does not affect billing.',
  params: z.object({ id: pathId('pushDispatch', 'The dispatch id of the notification’s payload.') }),
  answer: openObject('PushOpened', 'Whether the open was counted.', {
    dispatchId: idSchema('pushDispatch'),
    counted: flag('Whether this was the first open of a delivered notification.', true),
  }),
  uses: { table: 'write', queues: ['send'] },
});
