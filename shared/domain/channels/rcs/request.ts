import * as z from 'zod';
import type { SendEnvelope } from '../../message/send-request.ts';
import { codePointLength, RCS_LIMITS, RCS_ROUTES } from './content.ts';

/** A text of 1 to `max` characters, counted in code points as JSON Schema does. */
const boundedText = (max: number) =>
  z
    .string()
    .min(1)
    .refine((text) => codePointLength(text) <= max, `must be at most ${max} characters`)
    .meta({ maxLength: max });

export const route = z.enum(RCS_ROUTES).meta({
  description: '`easy_rcs` for communication, which an opt-out stops; `easy_otp_rcs` for transactional messages.',
  example: 'easy_rcs',
});
const label = boundedText(RCS_LIMITS.label).meta({
  maxLength: RCS_LIMITS.label,
  description: 'The label of the button.',
  example: 'Rastrear',
});

/** Buttons: openUrl, call and reply (docs/spec/rcs.md#content-and-cards). */
const suggestion = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('openUrl').meta({ description: 'Opens a web page.' }),
      label,
      url: z
        .string()
        .min(1)
        .max(RCS_LIMITS.url)
        .meta({ description: 'An http or https URL.', example: 'https://loja.example/pedidos/A-1842' }),
    }),
    z.strictObject({
      kind: z.literal('call').meta({ description: 'Dials a number.' }),
      label,
      phone: z.string().max(64).meta({ description: 'The number in E.164.', example: '+551130001234' }),
    }),
    z.strictObject({
      kind: z.literal('reply').meta({ description: 'Replies to the message.' }),
      label,
      postback: boundedText(RCS_LIMITS.postback).optional().meta({
        maxLength: RCS_LIMITS.postback,
        description: 'The data of the reply, in addition to its label.',
        example: 'confirm-A-1842',
      }),
    }),
  ])
  .meta({ id: 'RcsSuggestion', description: 'A button of a card.' });

const card = z
  .strictObject({
    title: boundedText(RCS_LIMITS.title).meta({
      maxLength: RCS_LIMITS.title,
      description: 'The title.',
      example: 'Seu pedido saiu',
    }),
    description: boundedText(RCS_LIMITS.description).meta({
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

export const content = z
  .strictObject({
    text: boundedText(RCS_LIMITS.text)
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
    description: 'The content that the device shows: either a text or a card.',
    example: { text: 'Seu pedido saiu para entrega.' },
  });

/** Fields of an RCS send besides the common ones; shared by the RCS operation and the operations for all channels. */
export const rcsFields = {
  to: z.string().max(64).meta({ description: 'The recipient in E.164.', example: '+5511999990005' }),
  content,
  route,
  fallback: z
    .strictObject({
      text: boundedText(RCS_LIMITS.fallback).meta({
        maxLength: RCS_LIMITS.fallback,
        description: `At most ${RCS_LIMITS.fallback} characters. Accents and symbols are replaced by plain equivalents, so that it is sent in GSM-7; one without an equivalent switches it to UCS-2. More than 160 characters of GSM-7, or UCS-2, costs the price of that SMS if the message is sent that way: the higher of both prices is held, and the difference is released once the provider reports the channel. Its links are not replaced.`,
        example: 'Seu pedido saiu para entrega.',
      }),
    })
    .optional()
    .meta({
      description: 'The SMS that is sent if the device has no RCS. Without one, such a recipient receives nothing.',
    }),
  trackLinks: z.boolean().optional().meta({
    description:
      'True replaces each URL of the text and of openUrl buttons with a short link and raises rcs.clicked for each click. `{{codigo}}` in a URL becomes the code of its short link, as on SMS.',
    example: false,
  }),
};

/** The parsed body of a send (docs/spec/rcs.md#sending-rcs). */
export type RcsRequest = SendEnvelope & z.output<z.ZodObject<typeof rcsFields>>;
