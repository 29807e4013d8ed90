import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { PRIORITIES } from '../domain/core/priority.ts';
import { LINK_SOURCES } from '../domain/message/link-origin.ts';
import { MESSAGE_TYPES } from '../domain/message/message.ts';
import { STEP_KINDS } from '../domain/tracking/timeline.ts';
import { UNIFIED_STATUSES } from '../domain/tracking/views.ts';
import { coins, count, dateTime, flag, openObject, optionalFlag, optionalText, part, text } from './common.ts';
import { templateVars } from './resend-message.ts';

export const status = z.enum(UNIFIED_STATUSES).meta({
  description:
    "The status, in the words common to all channels: a bounced or undelivered message is failed, a complained one delivered; `archived` was replaced by a resend. The channel's own operations show its own status.",
  example: 'delivered',
});
const to = text(
  "The recipient in the channel's own format; of an inbound message the address that it was sent to, as the provider names it. Masked without pii:full.",
  '+55119****0005',
);

const linkPart = (what: string, example: string) => optionalText(what, example);
const origemDoLink = part(
  "Where the sender came from; inbound messages only. Reported by Meta for an ad, or found by the code of one of the organization's tracked links in the text: from the `utm_*` parameters of its URL, else from the message that contained it.",
  {
    fonte: z.enum(LINK_SOURCES).meta({ description: 'The source.', example: 'google' }),
    fonteRotulo: linkPart('The name of the source, when `fonte` is outra.', 'newsletter'),
    campanha: linkPart('The campaign.', 'black-friday'),
    grupo: linkPart('The ad group.', 'tenis-corrida'),
    anuncio: linkPart('The ad.', '120210000000000000'),
    palavraChave: linkPart('The keyword.', 'tenis de corrida'),
    codigo: linkPart('The code of a tracked link that was found in the text; the text is not changed.', 'tK3v9Qp1Zx'),
  },
);

const mediaStorage = part('The file of a media message that was uploaded through the service.', {
  mimeType: text('The type of the file, by its bytes.', 'image/jpeg'),
  size: count('The size of the file in bytes.', 48_213),
  storedAt: dateTime('When it was uploaded.'),
});

const messageFields = {
  id: idSchema('message'),
  organizationId: idSchema('organization', 'The organization that sent it.'),
  channel: z.enum(CHANNELS).optional().meta({ description: 'The channel.', example: 'sms' }),
  numberId: optionalText('The number that sends it.'),
  instagramAccountId: optionalText('The Instagram account that sends it, `iga_…`.'),
  mediaStorage: mediaStorage.optional(),
  contactId: idSchema('contact', 'The contact that the send named.').optional(),
  campaignId: optionalText("The caller's own campaign tag.", 'black-friday'),
  templateId: optionalText(
    'The saved template that it was made from, `tpl_…` or `etpl_…`; absent if the organization has no saved template of this name.',
  ),
  batchId: optionalText('The bulk send that it belongs to.'),
  metadata: metadataSchema.optional(),
  to,
  from: optionalText('The sender; inbound messages only. Masked without pii:full.', '+55119****0005'),
  type: z.enum(MESSAGE_TYPES).meta({ description: 'The type of its content.', example: 'text' }),
  direction: z.enum(['outbound', 'inbound']).meta({ description: 'Its direction.', example: 'outbound' }),
  priority: z.enum(PRIORITIES).meta({ description: 'Its priority.', example: 'normal' }),
  status,
  force: flag('True when it bypasses rate buckets and quiet hours; only `force` sets it.', false),
  reprocessed: optionalFlag('True when a resend replaced it.'),
  replaces: idSchema('message', 'The message that it replaces.').optional(),
  replacedBy: idSchema('message', 'The message that replaced it.').optional(),
  payload: z.unknown().meta({
    description: 'The content, depending on its type; of an e-mail only the subject, since its body is not stored.',
    example: { text: 'Seu pedido saiu para entrega.' },
  }),
  templateVars: templateVars.optional(),
  attempts: count('How often it was handed to a provider.', 1),
  reason: optionalText('Why it failed: a reason of the channel.'),
  lastError: optionalText('The last error; once it was replaced, the message that replaced it.'),
  originalError: optionalText('The error before it was first replaced.'),
  platformMessageId: optionalText("The provider's id of it."),
  inReplyTo: idSchema('message', 'The message that it replies to; inbound messages only.').optional(),
  origemDoLink: origemDoLink.optional(),
  sentByAccountId: idSchema('account', 'The operator who sent it from the dashboard.').optional(),
  sentByName: optionalText("The operator's name when it was sent.", 'Ana Souza'),
  scheduledAt: dateTime('When it was scheduled to be sent.').optional(),
  sentAt: dateTime('When the provider accepted it; of an inbound message when it was sent.').optional(),
  deliveredAt: dateTime('When it reached its recipient.').optional(),
  readAt: dateTime('When it was read.').optional(),
  failedAt: dateTime('When it failed.').optional(),
  archivedAt: dateTime('When it was replaced.').optional(),
  createdAt: dateTime('When it was accepted by the service.'),
  updatedAt: dateTime('When it changed last.'),
};

/** docs/spec/messages.md#message-shape. */
export const Message = openObject('Message', 'A message of any channel in its current state.', messageFields);

/** The response of operations that create a message: docs/spec/messages.md#message-shape. */
export const QueuedMessage = openObject('QueuedMessage', 'The message as it was queued, with its price.', {
  ...messageFields,
  billing: part('What the message costs.', { coins: coins('The price of the whole message.') }),
  replayed: flag('True when an earlier call with the same key created it.', false),
});

const step = z.object({
  at: dateTime('When it was decided.'),
  kind: z.enum(STEP_KINDS).meta({ description: 'What was decided.', example: 'provider' }),
  detail: text('Details of the decision.', 'sandbox_provider accepted'),
  coins: coins('The coins that were moved or quoted.').optional(),
  webhookId: idSchema('webhook', 'The subscription, if the step is about a webhook.').optional(),
  deliveryId: idSchema('delivery', 'The delivery, if the step is about a webhook.').optional(),
});
export const Timeline = openObject('MessageTimeline', 'Every decision on a message.', {
  items: z.array(step).meta({ description: 'The steps, oldest first.' }),
});
