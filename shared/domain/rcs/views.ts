import type { MessageOf, MessageStatus } from '../messages/message.ts';
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

/** The states of the pipeline that the wire calls by this name: what a list that is filtered by it looks for. */
export const statesOf = (status: RcsStatus): MessageStatus[] =>
  (Object.keys(WIRE_STATUS) as MessageStatus[]).filter((state) => WIRE_STATUS[state] === status);

const times = (message: Rcs) => ({
  createdAt: isoTime(message.createdAt),
  ...(message.sentAt === undefined ? {} : { sentAt: isoTime(message.sentAt) }),
  ...(message.deliveredAt === undefined ? {} : { deliveredAt: isoTime(message.deliveredAt) }),
  ...(message.readAt === undefined ? {} : { readAt: isoTime(message.readAt) }),
});

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
  ...(message.via ? { channel: message.via } : {}),
  env: message.env,
  ...(message.contactId ? { contactId: message.contactId } : {}),
  ...(message.campaignId === undefined ? {} : { campaignId: message.campaignId }),
  ...(message.metadata ? { metadata: { ...message.metadata } } : {}),
  ...(message.reason === undefined ? {} : { failureReason: message.reason }),
  ...times(message),
});

/** interface 4.6, create response: the message as its provider accepted it, the same on every replay. */
export const sentRcsView = (message: Rcs, unmasked: boolean, replayed: boolean) => {
  const { deliveredAt: _, readAt: __, reason: ___, via: ____, ...asAccepted } = message;
  return { ...rcsView({ ...asAccepted, status: 'sent' }, unmasked), billing: { coins: message.coins }, replayed };
};
