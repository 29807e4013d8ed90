import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { EVENT_TYPES } from '../domain/events/catalogue.ts';
import { DELIVERY_STATUSES, SUBSCRIPTION_STATUSES } from '../domain/webhooks/subscription.ts';
import { boundedText, closedObject, dateTime, environment, openObject, optionalText, text } from './common.ts';
import type { EventShape } from './event-message-data.ts';

export const eventType = z.enum(EVENT_TYPES).meta({ description: 'An event type.', example: 'sms.delivered' });
const url = z
  .string()
  .max(2048)
  .meta({ description: 'The URL that events are posted to: https.', example: 'https://loja.example/webhooks' });
const description = z.string().max(500).meta({ description: 'A description for people.', example: 'Order status' });
const headers = z
  .array(
    z.strictObject({
      key: boundedText(128, 'The name of the header.', 'x-tenant'),
      value: z.string().max(1024).meta({ description: 'Its value.', example: 'loja-a-12' }),
    }),
  )
  .max(20)
  .meta({
    description:
      'Headers sent with each delivery, in addition to our own; reserved names are refused. Values are write-only: a masked value that is sent back unchanged keeps the stored value.',
  });
const shownHeaders = z
  .array(
    z.object({
      key: boundedText(128, 'The name of the header.', 'x-tenant'),
      value: text('`••••` and the last four characters; of a value of fewer than eight only `••••`.', '••••a-12'),
    }),
  )
  .meta({ description: 'The headers that each delivery has in addition to our own; their values are write-only.' });
const retry = closedObject('WebhookRetry', 'How failed deliveries are retried, until 24 hours have passed.', {
  maxAttempts: z.int().min(1).max(20).meta({ description: 'Maximum attempts per event.', example: 8 }),
  backoffSeconds: z
    .int()
    .min(5)
    .max(3600)
    .meta({ description: 'The first wait; later ones are multiples of it.', example: 30 }),
});

const subscriptionFields = {
  id: idSchema('webhook'),
  organizationId: idSchema('organization'),
  url,
  secretCipher: text('The signing secret, encrypted; its plaintext is shown once.'),
  secretVersion: z
    .int()
    .meta({ description: 'The version of the signing secret; it increases with each rotation.', example: 1 }),
  headers: shownHeaders.optional(),
  events: z.array(eventType).meta({ description: 'The event types that are delivered.' }),
  status: z.enum(SUBSCRIPTION_STATUSES).meta({
    description: 'A `failing` subscription is still attempted; a `revoked` one never again.',
    example: 'active',
  }),
  description: description.optional(),
  retry,
  createdById: idSchema('account', 'The creator; for a key, an account id derived from it.'),
  consecutiveFailures: z.int().optional().meta({ description: 'Failed events since the last success.', example: 0 }),
  lastSuccessAt: dateTime('When the endpoint last answered 2xx.').optional(),
  lastFailureAt: dateTime('When a delivery last failed.').optional(),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it last changed.'),
};
/** docs/spec/webhooks.md#subscription-shape. */
export const Webhook = openObject('Webhook', 'A subscription of a URL to events.', subscriptionFields);
const secret = text('The signing secret; shown only in this response.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
export const WebhookWithSecret = openObject('WebhookWithSecret', 'A subscription with its new secret.', {
  ...subscriptionFields,
  secret,
});

const events = z.array(eventType).min(1).max(EVENT_TYPES.length).meta({ description: 'The event types to deliver.' });
export const CreateWebhook = closedObject(
  'CreateWebhook',
  'A subscription to create. The URL must answer 200 to a signed webhook.validation event.',
  {
    url,
    events,
    description: description.optional(),
    headers: headers.optional(),
    retry: retry.optional(),
  },
);
export const ChangeWebhook = closedObject(
  'ChangeWebhook',
  'A change to a subscription; a new url is validated again.',
  {
    url: url.optional(),
    events: events.optional(),
    description: description.nullable().optional(),
    headers: headers.nullable().optional(),
    retry: retry.optional(),
    status: z
      .enum(['active', 'paused'])
      .optional()
      .meta({ description: 'Pause or resume; a paused backlog is sent on resume.' }),
  },
);

const attempt = openObject('WebhookAttempt', 'One attempt of a delivery; kept for 30 days.', {
  at: dateTime('When the attempt began.'),
  status: z.int().optional().meta({ description: 'The HTTP status of the response.', example: 200 }),
  durationMs: z.number().meta({ description: 'How long it took, in ms.', example: 41 }),
  requestHeaders: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: "The request headers; the values of the subscription's own are masked." }),
  requestBody: optionalText('The exact body that was signed; without pii:full recipients are masked in it.'),
  responseHeaders: z.record(z.string(), z.string()).optional().meta({ description: 'The response headers.' }),
  responseBody: optionalText('The response body, cut at 16 KB.'),
  error: optionalText('Why there is no response.'),
});
const delivery = {
  id: idSchema('delivery'),
  eventId: idSchema('event'),
  type: text('The event type.', 'sms.delivered'),
  sequence: z.int().optional().meta({
    description: 'The sequence number in the subscription, from 1 without gaps; absent on validation and test events.',
    example: 1,
  }),
  status: z.enum(DELIVERY_STATUSES).meta({
    description: 'A `failed` delivery is attempted again at nextAttemptAt; an `abandoned` one never again.',
    example: 'delivered',
  }),
  attempts: z
    .array(attempt)
    .meta({ description: 'Every attempt, oldest first; headers and bodies only when one delivery is read.' }),
  nextAttemptAt: dateTime('When it is attempted next.').optional(),
  createdAt: dateTime('When the event was fanned out.'),
};
export const Delivery = openObject('WebhookDelivery', 'An event on its way to one subscription.', delivery);

/** The body of every delivery, and an item of the event feed: docs/spec/webhooks.md#envelope. */
export const EventEnvelope = openObject('EventEnvelope', 'An event as it is delivered.', {
  id: idSchema('event'),
  type: text('The event type.', 'sms.delivered'),
  timestamp: dateTime('When it happened.'),
  env: environment,
  organizationId: idSchema('organization'),
  sequence: z.int().optional().meta({ description: 'From 1, per subscription, without gaps.', example: 1 }),
  data: z.record(z.string(), z.unknown()).meta({ description: "The event's data; its fields depend on the type." }),
});

/** The envelope of the events of one shape: docs/spec/webhooks.md#envelope. */
export const envelopeWith = (name: string, { types, data }: EventShape) =>
  openObject(`${name}EventEnvelope`, `An event as it is delivered: ${types.join(', ')}.`, {
    ...EventEnvelope.shape,
    type: z.enum(types).meta({ description: 'The event type.', example: types[0] }),
    data,
  });
