import { consentsSince, wouldOptOut } from '../contacts/consent.ts';
import type { Contact } from '../contacts/contact.ts';
import { contactEvent } from '../contacts/events.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Channel } from '../message/channel.ts';
import { type InboundDecision, type InboundMessage, inboundIdOf } from '../message/inbound-message.ts';
import type { MessageRecord } from '../message/message.ts';
import type { InboundEvent } from '../message/provider-port.ts';
import { type RunSignal, runSignal } from '../message/run-signal.ts';
import { inboundPayload, profileNameOf } from './content.ts';
import { receivedEvent } from './events.ts';
import { OPT_OUT_CHANNELS, type OptOutWord, optOutWordOf } from './opt-out-words.ts';
import { type CodeLink, codesIn, originOf } from './origin.ts';
import { identifySender, type Sender, type SenderKey, type SenderReads, type Stop } from './sender.ts';

/** The writes of one transaction for an inbound message; absent parts change nothing. */
export interface InboundChange {
  readonly message: InboundMessage;
  /** The received event first. */
  readonly events: readonly DomainEvent[];
  /** The 24-hour window opens or is extended. */
  readonly opensWindow: boolean;
  /** The contact as read and as it becomes: opted out with `consent`, else only a new last interaction and profile name. */
  readonly contact?: { readonly before: Contact; readonly after: Contact; readonly consent: boolean } | undefined;
  /** Set if a journey that waits for an answer sent the answered message. */
  readonly signal?: RunSignal | undefined;
  /** Opt-out on the sender's own row. */
  readonly ownOptOut?: (Stop & Pick<SenderKey, 'kind'>) | undefined;
  /**
   * A user id that belongs to the sender's phone, as blind indexes. `hadOptOut`: its row holds an opt-out, which this change moves to the
   * phone.
   */
  readonly userLink?:
    | { readonly userHash: string; readonly phoneHash: string; readonly hadOptOut: boolean }
    | undefined;
}
/** `conflict`: the sender's state changed since it was read; read it again. */
export type InboundOutcome = 'kept' | 'repeated' | 'conflict';

export interface InboundReads extends SenderReads {
  readonly clock: Clock;
  readonly sender: (organizationId: Id<'organization'>, key: SenderKey) => Promise<Sender>;
  /** The organization's links among these codes, in order. */
  readonly links: (organizationId: Id<'organization'>, codes: readonly string[]) => Promise<readonly CodeLink[]>;
}
export interface InboundPorts extends InboundReads {
  /** The organization's message that the event replies to. */
  readonly repliedTo: (organizationId: Id<'organization'>, event: InboundEvent) => Promise<MessageRecord | undefined>;
  /** The organization's number or account that received it. */
  readonly accountOf: (
    organizationId: Id<'organization'>,
    event: InboundEvent,
  ) => Promise<Pick<InboundMessage, 'numberId' | 'instagramAccountId'>>;
  readonly store: (change: InboundChange) => Promise<InboundOutcome>;
}

/** The parts that are derived from the event once; they do not depend on the sender's state. */
export interface ParsedInbound {
  readonly message: InboundMessage;
  readonly key: SenderKey;
  readonly repliedTo?: MessageRecord | undefined;
  /** The answered message: the one that it replies to, else the last one sent to its sender. */
  readonly answered?: MessageRecord | undefined;
  readonly profileName?: string | undefined;
  /** The opt-out word that the message consists of. */
  readonly word?: OptOutWord | undefined;
}

/** Channels with a 24-hour window, which a person's message opens. */
const WINDOWED: ReadonlySet<Channel> = new Set(['whatsapp', 'instagram']);

/** The known context of an inbound message besides its event. */
interface InboundContext extends Pick<InboundMessage, 'numberId' | 'instagramAccountId'> {
  readonly repliedTo?: MessageRecord | undefined;
  readonly answered?: MessageRecord | undefined;
  /** Deduplicates repeats; defaults to the provider's message id, which is not unique where several providers serve the channel. */
  readonly reference?: string;
}

/** The first link of the organization whose code is in a text. */
const linkIn = async (ports: InboundReads, organizationId: Id<'organization'>, text: string | undefined) => {
  const codes = codesIn(text);
  return codes.length > 0 ? (await ports.links(organizationId, codes))[0] : undefined;
};

/** Derives message, origin, sender key and opt-out word from an event. */
export const parseInbound = async (
  ports: InboundReads,
  { organizationId, env }: Tenant,
  event: InboundEvent,
  { repliedTo, answered = repliedTo, reference, ...account }: InboundContext,
): Promise<ParsedInbound> => {
  const now = ports.clock();
  const { channel, type } = event;
  const { from, ...identity } = await identifySender(ports, organizationId, event, repliedTo);
  const link = await linkIn(ports, organizationId, event.text);
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
    fromHash: identity.hash,
    to: event.to ?? '',
    payload: inboundPayload(event),
    ...account,
    inReplyTo: repliedTo?.id,
    origemDoLink: originOf(link, event.referral),
    providerMessageId: event.providerMessageId,
    sentAt,
    createdAt: now,
    decisions: [],
  };
  return {
    message,
    key: { channel, ...identity, numberId: account.numberId, defaultContactId: repliedTo?.contactId },
    repliedTo,
    answered,
    profileName: profileNameOf(event),
    word: OPT_OUT_CHANNELS.has(channel) ? optOutWordOf(event) : undefined,
  };
};

export const optOutReason = (word: string, channel: Channel) => `asked by ${channel}: ${word}`;

