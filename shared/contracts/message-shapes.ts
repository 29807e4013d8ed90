import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { LINK_SOURCES } from '../domain/message/link-origin.ts';
import { MESSAGE_TYPES, PRIORITIES } from '../domain/message/message.ts';
import { payloadSchema } from '../domain/message/payload.ts';
import { STEP_KINDS } from '../domain/tracking/timeline.ts';
import { UNIFIED_STATUSES } from '../domain/tracking/views.ts';
import { coins, dateTime } from './common.ts';

export const status = z.enum(UNIFIED_STATUSES).meta({
  description:
    "Where the message stands, for all channels alike: a bounced or undelivered one has failed, a complained one was delivered; `archived` was replaced by a resend. The channel's own operations show its own status.",
  example: 'delivered',
});
const templateVars = z
  .array(z.string().max(1_024))
  .max(100)
  .meta({
    description: "The template's variables, in the order in which it numbers them.",
    example: ['Ana', 'A-1842'],
  });
const to = z.string().meta({
  description:
    "The recipient in the channel's own format; of an inbound message what it came to, in the provider's terms. Masked without pii:full.",
  example: '+55119****0005',
});

const linkPart = (what: string, example: string) => z.string().optional().meta({ description: what, example });
const origemDoLink = z
  .object({
    fonte: z.enum(LINK_SOURCES).meta({ description: 'The source.', example: 'google' }),
    fonteRotulo: linkPart('The free name of the source, when `fonte` is outra.', 'newsletter'),
    campanha: linkPart('The campaign.', 'black-friday'),
    grupo: linkPart('The ad group.', 'tenis-corrida'),
    anuncio: linkPart('The ad.', '120210000000000000'),
    palavraChave: linkPart('The keyword.', 'tenis de corrida'),
    codigo: linkPart("The tracked link's code that was found in the text, which is not altered.", 'tK3v9Qp1Zx'),
  })
  .meta({
    description:
      'Where the sender came from; inbound messages only. Told by the platform of an ad, and by the code of a tracked link of the organization in the text: by the `utm_*` parameters of its address, else by the message that carried it.',
  });

const messageFields = {
  id: idSchema('message'),
  organizationId: idSchema('organization', 'The organization that sent it.'),
  channel: z.enum(CHANNELS).optional().meta({ description: 'The channel.', example: 'sms' }),
  numberId: z.string().optional().meta({ description: 'The number that it leaves from.' }),
  instagramAccountId: z.string().optional().meta({ description: 'The Instagram account that it leaves from.' }),
  contactId: idSchema('contact', 'The contact that the send named.').optional(),
  campaignId: z.string().optional().meta({ description: "The caller's own campaign tag.", example: 'black-friday' }),
  templateId: z.string().optional().meta({ description: 'The template that it was made from.' }),
  batchId: z.string().optional().meta({ description: 'The bulk send that it belongs to.' }),
  metadata: metadataSchema.optional(),
  to,
  from: z
    .string()
    .optional()
    .meta({ description: 'Who sent it; inbound messages only. Masked without pii:full.', example: '+55119****0005' }),
  type: z.enum(MESSAGE_TYPES).meta({ description: 'What kind of content it has.', example: 'text' }),
  direction: z.enum(['outbound', 'inbound']).meta({ description: 'Which way it went.', example: 'outbound' }),
  priority: z.enum(PRIORITIES).meta({ description: 'Its priority.', example: 'normal' }),
  status,
  force: z
    .boolean()
    .meta({ description: 'True when it bypasses rate buckets and quiet hours; only `force` sets it.', example: false }),
  reprocessed: z.boolean().optional().meta({ description: 'True when a resend replaced it.' }),
  replaces: idSchema('message', 'The message that it replaces.').optional(),
  replacedBy: idSchema('message', 'The message that replaced it.').optional(),
  payload: z.unknown().meta({
    description: 'The content, in the form of its type; of an e-mail the subject alone, since its body is not kept.',
    example: { text: 'Seu pedido saiu para entrega.' },
  }),
  templateVars: templateVars.optional(),
  attempts: z.int().min(0).meta({ description: 'How often it was handed to a provider to be sent.', example: 1 }),
  reason: z.string().optional().meta({ description: "Why it failed, in the channel's own terms." }),
  lastError: z
    .string()
    .optional()
    .meta({ description: 'Why it failed last; once it was replaced, which message replaced it.' }),
  originalError: z.string().optional().meta({ description: 'Why it had failed when it was first replaced.' }),
  platformMessageId: z.string().optional().meta({ description: "The provider's id of it." }),
  inReplyTo: idSchema('message', 'The message that it answers; inbound messages only.').optional(),
  origemDoLink: origemDoLink.optional(),
  sentByAccountId: idSchema('account', 'The operator who sent it from the dashboard.').optional(),
  scheduledAt: dateTime('When it was asked to leave.').optional(),
  sentAt: dateTime('When the provider accepted it; of an inbound message when it was sent.').optional(),
  deliveredAt: dateTime('When it reached its recipient.').optional(),
  readAt: dateTime('When it was read.').optional(),
  failedAt: dateTime('When it failed.').optional(),
  archivedAt: dateTime('When it was replaced.').optional(),
  createdAt: dateTime('When it was accepted by the service.'),
  updatedAt: dateTime('When it changed last.'),
};

/** docs/spec/messages.md#message-shape. */
export const Message = z
  .object(messageFields)
  .meta({ id: 'Message', description: 'A message of any channel in its current state.' });

/** The response of operations that create a message: docs/spec/messages.md#message-shape. */
export const QueuedMessage = z
  .object({
    ...messageFields,
    billing: z
      .object({ coins: coins('The price of the whole message.') })
      .meta({ description: 'What the message costs.' }),
    replayed: z
      .boolean()
      .meta({ description: 'True when this is the answer of an earlier call with the same key.', example: false }),
  })
  .meta({ id: 'QueuedMessage', description: 'The message as it was queued, with its price.' });

const step = z.object({
  at: dateTime('When it was decided.'),
  kind: z.enum(STEP_KINDS).meta({ description: 'What was decided.', example: 'provider' }),
  detail: z.string().meta({ description: 'The decision in words.', example: 'sandbox_provider accepted' }),
  coins: coins('What it moved or priced.').optional(),
});
export const Timeline = z
  .object({ items: z.array(step).meta({ description: 'The steps, oldest first.' }) })
  .meta({ id: 'MessageTimeline', description: 'Every decision that was taken on a message.' });

export const ResendMessage = z
  .strictObject({
    to: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .meta({ description: "The recipient, in the channel's own format.", example: '+5511999990005' }),
    payload: payloadSchema.optional(),
    templateVars: templateVars.optional(),
    metadata: metadataSchema.optional(),
  })
  .meta({
    id: 'ResendMessage',
    description: 'What is corrected; what is absent stays. An e-mail needs its payload, since its body is not kept.',
  });
