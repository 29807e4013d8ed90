import * as z from 'zod';
import type { InboundEvent, ProviderEvent } from '../../domain/messages/provider.ts';
import { type EntryEvents, eachOf } from '../meta/webhook.ts';

/**
 * An entry of a callback of the object `instagram` (developers.facebook.com/documentation/instagram-platform/webhooks/examples). What
 * an app with Instagram login is sent as `changes` has the same parts as `messaging`. `standby` is another app's conversation.
 */
export const instagramEntry = z.object({
  id: z.string().min(1),
  messaging: z.array(z.unknown()).optional(),
  changes: z.array(z.object({ field: z.string(), value: z.unknown() })).optional(),
});
type InstagramEntry = z.infer<typeof instagramEntry>;
/** The fields of `changes` that stand for messaging; comments and mentions are none of ours. */
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

/** One item; `timestamp` is in ms. */
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
type Said = Pick<InboundEvent, 'type' | 'text' | 'payload'>;

/** Attachments that are files of the sender's own; the others point to something on the platform. */
const KINDS: Readonly<Record<string, string>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'document',
};

const saidByAttachments = (first: Attachment, all: readonly Attachment[], text: string | undefined): Said => {
  const kind = KINDS[first.type];
  const words = text === undefined ? {} : { text };
  const more = all.length > 1 ? { attachments: all } : {};
  if (kind) return { type: 'media', ...words, payload: { media: { kind, url: first.payload?.url }, ...more } };
  return { type: 'interactive', ...words, payload: { interactive: { ...first }, ...more } };
};

const saidBy = ({ text, attachments = [], quick_reply: quick, reply_to: replyTo, is_unsupported }: Message): Said => {
  const words = text === undefined ? {} : { text };
  const story = replyTo?.story ? { story: replyTo.story } : {};
  if (quick)
    return { type: 'interactive', ...words, payload: { interactive: { type: 'quick_reply', quick_reply: quick } } };
  const [first] = attachments;
  if (first) {
    const said = saidByAttachments(first, attachments, text);
    return { ...said, payload: { ...said.payload, ...story } };
  }
  if (text !== undefined) return { type: 'text', text, payload: story };
  return {
    type: 'interactive',
    payload: { interactive: { type: is_unsupported ? 'unsupported' : 'unknown' }, ...story },
  };
};

const inbound = ({ sender, recipient, timestamp }: Item, providerMessageId: string, said: Said): InboundEvent => ({
  kind: 'inbound',
  channel: 'instagram',
  providerMessageId,
  from: sender.id,
  to: recipient.id,
  at: timestamp,
  ...said,
});

/** Echoes of what the account itself wrote, and messages that were taken back, are nothing that came in. */
const messageEvents = (found: Item, said: Message): readonly ProviderEvent[] => {
  if (said.is_echo || said.is_self || said.is_deleted) return [];
  const inReplyTo = said.reply_to?.mid;
  return [
    {
      ...inbound(found, said.mid, saidBy(said)),
      ...(inReplyTo === undefined ? {} : { inReplyTo }),
      ...(said.referral ? { referral: said.referral } : {}),
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

/** A reaction has no id of its own: who reacted when to what tells it from others. One that is taken back says nothing. */
const reactionEvents = (found: Item, said: z.infer<typeof reaction>): readonly ProviderEvent[] => {
  if (said.action !== 'react') return [];
  const { mid, action: _, ...rest } = said;
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

/** What an entry says. */
export const instagramEvents = ({ messaging, changes = [] }: InstagramEntry): EntryEvents => [
  ...eachOf(item, messaging, itemEvents),
  ...eachOf(
    item,
    changes.flatMap(({ field, value }) => (MESSAGING_FIELDS.has(field) ? [value] : [])),
    itemEvents,
  ),
];
