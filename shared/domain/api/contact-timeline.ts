import type { Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { type CustomerEvent, customerEventView } from '../customer-events/customer-event.ts';
import type { StoredMessage } from '../message/inbound-message.ts';
import { type AiTurn, turnDetail, turnView } from '../tracking/ai-turn.ts';
import { unifiedStatus } from '../tracking/views.ts';

/** The kinds of entries of a contact's timeline (docs/spec/contacts.md#contact-timeline). */
export const CONTACT_STEP_KINDS = ['sent', 'received', 'ai', 'event'] as const;

/** The sources of a contact's timeline. */
export type ContactItem =
  | { readonly message: StoredMessage }
  | { readonly turn: AiTurn }
  | { readonly event: CustomerEvent };

/** An entry on the wire. `at` is ISO 8601 in UTC. */
export interface ContactStep {
  readonly at: string;
  readonly kind: (typeof CONTACT_STEP_KINDS)[number];
  readonly detail: string;
  readonly messageId?: Id<'message'>;
  readonly turn?: ReturnType<typeof turnView>;
  readonly event?: ReturnType<typeof customerEventView>;
}

/** An entry of a contact's timeline. A message's entry omits its text, which needs the permission to read messages. */
export const contactStep = (item: ContactItem): ContactStep => {
  if ('turn' in item) {
    const { turn } = item;
    const about = turn.messageId === undefined ? {} : { messageId: turn.messageId };
    return { at: isoTime(turn.createdAt), kind: 'ai', detail: turnDetail(turn), ...about, turn: turnView(turn) };
  }
  if ('event' in item) {
    const { event } = item;
    const about = event.attribution ? { messageId: event.attribution.messageId } : {};
    const at = isoTime(event.occurredAt);
    return { at, kind: 'event', detail: event.name, ...about, event: customerEventView(event, false) };
  }
  const { id, channel, direction, createdAt } = item.message;
  const at = isoTime(createdAt);
  return direction === 'inbound'
    ? { at, kind: 'received', detail: channel, messageId: id }
    : { at, kind: 'sent', detail: `${channel}: ${unifiedStatus(item.message)}`, messageId: id };
};
