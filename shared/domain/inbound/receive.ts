import type { Environment } from '../actor.ts';
import type { Contact } from '../contacts/contact.ts';
import { contactEvent } from '../contacts/events.ts';
import { parseAddress } from '../email/address.ts';
import { Unavailable } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Id } from '../ids.ts';
import type { RecipientKind } from '../messages/channel.ts';
import { rulesOf } from '../messages/channels.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { Channel, InboundEvent } from '../messages/provider.ts';
import type { Clock } from '../time.ts';
import { inboundPayload, profileNameOf } from './content.ts';
import { receivedEvent } from './events.ts';
import { type InboundDecision, type InboundMessage, inboundIdOf } from './message.ts';
import { OPT_OUT_CHANNELS, type OptOutWord, optOutWordOf } from './opt-out-words.ts';
import { type CodeLink, codesIn, originOf } from './origin.ts';

/** Whose an inbound message is. */
export interface Receiver {
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
}

/** How a sender is looked up. */
export interface SenderKey {
  readonly channel: Channel;
  readonly kind: RecipientKind;
  /** Blind index of the sender. */
  readonly hash: string;
  /** The number that it wrote to: each has a window of its own. */
  readonly numberId?: string | undefined;
  /** Who it is if nobody has this phone or address: the contact that the answered message named. */
  readonly otherwise?: Id<'contact'> | undefined;
}
/** What is known of a sender, as one moment shows it. */
export interface Sender {
  readonly contact?: Contact | undefined;
  /** The sender is no contact's for good, and what it said of consent stands on itself, besides the contact that it is known as. */
  readonly own?: { readonly optedOut: boolean } | undefined;
  /** When it last wrote on the channel, to this number where one is named, in ms. */
  readonly lastInboundAt?: number | undefined;
}

/** What one transaction writes when a message comes in. Of what is absent nothing changes. */
export interface InboundChange {
  readonly message: InboundMessage;
  /** The received event first. */
  readonly events: readonly DomainEvent[];
  /** The window of the platform opens, or stays open longer. */
  readonly opensWindow: boolean;
  /** The contact as it was read, and as it becomes. With `consent` it opts out; without, only its last interaction and its profile move. */
  readonly contact?: { readonly before: Contact; readonly after: Contact; readonly consent: boolean } | undefined;
  /** The sender opts out by itself, whoever it is known as. */
  readonly ownOptOut?: { readonly at: number; readonly reason: string } | undefined;
}
/** `moved`: what was read of the sender is no longer so; read it again. */
export type InboundOutcome = 'kept' | 'repeated' | 'moved';

export interface InboundReads {
  readonly clock: Clock;
  readonly hashTo: (organizationId: string, kind: RecipientKind, value: string) => Promise<string>;
  readonly sender: (organizationId: string, key: SenderKey) => Promise<Sender>;
  /** The links of the organization among these codes, in their order. */
  readonly links: (organizationId: string, codes: readonly string[]) => Promise<readonly CodeLink[]>;
}
export interface InboundPorts extends InboundReads {
  /** The message of the organization's that an event says it answers. */
  readonly answered: (organizationId: string, event: InboundEvent) => Promise<MessageRecord | undefined>;
  /** Which of the organization's numbers or accounts it came to. */
  readonly accountOf: (
    organizationId: string,
    event: InboundEvent,
  ) => Promise<Pick<InboundMessage, 'numberId' | 'instagramAccountId'>>;
  readonly keep: (change: InboundChange) => Promise<InboundOutcome>;
}

/** What does not depend on the sender's state, and is found once. */
export interface Incoming {
  readonly message: InboundMessage;
  readonly key: SenderKey;
  readonly answered?: MessageRecord | undefined;
  readonly profileName?: string | undefined;
  /** The word by which the sender opts out. */
  readonly word?: OptOutWord | undefined;
}

/** Tries against a sender who moves at the same time. */
const TRIES = 10;
/** Platforms that take free texts for a time after their user wrote. */
const WINDOWED: ReadonlySet<Channel> = new Set(['whatsapp', 'instagram']);

/** Reads what an event says: its content, where it came from, and by which index its sender is found. */
export const incoming = async (
  ports: InboundReads,
  { organizationId, env }: Receiver,
  event: InboundEvent,
  {
    answered,
    reference,
    ...account
  }: Pick<InboundMessage, 'numberId' | 'instagramAccountId'> & {
    readonly answered?: MessageRecord | undefined;
    /** What makes a repeat the same message; the platform's id unless several providers carry the channel. */
    readonly reference?: string;
  },
): Promise<Incoming> => {
  const now = ports.clock();
  const { channel, type, from } = event;
  const kind = rulesOf(channel).recipient;
  const hash = await ports.hashTo(organizationId, kind, kind === 'email' ? (parseAddress(from) ?? from) : from);
  const codes = codesIn(event.text);
  const [link] = codes.length > 0 ? await ports.links(organizationId, codes) : [];
  const sentAt = Math.max(0, Math.min(event.at, now));
  const message: InboundMessage = {
    id: inboundIdOf(organizationId, channel, reference ?? event.providerMessageId),
    organizationId,
    env,
    direction: 'inbound',
    channel,
    type,
    status: 'delivered',
    from,
    fromHash: hash,
    to: event.to ?? '',
    payload: inboundPayload(event),
    ...account,
    inReplyTo: answered?.id,
    origemDoLink: originOf(link, event.referral),
    providerMessageId: event.providerMessageId,
    sentAt,
    createdAt: now,
    decisions: [],
  };
  return {
    message,
    key: { channel, kind, hash, numberId: account.numberId, otherwise: answered?.contactId },
    answered,
    profileName: profileNameOf(event),
    word: OPT_OUT_CHANNELS.has(channel) ? optOutWordOf(event) : undefined,
  };
};

