import { wouldOptOut } from '../contacts/consent.ts';
import type { Contact, OptIn } from '../contacts/contact.ts';
import { contactEvent } from '../contacts/events.ts';
import type { ContactStore } from '../contacts/ports.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Channel } from '../message/channel.ts';
import type { MetaEvent } from '../message/meta-event.ts';
import { type InboundReads, optOutReason } from './receive.ts';
import { identifySender, type SenderKey, type SenderReads, type Stop } from './sender.ts';

type Preference = Extract<MetaEvent, { about: 'preference' }>;

/** An opt-out word on a sender that several organizations share; `at` in ms. */
export interface SharedStop {
  readonly channel: Channel;
  readonly from: string;
  readonly at: number;
  readonly word: string;
}

/** A person's request about messages to them, and the reason to store. */
interface ConsentReport extends Pick<Preference, 'at' | 'from' | 'value'> {
  readonly channel: Channel;
  readonly reason: string;
}

/** Selects the row with a sender's own consent. */
type OwnKey = Pick<SenderKey, 'kind' | 'hash'>;

export interface PreferencePorts extends SenderReads, Pick<InboundReads, 'clock' | 'sender'> {
  readonly contacts: Pick<ContactStore, 'changeConsent'>;
  /** Opts out a phone or a user id without a contact. False if it got a contact meanwhile. */
  readonly optOutSender: (organizationId: Id<'organization'>, key: OwnKey, stop: Stop) => Promise<boolean>;
  /** Removes such an opt-out if it is older than `at` (ms) and its reason starts with `reasonPrefix`. False if there is none. */
  readonly optInSender: (
    organizationId: Id<'organization'>,
    key: OwnKey,
    at: number,
    reasonPrefix: string,
  ) => Promise<boolean>;
}

/** Every opt-out received through WhatsApp, by word or by preference, has a stored reason with this prefix. */
const REASON_PREFIX = 'asked by whatsapp: ';
const REASON = `${REASON_PREFIX}marketing messages stopped`;

/** Resuming revokes earlier opt-outs received through WhatsApp only, not those of other channels, forms or operators. */
const mayResume = ({ status, revokedAt, revokedReason }: OptIn, at: number): boolean =>
  status === 'unknown' ||
  (status === 'denied' && (revokedAt ?? at) < at && revokedReason?.startsWith(REASON_PREFIX) === true);

const consentAfter = (contact: Contact, { value, at, reason }: ConsentReport): OptIn | undefined => {
  const { optIn } = contact;
  if (value === 'stop')
    return wouldOptOut(contact, at) ? { ...optIn, status: 'denied', revokedAt: at, revokedReason: reason } : undefined;
  return mayResume(optIn, at) ? { status: 'granted', source: 'whatsapp', at } : undefined;
};

/**
 * Applies a person's consent: stop opts out like an opt-out word, resume revokes opt-outs made through WhatsApp. Outdated and repeated
 * reports change nothing; for a phone or user id without a contact the opt-out is stored for itself. Throws Unavailable if every attempt met a
 * concurrent change of the contact.
 */
const applyConsent = async (
  ports: PreferencePorts,
  { organizationId }: Tenant,
  given: ConsentReport,
): Promise<'kept' | 'repeated'> => {
  const now = ports.clock();
  const report = { ...given, at: Math.min(given.at, now) };
  const { kind, hash } = await identifySender(ports, organizationId, report);
  return retryOnConflict('The contact', async () => {
    const { contact, own } = await ports.sender(organizationId, { channel: report.channel, kind, hash });
    if (!contact) {
      if (report.value === 'resume')
        return (await ports.optInSender(organizationId, { kind, hash }, report.at, REASON_PREFIX))
          ? 'kept'
          : 'repeated';
      if (own?.optedOut) return 'repeated';
      const stop = { at: report.at, reason: report.reason };
      const optedOut = await ports.optOutSender(organizationId, { kind, hash }, stop);
      return optedOut ? 'kept' : CONFLICT;
    }
    const optIn = consentAfter(contact, report);
    if (!optIn) return 'repeated';
    const after: Contact = { ...contact, optIn, updatedAt: now, version: contact.version + 1 };
    const event = optIn.status === 'denied' ? contactEvent('contact.opted_out', after, now) : undefined;
    return (await ports.contacts.changeConsent(contact, after, event)) ? 'kept' : CONFLICT;
  });
};

/** Applies a person's marketing preference at WhatsApp (docs/spec/inbound.md#marketing-preferences). */
export const applyPreference = (ports: PreferencePorts, tenant: Tenant, { from, value, at }: Preference) =>
  applyConsent(ports, tenant, { channel: 'whatsapp', from, value, at, reason: REASON });

/**
 * Opts a phone out of an organization that wrote to it from the shared sender that received the request (docs/spec/inbound.md#whose-it-is).
 */
export const applySharedStop = (ports: PreferencePorts, tenant: Tenant, { channel, from, at, word }: SharedStop) =>
  applyConsent(ports, tenant, { channel, from, value: 'stop', at, reason: optOutReason(word, channel) });
