import * as z from 'zod';
import type { MessageType } from '../messages/message.ts';
import type { PlatformChannel } from './providers.ts';

const object = z.record(z.string(), z.unknown());
const MEDIA_KINDS = ['image', 'audio', 'video', 'document', 'sticker'] as const;
/** Which kinds of media take which of the fields beside the file (WhatsApp Cloud API, media messages). */
const TAKES: Readonly<Record<'caption' | 'filename' | 'voice', readonly string[]>> = {
  caption: ['image', 'video', 'document'],
  filename: ['document'],
  voice: ['audio'],
};

const whatsappMedia = z
  .strictObject({
    kind: z.enum(MEDIA_KINDS),
    id: z.string().min(1).max(512),
    caption: z.string().max(1_024).optional(),
    filename: z.string().max(255).optional(),
    voice: z.boolean().optional(),
  })
  .superRefine((media, context) => {
    for (const [field, kinds] of Object.entries(TAKES))
      if (media[field as keyof typeof TAKES] !== undefined && !kinds.includes(media.kind))
        context.addIssue({ code: 'custom', path: [field], message: `is of ${kinds.join(', ')} only` });
  });

/** What stands inside of `interactive` and of `components` is the Cloud API's own (decisions, part 4). */
const whatsapp: Readonly<Record<MessageType, z.ZodType>> = {
  text: z.strictObject({ text: z.string().min(1).max(4_096) }),
  media: z.strictObject({ media: whatsappMedia }),
  template: z.strictObject({
    template: z.looseObject({
      name: z.string().min(1).max(512),
      language: z.string().min(2).max(16),
      components: z.array(object).max(20).optional(),
    }),
    templateVars: object.optional(),
  }),
  interactive: z.strictObject({ interactive: object }),
};

const bytes = (most: number) =>
  z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= most, `must be at most ${most} bytes of UTF-8`);
const said = bytes(1_000);
/** A person answers, not a machine: the platform takes it for seven days instead of one. */
const tag = z.literal('HUMAN_AGENT').optional();
const address = z.url({ protocol: /^https$/ }).max(2_048);

/** instagram-messaging/features/attachment-upload: what was uploaded before by its id, anything else by its address. */
const instagramMedia = z
  .strictObject({
    kind: z.enum(['image', 'audio', 'video', 'document']),
    id: z.string().min(1).max(512).optional(),
    url: address.optional(),
  })
  .refine(({ id, url }) => (id === undefined) !== (url === undefined), 'must have either id or url');

/** Buttons are quick replies there, at most 13 of 20 characters (instagram-messaging/features/quick-replies). */
const quickReplies = z.strictObject({
  type: z.literal('button'),
  body: z.strictObject({ text: said }),
  action: z.strictObject({
    buttons: z
      .array(
        z.strictObject({
          type: z.literal('reply'),
          reply: z.strictObject({ id: z.string().min(1).max(1_000), title: z.string().min(1).max(20) }),
        }),
      )
      .min(1)
      .max(13),
  }),
});

const instagram: Readonly<Record<MessageType, z.ZodType>> = {
  text: z.strictObject({ text: said, tag }),
  media: z.strictObject({ media: instagramMedia, tag }),
  template: z.never('Instagram has no templates'),
  interactive: z.strictObject({ interactive: quickReplies, tag }),
};

/** The form of a payload by channel and type. */
export const PLATFORM_FORMS: Readonly<Record<PlatformChannel, Readonly<Record<MessageType, z.ZodType>>>> = {
  whatsapp,
  instagram,
};
