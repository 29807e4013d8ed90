import * as z from 'zod';
import { metadataSchema } from '../domain/json-values.ts';
import { characters, RCS_CARRIERS, RCS_LIMITS, RCS_ROUTES, RCS_STATUSES } from '../domain/rcs/content.ts';
import { dateTime, environment, idOf, limit, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { billing, campaignId, replayed, SYNCHRONOUS_SEND } from './sends.ts';

/** A text of 1 to `most` characters, counted in Unicode code points as JSON Schema counts them. */
const textOf = (most: number) =>
  z
    .string()
    .min(1)
    .refine((text) => characters(text) <= most, `must be at most ${most} characters`)
    .meta({ maxLength: most });

const route = z.enum(RCS_ROUTES).meta({
  description: '`easy_rcs` for communication, which an opt-out stops; `easy_otp_rcs` for transactional messages.',
  example: 'easy_rcs',
});
const label = textOf(RCS_LIMITS.label).meta({
  maxLength: RCS_LIMITS.label,
  description: 'What the button shows.',
  example: 'Rastrear',
});

/** interface 4.6: buttons accept openUrl, call and reply. */
const suggestion = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('openUrl').meta({ description: 'Opens a web page.' }),
      label,
      url: z
        .string()
        .min(1)
        .max(RCS_LIMITS.url)
        .meta({ description: 'An http or https address.', example: 'https://loja.example/pedidos/A-1842' }),
    }),
    z.strictObject({
      kind: z.literal('call').meta({ description: 'Dials a number.' }),
      label,
      phone: z.string().max(64).meta({ description: 'The number in E.164.', example: '+551130001234' }),
    }),
    z.strictObject({
      kind: z.literal('reply').meta({ description: 'Answers the message.' }),
      label,
      postback: textOf(RCS_LIMITS.postback).optional().meta({
        maxLength: RCS_LIMITS.postback,
        description: 'What the answer carries beside its label.',
        example: 'confirm-A-1842',
      }),
    }),
  ])
  .meta({ id: 'RcsSuggestion', description: 'A button of a card.' });

const card = z
  .strictObject({
    title: textOf(RCS_LIMITS.title).meta({
      maxLength: RCS_LIMITS.title,
      description: 'The title.',
      example: 'Seu pedido saiu',
    }),
    description: textOf(RCS_LIMITS.description).meta({
      maxLength: RCS_LIMITS.description,
      description: 'The text below the title.',
      example: 'Chega hoje até as 18 h.',
    }),
    fileUrl: z.string().min(1).max(RCS_LIMITS.fileUrl).optional().meta({
      format: 'uri',
      description: 'The image: https on a public domain. Never replaced by a short link.',
      example: 'https://cdn.loja.example/pedido.png',
    }),
    suggestions: z
      .array(suggestion)
      .max(RCS_LIMITS.suggestions)
      .optional()
      .meta({ description: `At most ${RCS_LIMITS.suggestions} buttons.` }),
  })
  .meta({ id: 'RcsCard', description: 'A card with an image and buttons.' });

const content = z
  .strictObject({
    text: textOf(RCS_LIMITS.text)
      .optional()
      .meta({
        maxLength: RCS_LIMITS.text,
        description: `A simple message of at most ${RCS_LIMITS.text} characters (Unicode code points), its short links included.`,
        example: 'Seu pedido saiu para entrega.',
      }),
    card: card.optional(),
  })
  .refine(({ text, card: shown }) => (text === undefined) !== (shown === undefined), 'must be either text or card')
  .meta({
    id: 'RcsContent',
    minProperties: 1,
    maxProperties: 1,
    description: 'What the device shows: either a text or a card.',
    example: { text: 'Seu pedido saiu para entrega.' },
  });

const rcsFields = {
  id: idOf('message'),
  to: z.string().meta({ description: 'The recipient in E.164; masked without pii:full.', example: '+55119****0005' }),
  content,
  route,
  status: z.enum(RCS_STATUSES).meta({ description: 'Where the message stands.', example: 'sent' }),
  channel: z.enum(RCS_CARRIERS).optional().meta({
    description:
      'What carried it: RCS, or the SMS of its fallback. Absent until the provider tells: absent never means rcs.',
    example: 'rcs',
  }),
  env: environment,
  contactId: idOf('contact', 'The contact that the send named.').optional(),
  campaignId: campaignId.optional(),
  metadata: metadataSchema.optional(),
  failureReason: z.string().optional().meta({ description: 'Why it failed.', example: 'invalid_number' }),
  sentAt: dateTime('When the provider accepted it.').optional(),
  deliveredAt: dateTime('When it reached the device.').optional(),
  readAt: dateTime('When it was read.').optional(),
  createdAt: dateTime('When the message was accepted by the service.'),
};

