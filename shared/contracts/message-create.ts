import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { PRIORITIES } from '../domain/core/priority.ts';
import { MESSAGE_TYPES } from '../domain/message/message.ts';
import { payloadSchema } from '../domain/message/payload.ts';
import { dateTime, optionalBoundedText } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { QueuedMessage } from './message-shapes.ts';
import { campaignId, QUEUED_SEND } from './sends.ts';

/** The body of a create: docs/spec/messages.md#creating-a-message. */
export const CreateMessage = z
  .strictObject({
    channel: z.enum(CHANNELS).meta({ description: 'The channel.', example: 'sms' }),
    to: optionalBoundedText(4_096, "The recipient in the channel's own format; or contactId.", '+5511999990005'),
    contactId: idSchema(
      'contact',
      'The contact that it is sent to: its opt-out applies, and without `to` its own recipient is used.',
    ).optional(),
    type: z.enum(MESSAGE_TYPES).meta({ description: 'The type of the payload.', example: 'text' }),
    payload: payloadSchema.optional().meta({
      description:
        "By type: text `{text}`; media `{media: {kind, id, caption?, filename?}}`; template `{template: {name, language}}`; interactive `{interactive}` in Meta's format; on RCS also `{card}` and `{fallback: {text}}`; on e-mail `{email: {subject, html?, text?}}`; on push `{text}` with title, deepLink, imageUrl, actions and silent as in a push message.",
      example: { text: 'Seu pedido saiu para entrega.' },
    }),
    numberId: optionalBoundedText(
      64,
      "The number that sends it (WhatsApp). Without one: the number of the template that it names, else the organization's only number, else the one that the recipient last wrote to if that is connected, else the default one.",
    ),
    instagramAccountId: optionalBoundedText(64, 'The account that sends it (Instagram).'),
    templateId: optionalBoundedText(64, 'A saved template.'),
    templateVars: z
      .union([
        z.array(z.string().max(4_096)).max(100),
        z.record(z.string().min(1).max(64), z.union([z.string().max(4_096), z.number(), z.boolean()])),
      ])
      .optional()
      .meta({ description: "The template's variables: in order, or by name.", example: ['Ana'] }),
    priority: z.enum(PRIORITIES).optional().meta({ description: 'The priority of the message.', example: 'normal' }),
    scheduledAt: dateTime('When to send it; now when absent or past. At most 90 days ahead.').optional(),
    campaignId: campaignId.optional(),
    metadata: metadataSchema.optional(),
  })
  .refine(({ to, contactId }) => to !== undefined || contactId !== undefined, {
    message: 'is required, or contactId',
    path: ['to'],
  })
  .refine(({ payload, templateId }) => payload !== undefined || templateId !== undefined, {
    message: 'is required, or templateId',
    path: ['payload'],
  })
  .meta({ id: 'CreateMessage', description: 'A message on any channel; the payload depends on the type.' });

export const createMessage = defineOperation({
  ...QUEUED_SEND,
  id: 'messages.create',
  route: 'POST /messages',
  tag: 'Messages',
  summary: 'Create a message on any channel',
  description:
    'The message is stored and sent asynchronously, now or when scheduled; quiet hours defer it. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.',
  permission: 'messages:send',
  body: CreateMessage,
  responses: { 201: QueuedMessage },
});
