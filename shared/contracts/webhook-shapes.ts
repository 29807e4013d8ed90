import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { EVENT_TYPES } from '../domain/events/catalogue.ts';
import { DELIVERY_STATUSES, SUBSCRIPTION_STATUSES } from '../domain/webhooks/subscription.ts';
import { dateTime, environment } from './common.ts';

export const eventType = z.enum(EVENT_TYPES).meta({ description: 'A kind of event.', example: 'sms.delivered' });
const url = z
  .string()
  .max(2048)
  .meta({ description: 'Where events are posted: https.', example: 'https://loja.example/webhooks' });
const description = z.string().max(500).meta({ description: 'In words, for people.', example: 'Order status' });
const headers = z
  .array(
    z.strictObject({
      key: z.string().min(1).max(128).meta({ description: 'The name of the header.', example: 'x-tenant' }),
      value: z.string().max(1024).meta({ description: 'Its value.', example: 'loja-1' }),
    }),
  )
  .max(20)
  .meta({ description: 'Headers sent with each delivery, besides our own; reserved names are refused.' });
const retry = z
  .strictObject({
    maxAttempts: z.int().min(1).max(20).meta({ description: 'Attempts of one event in all.', example: 8 }),
    backoffSeconds: z
      .int()
      .min(5)
      .max(3600)
      .meta({ description: 'The first wait; later ones grow from it.', example: 30 }),
  })
  .meta({ id: 'WebhookRetry', description: 'How failed deliveries are tried again, until 24 hours have passed.' });

const subscriptionFields = {
  id: idSchema('webhook'),
  organizationId: idSchema('organization'),
  url,
  secretCipher: z.string().meta({ description: 'The signing secret, encrypted; its plaintext is shown once.' }),
  secretVersion: z.int().meta({ description: 'Which secret signs; it grows with each rotation.', example: 1 }),
  headers: headers.optional(),
  events: z.array(eventType).meta({ description: 'The kinds of events that are delivered.' }),
  status: z
    .enum(SUBSCRIPTION_STATUSES)
    .meta({ description: '`failing` is still tried; `revoked` never again.', example: 'active' }),
  description: description.optional(),
  retry,
  createdById: idSchema('account', 'Who made it; a key stands for an account of its own.'),
  consecutiveFailures: z.int().optional().meta({ description: 'Failed events since the last success.', example: 0 }),
  lastSuccessAt: dateTime('When an endpoint last answered 2xx.').optional(),
  lastFailureAt: dateTime('When a delivery last failed.').optional(),
  createdAt: dateTime('When it was made.'),
  updatedAt: dateTime('When it last changed.'),
};
/** docs/spec/webhooks.md#subscription-shape. */
export const Webhook = z
  .object(subscriptionFields)
  .meta({ id: 'Webhook', description: 'A subscription of an address to events.' });
const secret = z
  .string()
  .meta({ description: 'The signing secret, this once.', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
export const WebhookWithSecret = z
  .object({ ...subscriptionFields, secret })
  .meta({ id: 'WebhookWithSecret', description: 'A subscription with its new secret.' });

const events = z
  .array(eventType)
  .min(1)
  .max(EVENT_TYPES.length)
  .meta({ description: 'The kinds of events to deliver.' });
export const CreateWebhook = z
  .strictObject({
    url,
    events,
    description: description.optional(),
    headers: headers.optional(),
    retry: retry.optional(),
  })
  .meta({
    id: 'CreateWebhook',
    description: 'A subscription to make. The address must answer 200 to a signed webhook.validation event.',
  });
export const ChangeWebhook = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    description: description.nullable().optional(),
    headers: headers.nullable().optional(),
    retry: retry.optional(),
    status: z
      .enum(['active', 'paused'])
      .optional()
      .meta({ description: 'Pause or resume; a paused backlog is sent on resume.' }),
  })
  .meta({ id: 'ChangeWebhook', description: 'What to change; a new url is validated again.' });

const attempt = z
  .object({
    at: dateTime('When the attempt began.'),
    status: z.int().optional().meta({ description: 'The HTTP status of the answer.', example: 200 }),
    durationMs: z.number().meta({ description: 'How long it took, in ms.', example: 41 }),
    requestHeaders: z.record(z.string(), z.string()).optional().meta({ description: 'What was sent.' }),
    requestBody: z
      .string()
      .optional()
      .meta({ description: 'The exact body that was signed; without pii:full recipients are masked in it.' }),
    responseHeaders: z.record(z.string(), z.string()).optional().meta({ description: 'What was answered.' }),
    responseBody: z.string().optional().meta({ description: 'The answer, cut at 16 KB.' }),
    error: z.string().optional().meta({ description: 'Why there is no answer.' }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One attempt of a delivery; kept for 30 days.' });
const delivery = {
  id: idSchema('delivery'),
  eventId: idSchema('event'),
  type: z.string().meta({ description: 'The kind of the event.', example: 'sms.delivered' }),
  sequence: z.int().optional().meta({
    description: "The event's place in the subscription, from 1 without gaps; absent on validation and test events.",
    example: 1,
  }),
  status: z
    .enum(DELIVERY_STATUSES)
    .meta({ description: '`failed` is tried again at nextAttemptAt; `abandoned` never again.', example: 'delivered' }),
  attempts: z
    .array(attempt)
    .meta({ description: 'Every attempt, oldest first; headers and bodies only when one delivery is read.' }),
  nextAttemptAt: dateTime('When it is tried next.').optional(),
  createdAt: dateTime('When the event was fanned out.'),
};
export const Delivery = z
  .object(delivery)
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to one subscription.' });

/** The body of every delivery, and an item of the event feed: docs/spec/webhooks.md#envelope. */
export const EventEnvelope = z
  .object({
    id: idSchema('event'),
    type: z.string().meta({ description: 'The kind of the event.', example: 'sms.delivered' }),
    timestamp: dateTime('When it happened.'),
    env: environment,
    organizationId: idSchema('organization'),
    sequence: z.int().optional().meta({ description: 'From 1, per subscription, without gaps.', example: 1 }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'What happened; its fields depend on the type.' }),
  })
  .meta({ id: 'EventEnvelope', description: 'An event as it is delivered.' });
