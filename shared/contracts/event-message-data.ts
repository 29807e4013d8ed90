import * as z from 'zod';
import { PUSH_ORIGINS, RATE_KINDS } from '../domain/channels/push/message.ts';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import type { EventType } from '../domain/events/catalogue.ts';
import { MESSAGE_STATUSES } from '../domain/message/message.ts';
import { count, dateTime, optionalFlag, optionalText, part, text } from './common.ts';
import { Message } from './message-shapes.ts';

/** The shape of `data` for these event types. */
export interface EventShape {
  readonly types: readonly EventType[];
  readonly data: z.ZodObject;
}

const channel = z.enum(CHANNELS).meta({ description: 'The channel.', example: 'sms' });
const optionalCount = (description: string, example?: number) => count(description, example).optional();
const correlation = {
  campaignId: optionalText("The caller's own campaign tag.", 'black-friday'),
  metadata: metadataSchema.optional(),
};
const contactId = idSchema('contact');

/** For a sent message: docs/spec/webhooks.md#envelope. */
const messageData = {
  id: idSchema('message'),
  channel,
  to: text('The recipient, masked without pii:full.', '+55119****4321'),
  status: z.enum(MESSAGE_STATUSES).meta({ description: "The channel's own status.", example: 'delivered' }),
  route: optionalText('The route that it was sent by.', 'premium'),
  reason: optionalText('Why it failed: a reason of the channel.', 'invalid_number'),
  contactId: contactId.optional(),
  ...correlation,
  replaces: idSchema('message', 'The message that it replaces.').optional(),
  fallbackOf: idSchema('message', 'The first message of its fallbacks.').optional(),
};
const Sent = part('A message that was sent.', {
  ...messageData,
  origin: z.enum(PUSH_ORIGINS).optional().meta({ description: 'For a push message: what created it.', example: 'api' }),
  rateKind: z
    .enum(RATE_KINDS)
    .optional()
    .meta({ description: 'For a push message: the kind of its price.', example: 'simple' }),
  reach: optionalCount('For a push message: how many devices it was for.', 2),
  delivered: optionalCount('For a push message: for how many devices it was accepted.', 2),
  failures: optionalCount('For a push message: for how many devices it was not accepted.', 0),
});
const Clicked = part('A link of a message that was followed.', {
  ...messageData,
  url: text('The address that it leads to.', 'https://loja.example/pedido/1042'),
  click: optionalCount('How often this link was followed, this time included; for links of our own.', 1),
  at: dateTime('When it was followed, as the provider of e-mail reports it.').optional(),
});
const Opened = part('An e-mail that was opened.', {
  ...messageData,
  at: dateTime('When it was opened.'),
});

const received = {
  channel,
  from: text('The sender, masked without pii:full.', '+55119****4321'),
  receivedAt: dateTime('When it was sent.'),
  contactId: contactId.optional(),
  numberId: idSchema('number').optional(),
  instagramAccountId: idSchema('instagramAccount').optional(),
  inReplyTo: idSchema('message', 'The message that it replies to.').optional(),
  origemDoLink: Message.shape.origemDoLink,
  ...correlation,
  optedOut: optionalFlag('True if its sender opted out with it.', true),
};
const Received = part('A message that was received.', {
  id: idSchema('message'),
  type: Message.shape.type,
  payload: Message.shape.payload,
  ...received,
});
const Replied = part('An SMS that was received.', {
  id: z.union([idSchema('reply'), idSchema('message')]).meta({
    description: 'The reply, or the inbound message of an SMS that answers none.',
    example: 'rpl_4hJ9sKq2LmN8pRt5VwXz1',
  }),
  messageId: idSchema('message', 'The inbound message.'),
  body: text('The text.', 'Sim'),
  route: optionalText('The route of the message that it replies to.', 'premium'),
  ...received,
});

/** For events of messages, sent and received: docs/spec/webhooks.md#which-send-raises-what. */
export const MESSAGE_EVENTS = {
  Message: {
    types: [
      'message.queued',
      'message.sent',
      'message.delivered',
      'message.read',
      'message.failed',
      'sms.delivered',
      'sms.failed',
      'sms.undelivered',
      'email.delivered',
      'email.bounced',
      'email.complained',
      'rcs.delivered',
      'rcs.read',
      'rcs.failed',
      'instagram.message.sent',
      'instagram.message.failed',
    ],
    data: Sent,
  },
  Clicked: { types: ['sms.clicked', 'rcs.clicked', 'email.clicked'], data: Clicked },
  Opened: { types: ['email.opened'], data: Opened },
  Received: { types: ['message.received', 'instagram.message.received'], data: Received },
  Reply: { types: ['sms.received'], data: Replied },
  DestinationHeld: {
    types: ['sms.destination_held'],
    data: part('Numbers to which too few of the messages arrived.', {
      channel,
      prefix: text('The beginning of the numbers.', '+447911'),
      sends: count('How many were sent.', 64),
      delivered: count('How many of them arrived.', 2),
      heldUntil: dateTime('Until when no messages are sent to them.'),
    }),
  },
} as const satisfies Readonly<Record<string, EventShape>>;