/** interface 2.7 as lists and reads answer it. */
export const RcsMessage = z
  .object(rcsFields)
  .meta({ id: 'RcsMessage', description: 'An RCS message in its current state, its content as it left.' });

/** interface 2.7 as the send answers it. */
export const SentRcs = z
  .object({
    ...rcsFields,
    billing: billing('The price of the message, whatever its length.'),
    replayed,
  })
  .meta({ id: 'SentRcs', description: 'The accepted RCS message, with its price.' });

/** interface 4.6, the send's body. */
export const SendRcs = z
  .strictObject({
    to: z.string().max(64).meta({ description: 'The recipient in E.164.', example: '+5511999990005' }),
    content,
    route,
    fallback: z
      .strictObject({
        text: textOf(RCS_LIMITS.fallback).meta({
          maxLength: RCS_LIMITS.fallback,
          description: `At most ${RCS_LIMITS.fallback} characters. Accents and signs are replaced by their plain equivalents, so that it leaves in GSM-7; what has none moves it to UCS-2. Its links are not replaced.`,
          example: 'Seu pedido saiu para entrega.',
        }),
      })
      .optional()
      .meta({
        description: 'The SMS that leaves where the device has no RCS. Without one, such a recipient receives nothing.',
      }),
    contactId: idOf('contact', 'The contact it is for; its opt-out decides.').optional(),
    campaignId: campaignId.optional(),
    metadata: metadataSchema.optional(),
    trackLinks: z.boolean().optional().meta({
      description:
        'True replaces each URL of the text and of openUrl buttons with a short link and raises rcs.clicked for each click. `{{codigo}}` in a URL becomes the code of its short link, as on SMS.',
      example: false,
    }),
  })
  .meta({ id: 'SendRcs', description: 'An RCS message to send.' });

export const sendRcs = defineOperation({
  ...SYNCHRONOUS_SEND,
  id: 'rcs.send',
  path: '/v2/rcs/messages',
  tag: 'RCS',
  summary: 'Send an RCS message',
  description:
    'Synchronous: answers once the provider accepted or refused. Delivery arrives by webhook as rcs.delivered, rcs.read or rcs.failed, whose `data.channel` tells whether it left by RCS or by its SMS fallback. One price per message, however long its card. The same Idempotency-Key with the same body answers the first response with `replayed: true`; with another body, 409.',
  permission: 'rcs:send',
  request: { body: SendRcs },
  responses: { 201: SentRcs },
  uses: { table: 'write', queues: ['outcome', 'events'], vault: true, carriers: ['end_user_messaging'] },
});

export const listRcs = defineOperation({
  id: 'rcs.list',
  method: 'GET',
  path: '/v2/rcs/messages',
  tag: 'RCS',
  summary: 'List RCS messages, newest first',
  description:
    'Pages by cursor. A page that is filtered may hold fewer messages than `limit`, or none, and still name a `nextCursor`: the list ends where `nextCursor` is absent.',
  permission: 'rcs:read',
  request: {
    query: z.strictObject({
      status: z.enum(RCS_STATUSES).optional().meta({ description: 'Only this status.' }),
      channel: z.enum(RCS_CARRIERS).optional().meta({ description: 'Only what left by this channel.' }),
      campaignId: z.string().max(128).optional().meta({ description: 'Only this campaign tag.' }),
      limit: limit(50, 200),
      cursor: z.string().max(2048).optional().meta({ description: "The previous page's nextCursor." }),
    }),
  },
  responses: {
    200: z
      .object({
        items: z.array(RcsMessage).meta({ description: 'The messages of this page, newest first.' }),
        nextCursor: z
          .string()
          .optional()
          .meta({ description: 'Pass it as cursor for the next page; absent at the end.' }),
      })
      .meta({ id: 'RcsMessagePage', description: 'A page of RCS messages.' }),
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
  uses: { table: 'read', vault: true },
});

export const getRcs = defineOperation({
  id: 'rcs.get',
  method: 'GET',
  path: '/v2/rcs/messages/{id}',
  tag: 'RCS',
  summary: 'Read an RCS message',
  description: 'The current state only: polling shows the same data later than the webhook.',
  permission: 'rcs:read',
  request: { params: z.object({ id: pathId('The id of the RCS message.') }) },
  responses: { 200: RcsMessage },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read' },
});
