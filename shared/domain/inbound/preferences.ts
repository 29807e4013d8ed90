import type { Contact, OptIn } from '../contacts/contact.ts';
import { contactEvent } from '../contacts/events.ts';
import type { ContactStore } from '../contacts/ports.ts';
import { Unavailable } from '../errors.ts';
import type { PlatformEvent } from '../messages/provider.ts';
import { type InboundReads, type Receiver, takesOut } from './receive.ts';

type Preference = Extract<PlatformEvent, { about: 'preference' }>;

export interface PreferencePorts extends Pick<InboundReads, 'clock' | 'hashTo' | 'sender'> {
  readonly contacts: Pick<ContactStore, 'changeConsent'>;
  /** Marks a phone that is no contact's, at ms; false when it has become one's meanwhile. */
  readonly optOutPhone: (
    organizationId: string,
    hash: string,
    stop: { readonly at: number; readonly reason: string },
  ) => Promise<boolean>;
  /** Takes such a mark back where it was asked for earlier, in words that begin with `asked`. False when there is none. */
  readonly optInPhone: (organizationId: string, hash: string, at: number, asked: string) => Promise<boolean>;
}

/** How every opt-out that came through WhatsApp is worded, a word's and this one's alike. */
const ASKED = 'asked by whatsapp: ';
const REASON = `${ASKED}marketing messages stopped`;
const TRIES = 8;

/**
 * Who resumes takes back what was asked through WhatsApp before, and no opt-out that was asked for elsewhere: another channel's, a
 * form's, an operator's.
 */
const resumes = ({ status, revokedAt, revokedReason }: OptIn, at: number): boolean =>
  status === 'unknown' || (status === 'denied' && (revokedAt ?? at) < at && revokedReason?.startsWith(ASKED) === true);

const consentAfter = (contact: Contact, { value, at }: Preference): OptIn | undefined => {
  const { optIn } = contact;
  if (value === 'stop')
    return takesOut(contact, at) ? { ...optIn, status: 'denied', revokedAt: at, revokedReason: REASON } : undefined;
  return resumes(optIn, at) ? { status: 'granted', source: 'whatsapp', at } : undefined;
};

/**
 * Applies what a person told WhatsApp about marketing messages: stopping is an opt-out, as its word is, and resuming takes it back. A
 * report that is older than what is known, or said again, changes nothing; a phone of no contact keeps the opt-out by itself. Throws
 * Unavailable when the contact moved at every try.
 */
export const applyPreference = async (
  ports: PreferencePorts,
  { organizationId }: Receiver,
  preference: Preference,
): Promise<'kept' | 'repeated'> => {
  const now = ports.clock();
  const said = { ...preference, at: Math.min(preference.at, now) };
  const hash = await ports.hashTo(organizationId, 'phone', said.from);
  for (let turn = 0; turn < TRIES; turn++) {
    const { contact, own } = await ports.sender(organizationId, { channel: 'whatsapp', kind: 'phone', hash });
    if (!contact) {
      if (said.value === 'resume')
        return (await ports.optInPhone(organizationId, hash, said.at, ASKED)) ? 'kept' : 'repeated';
      if (own?.optedOut) return 'repeated';
      if (await ports.optOutPhone(organizationId, hash, { at: said.at, reason: REASON })) return 'kept';
      continue;
    }
    const optIn = consentAfter(contact, said);
    if (!optIn) return 'repeated';
    const after: Contact = { ...contact, optIn, updatedAt: now, version: contact.version + 1 };
    const event = optIn.status === 'denied' ? contactEvent('contact.opted_out', after, now) : undefined;
    if (await ports.contacts.changeConsent(contact, after, event)) return 'kept';
  }
  throw new Unavailable('The contact moved at every try.');
};
