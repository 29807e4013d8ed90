import { definedFields } from '../../core/patch.ts';
import { maskPhone } from '../../core/phone.ts';
import { isoTime } from '../../core/time.ts';
import type { MessageOf, MessageStatus } from '../../message/message.ts';
import { shownTexts } from '../../message/shown-texts.ts';
import { asAccepted, statusesShownAs, tagsOf, timestampsOf } from '../../message/view-parts.ts';
import type { RcsCard, RcsRoute, RcsStatus } from './content.ts';

type Rcs = MessageOf<'rcs'>;

/** API status of each pipeline status: a message being sent is still queued to its caller (docs/spec/rcs.md#rcs-statuses). */
const WIRE_STATUS: Readonly<Record<MessageStatus, RcsStatus>> = {
  queued: 'queued',
  sending: 'queued',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  undelivered: 'failed',
  bounced: 'failed',
  complained: 'read',
};

export const statesOf = (status: RcsStatus) => statusesShownAs(WIRE_STATUS, status);

const cardView = ({ suggestions, ...card }: RcsCard) => ({
  ...card,
  ...(suggestions ? { suggestions: suggestions.map((button) => ({ ...button })) } : {}),
});

const contentView = ({ content: { text, card } }: Rcs) => definedFields({ text, card: card && cardView(card) });

/**
 * An RCS message as the API returns it (docs/spec/rcs.md#rcs-shape). `channel` is absent until the provider reports it. The recipient is
 * masked without pii:full.
 */
export const rcsView = (message: Rcs, unmasked: boolean) => ({
  id: message.id,
  to: unmasked ? message.to : maskPhone(message.to),
  content: shownTexts(message, contentView(message), unmasked),
  route: message.route as RcsRoute,
  status: WIRE_STATUS[message.status],
  env: message.env,
  createdAt: isoTime(message.createdAt),
  ...definedFields({ channel: message.via, failureReason: message.reason }),
  ...tagsOf(message),
  ...timestampsOf(message, 'sentAt', 'deliveredAt', 'readAt'),
});

/** The send's response: the message as its provider accepted it, the same on every replay (docs/spec/sends.md#replay). */
export const sentRcsView = (message: Rcs, unmasked: boolean, replayed: boolean) => ({
  ...rcsView(asAccepted(message), unmasked),
  billing: { coins: message.coins },
  replayed,
});
