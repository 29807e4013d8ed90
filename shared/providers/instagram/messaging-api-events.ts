import * as z from 'zod';
import type { InboundEvent, ProviderEvent } from '../../domain/message/provider-port.ts';
import { type EntryEvents, eachOf } from '../entries.ts';

/**
 * An entry of a callback of the object `instagram` (developers.facebook.com/documentation/instagram-platform/webhooks/examples). Apps with
 * Instagram login receive the items of `messaging` in `changes`. `standby`, a conversation that another app handles, is ignored.
 */
export const instagramEntry = z.object({
  id: z.string().min(1),
  messaging: z.array(z.unknown()).optional(),
  changes: z.array(z.object({ field: z.string(), value: z.unknown() })).optional(),
});
type InstagramEntry = z.infer<typeof instagramEntry>;
/** Fields of `changes` with the content of `messaging`; comments and mentions are ignored. */
const MESSAGING_FIELDS = new Set(['messages', 'messaging_seen', 'messaging_postbacks', 'message_reactions']);

const object = z.record(z.string(), z.unknown());
const attachment = z.object({ type: z.string(), payload: object.optional() });
type Attachment = z.infer<typeof attachment>;
const message = z.object({
  mid: z.string().min(1).max(512),
  text: z.string().optional(),
  attachments: z.array(attachment).optional(),
  quick_reply: z.object({ payload: z.string() }).optional(),
  reply_to: z.object({ mid: z.string().optional(), story: object.optional() }).optional(),
  referral: object.optional(),
  is_echo: z.boolean().optional(),
  is_self: z.boolean().optional(),
  is_deleted: z.boolean().optional(),
  is_unsupported: z.boolean().optional(),
});
type Message = z.infer<typeof message>;
const postback = z.object({
  mid: z.string().min(1).max(512),
  title: z.string().optional(),
  payload: z.string().optional(),
  referral: object.optional(),
});
const reaction = z.object({
  mid: z.string().min(1).max(400),
  action: z.string(),
  reaction: z.string().optional(),
  emoji: z.string().optional(),
});

/** One item; `timestamp` in ms. */
const item = z.object({
  sender: z.object({ id: z.string().min(1).max(64) }),
  recipient: z.object({ id: z.string().min(1).max(64) }),
  timestamp: z.coerce.number().nonnegative(),
  message: message.optional(),
  postback: postback.optional(),
  reaction: reaction.optional(),
  read: z.object({ mid: z.string().min(1) }).optional(),
});
type Item = z.infer<typeof item>;
type InboundContent = Pick<InboundEvent, 'type' | 'text' | 'payload'>;

/** Attachments that are files; others refer to Instagram content such as a post or a story. */
const KINDS: Readonly<Record<string, string>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'document',
};

const attachmentContent = (first: Attachment, all: readonly Attachment[], text: string | undefined): InboundContent => {
  const kind = KINDS[first.type];
  const textField = text === undefined ? {} : { text };
  const more = all.length > 1 ? { attachments: all } : {};
  if (kind) return { type: 'media', ...textField, payload: { media: { kind, url: first.payload?.url }, ...more } };
  return { type: 'interactive', ...textField, payload: { interactive: { ...first }, ...more } };
};

const contentOf = ({
  text,
  attachments = [],
  quick_reply: quick,
  reply_to: replyTo,
  is_unsupported,
}: Message): InboundContent => {
  const textField = text === undefined ? {} : { text };
  const story = replyTo?.story ? { story: replyTo.story } : {};
  if (quick)
    return { type: 'interactive', ...textField, payload: { interactive: { type: 'quick_reply', quick_reply: quick } } };
  const [first] = attachments;
  if (first) {
    const content = attachmentContent(first, attachments, text);
    return { ...content, payload: { ...content.payload, ...story } };
  }
  if (text !== undefined) return { type: 'text', text, payload: story };
  return {
    type: 'interactive',
    payload: { interactive: { type: is_unsupported ? 'unsupported' : 'unknown' }, ...story },
  };
};

const inbound = (
  { sender, recipient, timestamp }: Item,
  providerMessageId: string,
  content: InboundContent,
): InboundEvent => ({
  kind: 'inbound',
  channel: 'instagram',
  providerMessageId,
  from: sender.id,
  to: recipient.id,
  at: timestamp,
  ...content,
});

/** Ignores echoes of what the account itself wrote, and deleted messages. */
const messageEvents = (found: Item, received: Message): readonly ProviderEvent[] => {
  if (received.is_echo || received.is_self || received.is_deleted) return [];
  const inReplyTo = received.reply_to?.mid;
  return [
    {
      ...inbound(found, received.mid, contentOf(received)),
      ...(inReplyTo === undefined ? {} : { inReplyTo }),
      ...(received.referral ? { referral: received.referral } : {}),
    },
  ];
};

const postbackEvent = (found: Item, { mid, referral, ...pressed }: z.infer<typeof postback>): InboundEvent => ({
  ...inbound(found, mid, {
    type: 'interactive',
    payload: { interactive: { type: 'postback', postback: pressed } },
    ...(pressed.title === undefined ? {} : { text: pressed.title }),
  }),
  ...(referral ? { referral } : {}),
});

/** A reaction has no id of its own: it is identified by message, sender and time. Removed reactions are ignored. */
const reactionEvents = (found: Item, received: z.infer<typeof reaction>): readonly ProviderEvent[] => {
  if (received.action !== 'react') return [];
  const { mid, action: _, ...rest } = received;
  const id = `${mid}:reaction:${found.sender.id}:${found.timestamp}`;
  const event = inbound(found, id, {
    type: 'interactive',
    payload: { interactive: { type: 'reaction', reaction: { message_id: mid, ...rest } } },
  });
  return [{ ...event, inReplyTo: mid }];
};

const itemEvents = (found: Item): EntryEvents => {
  if (found.message) return messageEvents(found, found.message);
  if (found.postback) return [postbackEvent(found, found.postback)];
  if (found.reaction) return reactionEvents(found, found.reaction);
  if (!found.read) return [];
  return [{ kind: 'receipt', providerMessageId: found.read.mid, status: 'read', at: found.timestamp }];
};

export const instagramEvents = ({ messaging, changes = [] }: InstagramEntry): EntryEvents => [
  ...eachOf(item, messaging, itemEvents),
  ...eachOf(
    item,
    changes.flatMap(({ field, value }) => (MESSAGING_FIELDS.has(field) ? [value] : [])),
    itemEvents,
  ),
];
