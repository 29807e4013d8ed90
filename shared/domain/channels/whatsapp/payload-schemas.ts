import * as z from 'zod';
import type { MessageType } from '../../message/message.ts';

const object = z.record(z.string(), z.unknown());
const MEDIA_KINDS = ['image', 'audio', 'video', 'document', 'sticker'] as const;
/** Media kinds that accept each optional field (WhatsApp Cloud API, media messages). */
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

/**
 * The payload's schema by message type. The contents of `interactive` and `components` are the Cloud API's own
 * (docs/spec/messages.md#payload-by-type).
 */
export const WHATSAPP_PAYLOADS: Readonly<Record<MessageType, z.ZodType>> = {
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
