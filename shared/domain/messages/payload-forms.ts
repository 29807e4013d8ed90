import * as z from 'zod';
import { issueWords } from '../issue-words.ts';
import { PLATFORM_FORMS } from '../platforms/forms.ts';
import type { MessageType } from './message.ts';
import type { Channel } from './provider.ts';

const object = z.record(z.string(), z.unknown());
const text = z.strictObject({ text: z.string().min(1).max(10_000) });
/** A text or a card, and the SMS for devices without RCS; what stands inside is checked as the channel's own send checks it. */
const rcs = z
  .strictObject({ text: z.string().min(1).optional(), card: object.optional(), fallback: object.optional() })
  .refine(({ text: said, card }) => (said === undefined) !== (card === undefined), 'must be either text or card');
/** Subject and body; checked as the channel's own send checks them. */
const email = z.strictObject({ email: object });

/** What the platforms take, by type (decisions, part 4). What stands inside of `interactive` is the platform's own. */
const ofPlatform: Readonly<Record<MessageType, z.ZodType>> = {
  text,
  media: z.strictObject({
    media: z.strictObject({
      kind: z.enum(['image', 'audio', 'video', 'document', 'sticker']),
      id: z.string().min(1).max(512),
      caption: z.string().max(1_024).optional(),
      filename: z.string().max(255).optional(),
      voice: z.boolean().optional(),
    }),
  }),
  template: z.strictObject({
    template: z.looseObject({ name: z.string().min(1).max(512), language: z.string().min(2).max(16) }),
    templateVars: object.optional(),
  }),
  interactive: z.strictObject({ interactive: object }),
};

const formOf = (channel: Channel, type: MessageType): z.ZodType => {
  switch (channel) {
    case 'sms':
      return text;
    case 'rcs':
      return rcs;
    case 'email':
      return email;
    case 'whatsapp':
    case 'instagram':
      return PLATFORM_FORMS[channel][type];
    default:
      return ofPlatform[type];
  }
};

/** What a payload lacks to be one of its channel and type, under `payload`; none when it is whole. */
export const payloadFaults = (
  channel: Channel,
  type: MessageType,
  payload: unknown,
): readonly { readonly path: string; readonly message: string }[] => {
  const parsed = formOf(channel, type).safeParse(payload, { error: issueWords });
  if (parsed.success) return [];
  return parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    path: ['payload', ...path.map((part) => String(part))].join('.'),
    message,
  }));
};
