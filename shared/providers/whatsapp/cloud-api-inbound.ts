import * as z from 'zod';
import type { InboundEvent } from '../../domain/messages/provider.ts';
import { phoneOfWaId } from './wa-id.ts';

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

/** What every inbound message has (webhooks/reference/messages); the part that its type names is read by that type's form. */
export const inboundMessage = z.looseObject({
  from: z.string().regex(/^\d{5,20}$/),
  id: z.string().min(1).max(512),
  timestamp: z.string().regex(/^\d{1,12}$/),
  type: z.string(),
  context: z.object({ id: z.string().optional() }).optional(),
  referral: z.record(z.string(), z.unknown()).optional(),
});
type InboundMessage = z.infer<typeof inboundMessage>;

/** What an inbound message says, in the form of our payload. */
type Said = Pick<InboundEvent, 'type' | 'text' | 'payload' | 'inReplyTo'>;

const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const saidByMedia = (kind: string, { mime_type: mimeType, ...rest }: Media): Said => ({
  type: 'media',
  payload: { media: { kind, ...given({ ...rest, mimeType }) } },
  ...(rest.caption === undefined ? {} : { text: rest.caption }),
});

const saidByInteractive = (value: z.infer<typeof interactive>): Said => {
  const title = value.button_reply?.title ?? value.list_reply?.title;
  return {
    type: 'interactive',
    payload: { interactive: value },
    ...(title === undefined ? {} : { text: title }),
  };
};

/** A quick reply of a template: its text is what stood on the button. */
const saidByButton = (value: z.infer<typeof button>): Said => ({
  type: 'interactive',
  payload: { interactive: { type: 'button', button: value } },
  ...(value.text === undefined ? {} : { text: value.text }),
});

const asIs =
  (type: string) =>
  (value: unknown): Said => ({ type: 'interactive', payload: { interactive: { type, [type]: value } } });

const form = <T>(schema: z.ZodType<T>, said: (value: T) => Said) => ({
  read: (value: unknown): Said | undefined => {
    const parsed = schema.safeParse(value);
    return parsed.success ? said(parsed.data) : undefined;
  },
});

const object = z.record(z.string(), z.unknown());

/** The types of inbound messages that carry something, by name (webhooks/reference/messages/*). */
const FORMS: Readonly<Record<string, { read(value: unknown): Said | undefined }>> = {
  text: form(text, ({ body }) => ({ type: 'text', text: body, payload: {} })),
  image: form(media, (value) => saidByMedia('image', value)),
  audio: form(media, (value) => saidByMedia('audio', value)),
  video: form(media, (value) => saidByMedia('video', value)),
  document: form(media, (value) => saidByMedia('document', value)),
  sticker: form(media, (value) => saidByMedia('sticker', value)),
  interactive: form(interactive, saidByInteractive),
  button: form(button, saidByButton),
  reaction: form(reaction, (value) => ({ ...asIs('reaction')(value), inReplyTo: value.message_id })),
  location: form(object, asIs('location')),
  contacts: form(z.array(z.unknown()), asIs('contacts')),
  order: form(object, asIs('order')),
};

/** Notices of the platform about a person, such as a changed number: nobody wrote. */
const NOTICES = new Set(['system']);

/** A type without a form of its own still opens the window: it is kept by its name, without what it says. */
const saidOf = (message: InboundMessage): Said | undefined => {
  const known = Object.hasOwn(FORMS, message.type) ? FORMS[message.type] : undefined;
  if (known) return known.read(message[message.type]);
  return { type: 'interactive', payload: { interactive: { type: message.type } } };
};

/** Where a message came to, and who the platform says that its sender is. */
export interface InboundPlace {
  readonly phoneNumberId: string;
  readonly profileNames: ReadonlyMap<string, string>;
}

/** Reads an inbound message; nothing for a notice, undefined for one whose part has not its form. */
export const inboundEvents = (
  message: InboundMessage,
  { phoneNumberId, profileNames }: InboundPlace,
): readonly (InboundEvent | undefined)[] => {
  if (NOTICES.has(message.type)) return [];
  const said = saidOf(message);
  if (!said) return [undefined];
  const inReplyTo = said.inReplyTo ?? message.context?.id;
  const profileName = profileNames.get(message.from);
  return [
    {
      kind: 'inbound',
      channel: 'whatsapp',
      providerMessageId: message.id,
      from: phoneOfWaId(message.from),
      to: phoneNumberId,
      at: Number(message.timestamp) * 1000,
      ...said,
      ...given({ inReplyTo, profileName, referral: message.referral }),
    },
  ];
};