/** The contact after its message: the latest interaction wins, in whatever order messages arrive. */
const contactChange = (
  { message, profileName }: ParsedInbound,
  before: Contact | undefined,
  stop: Stop | undefined,
): InboundChange['contact'] => {
  if (!before) return undefined;
  const { sentAt, createdAt } = message;
  const later = sentAt > (before.lastInteractionAt ?? -1);
  const consent = stop !== undefined && wouldOptOut(before, stop.at);
  if (!later && !consent) return undefined;
  const after: Contact = {
    ...before,
    ...(later ? { lastInteractionAt: sentAt, ...(profileName ? { whatsappProfileName: profileName } : {}) } : {}),
    ...(consent
      ? {
          optIn: {
            ...before.optIn,
            status: 'denied',
            revokedAt: stop.at,
            revokedReason: stop.reason,
          },
        }
      : {}),
    updatedAt: createdAt,
    version: before.version + 1,
  };
  return { before, after, consent };
};

/** The opt-out on the sender's own row. A repeated word changes nothing, unless it opts out a contact now: that contact may revoke it. */
const ownOptOutOf = (
  { key: { kind } }: ParsedInbound,
  { contact, own }: Sender,
  stop: Stop | undefined,
  optsContactOut: boolean,
): InboundChange['ownOptOut'] => {
  if (!stop || !own || (contact && consentsSince(contact, stop.at))) return undefined;
  return own.optedOut && !optsContactOut ? undefined : { ...stop, kind };
};

/** The link of the sender's user id to its phone, unless it is stored and has nothing to move. */
const userLinkOf = ({ key }: ParsedInbound, { user }: Sender): InboundChange['userLink'] => {
  const { userHash, hash: phoneHash } = key;
  const hadOptOut = user?.optOut !== undefined;
  if (userHash === undefined || (user?.phoneHash === phoneHash && !hadOptOut)) return undefined;
  return { userHash, phoneHash, hadOptOut };
};

/** The opt-out that a message makes, by its word, or that its sender made earlier, when only the user id was known. */
const stopOf = ({ message: { sentAt: at, channel }, word }: ParsedInbound, { user }: Sender): Stop | undefined =>
  word === undefined ? user?.optOut : { at, reason: optOutReason(word, channel) };

const decisionsOf = (
  { message: { createdAt: at, channel }, word }: ParsedInbound,
  sender: Sender,
  opensWindow: boolean,
  optsOut: boolean,
): InboundDecision[] => {
  const details: (readonly [InboundDecision['kind'], string])[] = [
    ['receipt', `received by ${channel}`],
    ['contact', sender.contact ? 'sent by a contact' : 'no contact is known by who sent it'],
  ];
  if (WINDOWED.has(channel))
    details.push(['window', opensWindow ? 'opens the 24-hour window' : 'a later message keeps the window open']);
  if (word) details.push(['consent', optsOut ? `${word}: opted out of every channel` : `${word}: changes nothing`]);
  else if (optsOut) details.push(['consent', 'an earlier opt-out by its user id: opted out of every channel']);
  return details.map(([kind, detail]) => ({ at, kind, detail }));
};

/** The change that an inbound message makes, given its sender's state. Pure. */
export const inboundChange = (
  found: ParsedInbound,
  sender: Sender,
  data: Readonly<Record<string, unknown>> = {},
): InboundChange => {
  const { repliedTo, answered } = found;
  const { sentAt, createdAt, channel } = found.message;
  const opensWindow = WINDOWED.has(channel) && sentAt > (sender.lastInboundAt ?? -1);
  const stop = stopOf(found, sender);
  const contact = contactChange(found, sender.contact, stop);
  const ownOptOut = ownOptOutOf(found, sender, stop, contact?.consent === true);
  const optedOut = contact?.consent === true || ownOptOut !== undefined;
  const message: InboundMessage = {
    ...found.message,
    contactId: sender.contact?.id,
    decisions: decisionsOf(found, sender, opensWindow, optedOut),
  };
  const events = [
    receivedEvent(message, repliedTo, { ...(optedOut ? { optedOut: true } : {}), ...data }),
    ...(contact?.consent ? [contactEvent('contact.opted_out', contact.after, createdAt)] : []),
  ];
  const signal = runSignal(answered, 'respondida', createdAt);
  return { message, events, opensWindow, contact, ownOptOut, userLink: userLinkOf(found, sender), signal };
};

/** Stores an inbound message, retrying over concurrent changes of its sender. Throws Unavailable when every attempt failed. */
export const storeInbound = (
  ports: Pick<InboundReads, 'sender'>,
  found: ParsedInbound,
  store: (sender: Sender) => Promise<InboundOutcome>,
): Promise<'kept' | 'repeated'> =>
  retryOnConflict('The sender of the message', async () => {
    const outcome = await store(await ports.sender(found.message.organizationId, found.key));
    return outcome === 'conflict' ? CONFLICT : outcome;
  });

/**
 * Receives a message sent to the organization. One transaction stores it, opens the 24-hour window, updates the contact's last interaction
 * and profile name, opts out the sender of an opt-out word, and raises the events. Idempotent: a repeated callback changes nothing. An
 * unknown sender does not become a contact. `last`: the last message to its sender, which it answers unless it replies to another. Throws Unavailable
 * when every attempt met a concurrent change.
 */
export const receiveInbound = async (
  ports: InboundPorts,
  tenant: Tenant,
  event: InboundEvent,
  last?: MessageRecord,
): Promise<'kept' | 'repeated'> => {
  const { organizationId } = tenant;
  const [repliedTo, account] = await Promise.all([
    ports.repliedTo(organizationId, event),
    ports.accountOf(organizationId, event),
  ]);
  const found = await parseInbound(ports, tenant, event, { ...account, repliedTo, answered: repliedTo ?? last });
  return storeInbound(ports, found, (sender) => ports.store(inboundChange(found, sender)));
};
