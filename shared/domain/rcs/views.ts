import type { MessageOf, MessageStatus } from '../messages/message.ts';
import { asAccepted, given, momentsOf, statesCalled, tagsOf } from '../messages/view-parts.ts';
import { maskPhone } from '../phone.ts';
import { isoTime } from '../time.ts';
import type { RcsCard, RcsRoute, RcsStatus } from './content.ts';

type Rcs = MessageOf<'rcs'>;

/** What the wire calls each state of the pipeline: a message under way is still queued to its caller (interface, 2.7). */
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

export const statesOf = (status: RcsStatus) => statesCalled(WIRE_STATUS, status);

const cardView = ({ suggestions, ...card }: RcsCard) => ({
  ...card,
  ...(suggestions ? { suggestions: suggestions.map((button) => ({ ...button })) } : {}),
});

const contentView = ({ content: { text, card } }: Rcs) => ({
  ...(text === undefined ? {} : { text }),
  ...(card ? { card: cardView(card) } : {}),
});

/** interface 2.7: the message as it stands. `channel` is absent until the provider told. The recipient is masked without pii:full. */
export const rcsView = (message: Rcs, unmasked: boolean) => ({
  id: message.id,
  to: unmasked ? message.to : maskPhone(message.to),
  content: contentView(message),
  route: message.route as RcsRoute,
  status: WIRE_STATUS[message.status],
  env: message.env,
  createdAt: isoTime(message.createdAt),
  ...given({ channel: message.via, failureReason: message.reason }),
  ...tagsOf(message),
  ...momentsOf(message, 'sentAt', 'deliveredAt', 'readAt'),
});

/** interface 4.6, create response: the message as its provider accepted it, the same on every replay. */
export const sentRcsView = (message: Rcs, unmasked: boolean, replayed: boolean) => ({
  ...rcsView(asAccepted(message), unmasked),
  billing: { coins: message.coins },
  replayed,
});
