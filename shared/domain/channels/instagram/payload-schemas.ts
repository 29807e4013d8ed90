import * as z from 'zod';
import type { MessageType } from '../../message/message.ts';

const bytes = (max: number) =>
  z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= max, `must be at most ${max} bytes of UTF-8`);
const messageText = bytes(1_000);
/** Sent by a human agent: Instagram then allows seven days instead of one. */
const tag = z.literal('HUMAN_AGENT').optional();
const httpsUrl = z.url({ protocol: /^https$/ }).max(2_048);

/** Media by the id of an earlier upload, or by URL (instagram-messaging/features/attachment-upload). */
const instagramMedia = z
  .strictObject({
    kind: z.enum(['image', 'audio', 'video', 'document']),
    id: z.string().min(1).max(512).optional(),
    url: httpsUrl.optional(),
  })
  .refine(({ id, url }) => (id === undefined) !== (url === undefined), 'must have either id or url');

/** Buttons become quick replies: at most 13, of 20 characters each (instagram-messaging/features/quick-replies). */
const quickReplies = z.strictObject({
  type: z.literal('button'),
  body: z.strictObject({ text: messageText }),
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

/** The payload's schema by message type (docs/spec/instagram.md#instagram-content). */
export const INSTAGRAM_PAYLOADS: Readonly<Record<MessageType, z.ZodType>> = {
  text: z.strictObject({ text: messageText, tag }),
  media: z.strictObject({ media: instagramMedia, tag }),
  template: z.never('Instagram has no templates'),
  interactive: z.strictObject({ interactive: quickReplies, tag }),
};
