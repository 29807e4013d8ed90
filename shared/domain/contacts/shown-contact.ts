import { definedFields } from '../core/patch.ts';
import { maskEmail, maskPhone } from '../core/phone.ts';
import type { Contact } from './contact.ts';

/** A contact as it is shown in texts that are filled with it and in posts of webhook steps: without `pii:full` its phone and e-mail address are masked, as lists mask them. */
export const shownContact = (contact: Contact, unmasked: boolean): Contact =>
  unmasked
    ? contact
    : {
        ...contact,
        phone: contact.phone && maskPhone(contact.phone),
        ...definedFields({ email: contact.email && maskEmail(contact.email) }),
      };
