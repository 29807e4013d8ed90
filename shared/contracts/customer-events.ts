import * as z from 'zod';
import { isCurrency } from '../domain/core/currencies.ts';
import { idSchema, looseId } from '../domain/core/id-schema.ts';
import { metadataSchema, numberError } from '../domain/core/json-values.ts';
import { ATTRIBUTION_HOURS, TOUCH_CHANNELS } from '../domain/customer-events/attribution.ts';
import {
  boundedText,
  byCursor,
  cursorPageOf,
  dateTime,
  flag,
  inOrder,
  openObject,
  optionalText,
  part,
} from './common.ts';
import { defineOperation } from './define-operation.ts';

const tag = 'Customer events';
const names = {
  // Not trimmed: journeys and filters name an event exactly as it was recorded.
  name: z
    .string()
    .max(128)
    .regex(/^(?=.*\S)[^\p{Cc}\u2028\u2029]+$/u, 'must be one line without control characters, and not blank')
    .meta({ description: 'The name of the event.', example: 'compra' }),
  eventId: boundedText(255, "The caller's id of the event: each id is recorded once.", 'pedido-A-1842'),
};
const properties = metadataSchema.meta({
  description:
    'Anything else about the event, under the rules of correlation metadata: at most 20 keys of letters, digits, `_`, `.` and `-` beginning with a letter, at most 64 characters each; values are text of at most 256 characters, numbers or booleans. No personal data.',
  example: { loja: 'Pinheiros', itens: 3 },
});
const externalId = z.string().min(1).max(255);

const attribution = part('The message that the event follows.', {
  messageId: idSchema('message'),
  channel: z.enum(TOUCH_CHANNELS).meta({ description: 'The channel of the message.', example: 'whatsapp' }),
  campaignId: optionalText('The campaign tag of the message.', 'black-friday'),
  journeyId: idSchema('journey', 'The journey that sent the message.').optional(),
  journeyStepId: optionalText('The step of that journey, by its key.', 'boas_vindas'),
  journeyRunId: idSchema('run', 'The run of that journey.').optional(),
  sentAt: dateTime('When the message was sent.'),
  horasAteOEvento: z.number().meta({ description: 'The hours from the message to the event.', example: 26.5 }),
});

export const CustomerEvent = openObject('CustomerEvent', 'Something that a customer did outside of messages.', {
  id: idSchema('customerEvent'),
  ...names,
  contactId: idSchema('contact', 'The contact; absent if the customer is not a contact.').optional(),
  contactExternalId: optionalText("The caller's own id of the customer.", 'cliente-77'),
  occurredAt: dateTime('When it happened.'),
  value: z.number().optional().meta({ description: 'The value of the event.', example: 199.9 }),
  currency: optionalText('The currency of the value, ISO 4217.', 'BRL'),
  properties: properties.optional(),
  attribution: attribution
    .nullable()
    .meta({ description: 'The last message before the event; null if there was none.' }),
  duplicate: flag('True when an earlier call recorded this eventId: then nothing was recorded.', false),
});

const RecordEvent = z
  .strictObject({
    ...names,
    contact: z
      .strictObject({
        externalId: externalId
          .optional()
          .meta({ description: "The caller's own id of the customer.", example: 'cliente-77' }),
        contactId: idSchema('contact').optional(),
        phone: z
          .string()
          .max(64)
          .optional()
          .meta({ description: "The customer's phone, E.164.", example: '+5511999990005' }),
        email: z.string().max(254).optional().meta({ description: "The customer's e-mail address." }),
      })
      .refine((given) => Object.values(given).some((name) => name !== undefined), {
        error: 'give externalId, contactId, phone or email',
      })
      .meta({ description: 'The customer, by one or several identifiers of the same person.' }),
    occurredAt: dateTime('When it happened; now when absent.').optional(),
    value: z
      .number()
      .refine((value) => numberError(value) === undefined, 'cannot be stored exactly as it was sent')
      .optional()
      .meta({ description: 'The value of the event.', example: 199.9 }),
    currency: z
      .string()
      .refine(isCurrency, 'must be a currency code of ISO 4217')
      .optional()
      .meta({ description: 'The currency of the value, ISO 4217; BRL when absent.', example: 'BRL' }),
    properties: properties.optional(),
    attributionWindowHours: z
      .int()
      .min(1)
      .max(ATTRIBUTION_HOURS.maximum)
      .optional()
      .meta({
        description: `A message counts if it was sent at most this number of hours before: 1 to ${ATTRIBUTION_HOURS.maximum}; ${ATTRIBUTION_HOURS.fallback} when absent.`,
        example: ATTRIBUTION_HOURS.fallback,
      }),
  })
  .meta({ id: 'RecordCustomerEvent', description: 'An event that happened.' });

export const recordCustomerEvent = defineOperation({
  id: 'events.record',
  route: 'POST /v2/events',
  tag,
  summary: 'Record an event of a customer',
  description:
    'A purchase, a visit, a contract: an action outside of messages. It is attributed to the last message on WhatsApp, SMS, RCS or e-mail that named its contact and was sent before it, within the window. 201 the first time; for an eventId that was recorded before 200 with the stored event and `duplicate: true`, whatever else the body contains. Without pii:full, calls that name the customer by `phone` or `email` are limited to a burst of 60 and one more each second; then 429.',
  permission: 'contacts:write',
  body: RecordEvent,
  responses: { 201: CustomerEvent, 200: CustomerEvent },
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['send'], rootKeys: ['recipients'] },
});

export const listCustomerEvents = defineOperation({
  id: 'events.list',
  route: 'GET /v2/events',
  tag,
  summary: 'List events of customers, latest first',
  permission: 'contacts:read',
  query: inOrder(
    z.strictObject({
      from: dateTime('Only events that happened at or after this time.'),
      to: dateTime('Only events that happened at or before this time.'),
      name: boundedText(128, 'Only events of this name.').optional(),
      contactId: looseId('contact', z.string().min(1).max(128))
        .optional()
        .meta({ description: 'Only events of this contact.' }),
      ...byCursor(50, 200),
    }),
  ),
  answer: cursorPageOf(CustomerEvent, 'CustomerEventPage', 'events', 'events', ', latest first'),
  uses: { table: 'read', rootKeys: ['cursors'] },
});
