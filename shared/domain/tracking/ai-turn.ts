import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import { derivedId, type Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { maskPhone } from '../core/phone.ts';
import { isoTime } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Channel } from '../message/channel.ts';

/** Who spoke in a turn: the person, or the assistant. */
export const AI_ROLES = ['user', 'assistant'] as const;
export type AiRole = (typeof AI_ROLES)[number];

/** One turn of a conversation between a contact and the organization's own assistant, as reported (docs/spec/ai.md#reporting-a-turn). */
export interface AiTurn extends Tenant {
  readonly id: Id<'aiTurn'>;
  readonly contactId: Id<'contact'>;
  /** The message that the turn read or answered. */
  readonly messageId?: Id<'message'> | undefined;
  readonly channel: Channel;
  /** The caller's name of the assistant's model. */
  readonly model: string;
  readonly role: AiRole;
  readonly text?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** SHA-256 of the report, to recognize a repeat under the same Idempotency-Key. */
  readonly requestHash: string;
  /** In ms. */
  readonly createdAt: number;
}

/** The fields of a turn that responses and events share. */
const shownFields = ({ id, contactId, messageId, channel, model, role, text, metadata }: AiTurn) => ({
  id,
  contactId,
  channel,
  model,
  role,
  ...definedFields({ messageId, text, metadata: metadata && { ...metadata } }),
});

/** A turn on the wire. */
export const turnView = (turn: AiTurn) => ({ ...shownFields(turn), createdAt: isoTime(turn.createdAt) });

/** The id of a turn's event: derived, so that an erasure finds it. */
export const turnEventId = (id: Id<'aiTurn'>): Id<'event'> => derivedId('event', [id]);

/** The event of a turn; the contact's phone is masked, and delivery unmasks it for subscriptions that may see it. */
export const turnEvent = (turn: AiTurn, { phone }: Pick<Contact, 'phone'>): DomainEvent => {
  const { organizationId, env, createdAt } = turn;
  const data = { ...shownFields(turn), phone: maskPhone(phone) };
  return { id: turnEventId(turn.id), type: 'ai.interaction', organizationId, env, createdAt, data };
};

/** The timeline text of a turn; never its content. */
export const turnDetail = ({ role, model, channel }: Pick<AiTurn, 'channel' | 'model' | 'role'>): string =>
  role === 'user' ? `the person to ${model} on ${channel}` : `${model} on ${channel}`;
