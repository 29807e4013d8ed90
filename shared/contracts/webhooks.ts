import * as z from 'zod';
import { EVENT_TYPES } from '../domain/events/catalogue.ts';
import { DELIVERY_STATUSES, SUBSCRIPTION_STATUSES } from '../domain/webhooks/subscription.ts';
import { closedObject, dateTime, limit, openObject, paged, pageOf, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import {
  ChangeWebhook,
  CreateWebhook,
  Delivery,
  EventEnvelope,
  eventType,
  Webhook,
  WebhookWithSecret,
} from './webhook-shapes.ts';

const WRITE = ['CONFLICT', 'VALIDATION_ERROR'] as const;
const id = z.object({ id: pathId('webhook', 'The id of the subscription.') });
const deliveryPath = z.object({
  id: pathId('webhook', 'The id of the subscription.'),
  deliveryId: pathId('delivery', 'The id of the delivery.'),
});
const tag = 'Webhooks';
const reads = {
  permission: 'webhooks:read',
  tag,
  uses: { table: 'read', rootKeys: ['webhooks'] },
} as const;
const writes = {
  permission: 'webhooks:write',
  tag,
  uses: { table: 'write', queues: ['webhook'], rootKeys: ['webhooks'] },
} as const;

export const listWebhooks = defineOperation({
  ...reads,
  id: 'webhooks.list',
  route: 'GET /webhooks',
  summary: 'List subscriptions, newest first',
  query: z.strictObject({
    status: z.enum(SUBSCRIPTION_STATUSES).optional().meta({ description: 'Only subscriptions of this status.' }),
    event: z.enum(EVENT_TYPES).optional().meta({ description: 'Only subscriptions to this event type.' }),
    ...paged(50, 200),
  }),
  answer: pageOf(Webhook, 'WebhookPage', 'subscriptions'),
});

export const createWebhook = defineOperation({
  ...writes,
  id: 'webhooks.create',
  route: 'POST /webhooks',
  summary: 'Subscribe a URL to events',
  description:
    'The URL is first sent a signed `webhook.validation` event and must answer 200 within 5 s. The secret is shown in this response only. 409 when the organization has 1,000 subscriptions that are not revoked.',
  body: CreateWebhook,
  responses: { 201: WebhookWithSecret },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const getWebhook = defineOperation({
  ...reads,
  id: 'webhooks.get',
  route: 'GET /webhooks/{id}',
  summary: 'Read a subscription',
  params: id,
  answer: Webhook,
});

export const changeWebhook = defineOperation({
  ...writes,
  id: 'webhooks.change',
  route: 'PATCH /webhooks/{id}',
  summary: 'Change, pause or resume a subscription',
  params: id,
  body: ChangeWebhook,
  answer: Webhook,
  errors: WRITE,
});

export const deleteWebhook = defineOperation({
  ...writes,
  id: 'webhooks.delete',
  route: 'DELETE /webhooks/{id}',
  summary: 'Revoke a subscription',
  description: 'Nothing more is delivered. It can be read for 30 days, and so can its deliveries and events.',
  params: id,
  responses: { 204: null },
});

export const rotateWebhookSecret = defineOperation({
  ...writes,
  id: 'webhooks.rotate-secret',
  route: 'POST /webhooks/{id}/rotate-secret',
  summary: "Rotate a subscription's secret",
  description: 'Until the overlap ends, deliveries are signed with both secrets.',
  params: id,
  body: closedObject('RotateWebhookSecret', 'The overlap of a rotation.', {
    overlapHours: z
      .int()
      .min(0)
      .max(720)
      .default(24)
      .meta({ description: 'For how many hours deliveries are also signed with the old secret.', example: 24 }),
  }),
  answer: WebhookWithSecret,
  errors: WRITE,
});

export const testWebhook = defineOperation({
  ...writes,
  id: 'webhooks.test',
  route: 'POST /webhooks/{id}/test',
  summary: 'Send a test event',
  description: 'Sends the example of an event type at once. It has no sequence number.',
  params: id,
  body: closedObject('TestWebhook', 'The event type to send.', { event: eventType }),
  responses: { 202: Delivery },
  errors: WRITE,
});

export const listDeliveries = defineOperation({
  ...reads,
  id: 'webhooks.list-deliveries',
  route: 'GET /webhooks/{id}/deliveries',
  summary: 'List deliveries, newest first',
  params: id,
  query: z.strictObject({
    status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Only deliveries of this status.' }),
    ...paged(50, 200),
  }),
  answer: pageOf(Delivery, 'WebhookDeliveryPage', 'deliveries'),
});

export const getDelivery = defineOperation({
  ...reads,
  id: 'webhooks.get-delivery',
  route: 'GET /webhooks/{id}/deliveries/{deliveryId}',
  summary: 'Read a delivery with its attempts',
  params: deliveryPath,
  answer: Delivery,
});

export const replayDelivery = defineOperation({
  ...writes,
  permission: 'webhooks:replay',
  id: 'webhooks.replay-delivery',
  route: 'POST /webhooks/{id}/deliveries/{deliveryId}/replay',
  summary: 'Deliver an event again',
  description: 'With the same event id and sequence: a receiver that deduplicates by webhook-id processes it once.',
  params: deliveryPath,
  responses: { 202: Delivery },
  errors: ['CONFLICT'],
});

export const replayWebhook = defineOperation({
  ...writes,
  permission: 'webhooks:replay',
  id: 'webhooks.replay',
  route: 'POST /webhooks/{id}/replay',
  summary: 'Deliver the events of a time range again',
  description:
    'Oldest first, each with its event id and sequence. 422 for more than 10,000 deliveries: narrow the range.',
  params: id,
  body: closedObject('ReplayWebhook', 'The deliveries to replay.', {
    from: dateTime('The start of the range.'),
    to: dateTime('The end of the range.'),
    status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Only deliveries of this status.' }),
  }),
  responses: {
    202: openObject('ReplayResult', 'The number of deliveries to replay.', {
      replayed: z.int().meta({ description: 'How many deliveries will be replayed.', example: 12 }),
    }),
  },
  errors: WRITE,
});

export const listWebhookEvents = defineOperation({
  ...reads,
  id: 'webhooks.list-events',
  route: 'GET /webhooks/{id}/events',
  summary: 'Pull the events of a subscription by sequence',
  description:
    'In order and without gaps: a receiver that requests the events after its last sequence number can be sure that it missed none. Events are kept for 30 days: a request for older ones returns from the oldest that is kept.',
  params: id,
  query: z.strictObject({
    after: z
      .string()
      .regex(/^\d{1,12}$/, 'must be a sequence number')
      .transform(Number)
      .default(0)
      .meta({ description: 'The last sequence number that the caller has; 0 for the beginning.', example: '0' }),
    limit: limit(50, 200),
  }),
  answer: openObject('EventFeed', 'A page of the feed.', {
    items: z.array(EventEnvelope).meta({ description: 'Events, oldest first.' }),
    lastSequence: z.int().meta({ description: 'The last sequence number assigned so far.', example: 12 }),
  }),
});
