import { derivedId, type Id } from '../core/ids.ts';
import { maskPhone } from '../core/phone.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import type { Contact } from './contact.ts';

type ContactEventType = 'contact.created' | 'contact.opted_out';

/**
 * The id of an event that a contact's change raised. It is derived, so that an erasure finds it without listing events; a contact is created once, and
 * each of its versions has one change.
 */
export const contactEventId = (type: ContactEventType, { id, version }: Pick<Contact, 'id' | 'version'>): Id<'event'> =>
  derivedId('event', [id, type, ...(type === 'contact.created' ? [] : [String(version)])]);

/** A contact.created or contact.opted_out event; the phone is masked. */
export const contactEvent = (type: ContactEventType, contact: Contact, now: number): DomainEvent => {
  const { id, organizationId, env, phone, optIn, source, externalId } = contact;
  return {
    id: contactEventId(type, contact),
    type,
    organizationId,
    env,
    createdAt: now,
    data: {
      contactId: id,
      phone: maskPhone(phone),
      status: optIn.status,
      source,
      ...(optIn.revokedReason === undefined ? {} : { reason: optIn.revokedReason }),
      ...(externalId === undefined ? {} : { externalId }),
    },
  };
};

/** A contact.merged event: the duplicate's id is gone, and the target has its data. */
export const mergedEvent = (
  { id: contactId, organizationId, env }: Contact,
  mergedContactId: Id<'contact'>,
  now: number,
): DomainEvent =>
  newEvent({ type: 'contact.merged', organizationId, env, createdAt: now, data: { contactId, mergedContactId } });
