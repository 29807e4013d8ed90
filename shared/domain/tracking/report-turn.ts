import { createHash } from 'node:crypto';
import { channelOf } from '../channels/registry.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Actor } from '../core/actor.ts';
import { canonical } from '../core/canonical.ts';
import { parseAddress } from '../core/email-address.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../core/errors.ts';
import { derivedId, type Id, newId } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Channel, RecipientKind } from '../message/channel.ts';
import type { StoredMessage } from '../message/inbound-message.ts';
import { phoneOf, recipientIdOf } from '../message/recipient.ts';
import { type AiTurn, turnEvent } from './ai-turn.ts';

/** A report of a turn: its fields, and the contact by either its id or its address on the channel. */
export interface TurnReport extends Pick<AiTurn, 'channel' | 'messageId' | 'metadata' | 'model' | 'role' | 'text'> {
  readonly contactId?: Id<'contact'> | undefined;
  readonly to?: string | undefined;
}

/** A stored turn, and whether an earlier report under the same key stored it. */
export interface ReportedTurn {
  readonly turn: AiTurn;
  readonly replayed: boolean;
}

export interface TurnPorts {
  readonly clock: Clock;
  readonly readContact: (organizationId: Id<'organization'>, id: Id<'contact'>) => Promise<Contact | undefined>;
  /** The contact with an address on a channel, if any. */
  readonly contactAt: (
    organizationId: Id<'organization'>,
    at: { readonly channel: Channel; readonly kind: RecipientKind; readonly address: string },
  ) => Promise<Id<'contact'> | undefined>;
  readonly readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => Promise<StoredMessage | undefined>;
  readonly readTurn: (id: Id<'aiTurn'>) => Promise<AiTurn | undefined>;
  /** Stores a turn and raises its event in one transaction; false if the turn is already stored, or its contact is gone. */
  readonly store: (turn: AiTurn, event: DomainEvent) => Promise<boolean>;
}

type Invalid = Refusal<'VALIDATION_ERROR'>;
const invalid = (path: string, message: string): Invalid =>
  refuseField('The turn names nothing that is known.', path, message);

/** A normalized address of the channel; 422 if it is invalid. */
const addressOf = (kind: RecipientKind, to: string): string | Invalid => {
  if (kind === 'phone') return phoneOf(to);
  return kind === 'email' ? (parseAddress(to) ?? invalid('to', 'must be an e-mail address')) : recipientIdOf(to);
};

const contactOf = async (
  ports: TurnPorts,
  organizationId: Id<'organization'>,
  { contactId, to = '', channel }: TurnReport,
): Promise<Contact | Invalid> => {
  const path = contactId === undefined ? 'to' : 'contactId';
  const kind = channelOf(channel).recipient;
  const address = contactId ?? addressOf(kind, to);
  if (isRefusal(address)) return address;
  const id = contactId ?? (await ports.contactAt(organizationId, { channel, kind, address }));
  const contact = id && (await ports.readContact(organizationId, id));
  return contact ?? invalid(path, 'belongs to no contact');
};

/** Refuses a message that is not the organization's, or that belongs to another contact. */
const messageFault = async (
  ports: TurnPorts,
  organizationId: Id<'organization'>,
  messageId: Id<'message'> | undefined,
  contact: Contact,
): Promise<Invalid | undefined> => {
  if (messageId === undefined) return undefined;
  const message = await ports.readMessage(organizationId, messageId);
  if (!message) return invalid('messageId', 'there is no such message');
  const { contactId = contact.id } = message;
  return contactId === contact.id ? undefined : invalid('messageId', 'is a message of another contact');
};

/** Returns the turn for a repeat under a key; 409 if the key was used for another report. */
const repeatOf = (turn: AiTurn, requestHash: string): ReportedTurn | Refusal<'CONFLICT'> =>
  turn.requestHash === requestHash
    ? { turn, replayed: true }
    : refuse('CONFLICT', 'This Idempotency-Key was used for another turn.');

/**
 * Stores a turn of the caller's own assistant, and raises ai.interaction, once per key (docs/spec/ai.md#reporting-a-turn). 422 for an
 * unknown contact or message; 409 for a key that was used for another turn. Throws Unavailable if the contact was deleted meanwhile.
 */
export const reportTurn = async (
  ports: TurnPorts,
  { organizationId, env }: Actor,
  report: TurnReport,
  callerKey: string | undefined,
): Promise<ReportedTurn | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const id = callerKey === undefined ? newId('aiTurn') : derivedId('aiTurn', [organizationId, env, callerKey]);
  const requestHash = createHash('sha256')
    .update(JSON.stringify(canonical(report)))
    .digest('base64url');
  const before = callerKey === undefined ? undefined : await ports.readTurn(id);
  if (before) return repeatOf(before, requestHash);
  const contact = await contactOf(ports, organizationId, report);
  if (isRefusal(contact)) return contact;
  const fault = await messageFault(ports, organizationId, report.messageId, contact);
  if (fault) return fault;
  const { contactId: _, to: __, ...fields } = report;
  const turn: AiTurn = {
    ...fields,
    id,
    organizationId,
    env,
    contactId: contact.id,
    requestHash,
    createdAt: ports.clock(),
  };
  if (await ports.store(turn, turnEvent(turn, contact))) return { turn, replayed: false };
  const rival = await ports.readTurn(id);
  if (!rival) throw new Unavailable('The contact of the turn changed meanwhile.');
  // A row from this call's own commit, whose response was lost, is the first report and not a repeat.
  const isOurs = rival.requestHash === requestHash && rival.createdAt === turn.createdAt;
  return isOurs ? { turn: rival, replayed: false } : repeatOf(rival, requestHash);
};
