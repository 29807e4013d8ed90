import * as z from 'zod';
import { definedFields } from '../../domain/core/patch.ts';
import type { InboundEvent } from '../../domain/message/provider-port.ts';
import { personOf } from './wa-id.ts';

const text = z.object({ body: z.string() });
const media = z.object({
  id: z.string().min(1),
  mime_type: z.string().optional(),
  sha256: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
  voice: z.boolean().optional(),
});
type Media = z.infer<typeof media>;
const button = z.object({ payload: z.string().optional(), text: z.string().optional() });
const interactive = z.looseObject({
  type: z.string(),
  button_reply: z.looseObject({ id: z.string(), title: z.string() }).optional(),
  list_reply: z.looseObject({ id: z.string(), title: z.string() }).optional(),
});
const reaction = z.looseObject({ message_id: z.string().min(1), emoji: z.string().optional() });

/** Fields of every inbound message (webhooks/reference/messages). The field named after its type is parsed by FORMS. */
export const inboundMessage = z.looseObject({
  from: z.string().optional().catch(undefined),
  from_user_id: z.string().optional().catch(undefined),
  id: z.string().min(1).max(512),
  timestamp: z.string().regex(/^\d{1,12}$/),
  type: z.string(),
  context: z.object({ id: z.string().optional() }).optional(),
  referral: z.record(z.string(), z.unknown()).optional(),
});
type InboundMessage = z.infer<typeof inboundMessage>;

type InboundContent = Pick<InboundEvent, 'type' | 'text' | 'payload' | 'inReplyTo'>;

const mediaContent = (kind: string, { mime_type: mimeType, ...rest }: Media): InboundContent => ({
  type: 'media',
  payload: { media: { kind, ...definedFields({ ...rest, mimeType }) } },
  ...(rest.caption === undefined ? {} : { text: rest.caption }),
});

const interactiveContent = (value: z.infer<typeof interactive>): InboundContent => {
  const title = value.button_reply?.title ?? value.list_reply?.title;
  return {
    type: 'interactive',
    payload: { interactive: value },
    ...(title === undefined ? {} : { text: title }),
  };
};

/** A template's quick reply; the button's label becomes the text. */
const buttonContent = (value: z.infer<typeof button>): InboundContent => ({
  type: 'interactive',
  payload: { interactive: { type: 'button', button: value } },
  ...(value.text === undefined ? {} : { text: value.text }),
});

const passThrough =
  (type: string) =>
  (value: unknown): InboundContent => ({ type: 'interactive', payload: { interactive: { type, [type]: value } } });

const form = <T>(schema: z.ZodType<T>, content: (value: T) => InboundContent) => ({
  read: (value: unknown): InboundContent | undefined => {
    const parsed = schema.safeParse(value);
    return parsed.success ? content(parsed.data) : undefined;
  },
});

const object = z.record(z.string(), z.unknown());

/** Parsers by message type (webhooks/reference/messages/*). */
const FORMS: Readonly<Record<string, { read(value: unknown): InboundContent | undefined }>> = {
  text: form(text, ({ body }) => ({ type: 'text', text: body, payload: {} })),
  image: form(media, (value) => mediaContent('image', value)),
  audio: form(media, (value) => mediaContent('audio', value)),
  video: form(media, (value) => mediaContent('video', value)),
  document: form(media, (value) => mediaContent('document', value)),
  sticker: form(media, (value) => mediaContent('sticker', value)),
  interactive: form(interactive, interactiveContent),
  button: form(button, buttonContent),
  reaction: form(reaction, (value) => ({ ...passThrough('reaction')(value), inReplyTo: value.message_id })),
  location: form(object, passThrough('location')),
  contacts: form(z.array(z.unknown()), passThrough('contacts')),
  order: form(object, passThrough('order')),
};

/** System notices about a person, such as a changed number; not a message from them. */
const NOTICES = new Set(['system']);

/** A message of an unknown type still opens the 24-hour window: its type is stored, its content is not. */
const contentOf = (message: InboundMessage): InboundContent | undefined => {
  const known = Object.hasOwn(FORMS, message.type) ? FORMS[message.type] : undefined;
  if (known) return known.read(message[message.type]);
  return { type: 'interactive', payload: { interactive: { type: message.type } } };
};

/** The number that received a message, and the senders' profile names by WhatsApp id and by user id. */
export interface InboundPlace {
  readonly phoneNumberId: string;
  readonly profileNames: ReadonlyMap<string, string>;
}

/** Converts an inbound message; empty for a notice, `[undefined]` if its content does not match its type or nothing identifies its sender. */
export const inboundEvents = (
  message: InboundMessage,
  { phoneNumberId, profileNames }: InboundPlace,
): readonly (InboundEvent | undefined)[] => {
  if (NOTICES.has(message.type)) return [];
  const content = contentOf(message);
  const person = personOf(message.from, message.from_user_id);
  if (!content || !person) return [undefined];
  const inReplyTo = content.inReplyTo ?? message.context?.id;
  const profileName = profileNames.get(message.from || message.from_user_id || '');
  return [
    {
      kind: 'inbound',
      channel: 'whatsapp',
      providerMessageId: message.id,
      ...person,
      to: phoneNumberId,
      at: Number(message.timestamp) * 1000,
      ...content,
      ...definedFields({ inReplyTo, profileName, referral: message.referral }),
    },
  ];
};