const optOutReason = (word: OptOutWord, channel: Channel) => `asked by ${channel}: ${word}`;

/** Whether a contact gave its consent after a moment. */
const consentsSince = ({ optIn }: Contact, at: number): boolean =>
  optIn.status === 'granted' && optIn.at !== undefined && optIn.at > at;

/** Whether a word that was written at a moment takes a contact out: not twice, and not over a consent that was given later. */
export const takesOut = (contact: Contact, at: number): boolean =>
  contact.optIn.status !== 'denied' && !consentsSince(contact, at);

/** The contact after it wrote: a later interaction wins, whatever the order in which messages come. */
const contactChange = (
  { message, profileName, word }: Incoming,
  before: Contact | undefined,
): InboundChange['contact'] => {
  if (!before) return undefined;
  const { sentAt, createdAt, channel } = message;
  const later = sentAt > (before.lastInteractionAt ?? -1);
  const consent = word !== undefined && takesOut(before, sentAt);
  if (!later && !consent) return undefined;
  const after: Contact = {
    ...before,
    ...(later ? { lastInteractionAt: sentAt, ...(profileName ? { whatsappProfileName: profileName } : {}) } : {}),
    ...(consent
      ? {
          optIn: {
            ...before.optIn,
            status: 'denied',
            revokedAt: sentAt,
            revokedReason: optOutReason(word, channel),
          },
        }
      : {}),
    updatedAt: createdAt,
    version: before.version + 1,
  };
  return { before, after, consent };
};

/** What a word does to the sender's own standing. Said again it changes nothing, unless it now takes out a contact, who may take it back. */
const ownOptOutOf = (
  { message: { sentAt, channel }, word }: Incoming,
  { contact, own }: Sender,
  takesContactOut: boolean,
): InboundChange['ownOptOut'] => {
  if (!word || !own || (contact && consentsSince(contact, sentAt))) return undefined;
  return own.optedOut && !takesContactOut ? undefined : { at: sentAt, reason: optOutReason(word, channel) };
};

const decisionsOf = (
  { message: { createdAt: at, channel }, word }: Incoming,
  sender: Sender,
  opensWindow: boolean,
  optsOut: boolean,
): InboundDecision[] => {
  const said: (readonly [InboundDecision['kind'], string])[] = [
    ['receipt', `received by ${channel}`],
    ['contact', sender.contact ? 'sent by a contact' : 'no contact is known by who sent it'],
  ];
  if (WINDOWED.has(channel))
    said.push(['window', opensWindow ? 'opens the 24-hour window' : 'a later message keeps the window open']);
  if (word) said.push(['consent', optsOut ? `${word}: opted out of every channel` : `${word}: changes nothing`]);
  return said.map(([kind, detail]) => ({ at, kind, detail }));
};

/** What a message changes, given what is known of its sender. Pure. */
export const changeOf = (
  found: Incoming,
  sender: Sender,
  data: (message: InboundMessage) => Readonly<Record<string, unknown>> = () => ({}),
): InboundChange => {
  const { answered } = found;
  const { sentAt, createdAt, channel } = found.message;
  const opensWindow = WINDOWED.has(channel) && sentAt > (sender.lastInboundAt ?? -1);
  const contact = contactChange(found, sender.contact);
  const ownOptOut = ownOptOutOf(found, sender, contact?.consent === true);
  const optedOut = contact?.consent === true || ownOptOut !== undefined;
  const message: InboundMessage = {
    ...found.message,
    contactId: sender.contact?.id,
    decisions: decisionsOf(found, sender, opensWindow, optedOut),
  };
  const events = [
    receivedEvent(message, answered, { ...(optedOut ? { optedOut: true } : {}), ...data(message) }),
    ...(contact?.consent ? [contactEvent('contact.opted_out', contact.after, createdAt)] : []),
  ];
  return { message, events, opensWindow, contact, ownOptOut };
};

/** Keeps what came in, over a sender who may move at the same time. */
export const settleInbound = async (
  ports: Pick<InboundReads, 'sender'>,
  found: Incoming,
  keep: (sender: Sender) => Promise<InboundOutcome>,
): Promise<'kept' | 'repeated'> => {
  for (let turn = 0; turn < TRIES; turn++) {
    const outcome = await keep(await ports.sender(found.message.organizationId, found.key));
    if (outcome !== 'moved') return outcome;
  }
  throw new Unavailable('The sender of the message moved at every try.');
};

/**
 * Takes a message that somebody sent to the organization. One transaction keeps it, opens the platform's window, moves the contact's last
 * interaction and profile name, takes out who wrote a word of opt-out, and raises the events; a repeat of the callback finds the message
 * and changes nothing. An unknown sender makes no contact. Throws Unavailable when the table or the sender moved at every try.
 */
export const receiveInbound = async (
  ports: InboundPorts,
  receiver: Receiver,
  event: InboundEvent,
): Promise<'kept' | 'repeated'> => {
  const { organizationId } = receiver;
  const [answered, account] = await Promise.all([
    ports.answered(organizationId, event),
    ports.accountOf(organizationId, event),
  ]);
  const found = await incoming(ports, receiver, event, { ...account, answered });
  return settleInbound(ports, found, (sender) => ports.keep(changeOf(found, sender)));
};
