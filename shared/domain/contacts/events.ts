import type { Id } from '../core/ids.ts';
import { maskPhone } from '../core/phone.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import type { Contact } from './contact.ts';

/** A contact.created or contact.opted_out event; the phone is masked. */
export const contactEvent = (
  type: 'contact.created' | 'contact.opted_out',
  contact: Contact,
  now: number,
): DomainEvent => {
  const { id, organizationId, env, phone, optIn, source, externalId } = contact;
  return newEvent({
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
  });
};

/** A contact.merged event: the one id is gone, and the other has what it had. */
export const mergedEvent = (
  { id: contactId, organizationId, env }: Contact,
  mergedContactId: Id<'contact'>,
  now: number,
): DomainEvent =>
  newEvent({ type: 'contact.merged', organizationId, env, createdAt: now, data: { contactId, mergedContactId } });
