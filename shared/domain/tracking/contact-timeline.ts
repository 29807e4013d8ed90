import type { Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { StoredMessage } from '../message/inbound-message.ts';
import { type AiTurn, turnDetail, turnView } from './ai-turn.ts';
import { unifiedStatus } from './views.ts';

/** The kinds of entries of a contact's timeline (docs/spec/contacts.md#contact-timeline). */
export const CONTACT_STEP_KINDS = ['sent', 'received', 'ai'] as const;

/** What a contact's timeline is made of. */
export type ContactItem = { readonly message: StoredMessage } | { readonly turn: AiTurn };

/** An entry on the wire. `at` is ISO 8601 in UTC. */
export interface ContactStep {
  readonly at: string;
  readonly kind: (typeof CONTACT_STEP_KINDS)[number];
  readonly detail: string;
  readonly messageId?: Id<'message'>;
  readonly turn?: ReturnType<typeof turnView>;
}

/** An entry of a contact's timeline; of a message without its text, which whoever may read messages reads there. */
export const contactStep = (item: ContactItem): ContactStep => {
  if ('turn' in item) {
    const { turn } = item;
    const about = turn.messageId === undefined ? {} : { messageId: turn.messageId };
    return { at: isoTime(turn.createdAt), kind: 'ai', detail: turnDetail(turn), ...about, turn: turnView(turn) };
  }
  const { id, channel, direction, createdAt } = item.message;
  const at = isoTime(createdAt);
  return direction === 'inbound'
    ? { at, kind: 'received', detail: channel, messageId: id }
    : { at, kind: 'sent', detail: `${channel}: ${unifiedStatus(item.message)}`, messageId: id };
};
