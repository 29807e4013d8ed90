import { definedFields } from '../core/patch.ts';
import { maskEmail, maskPhone } from '../core/phone.ts';
import type { Contact } from './contact.ts';

/**
 * A contact as shown in filled-in texts and in posts of webhook steps: without `pii:full` its phone and e-mail address are masked, as in
 * lists.
 */
export const shownContact = (contact: Contact, unmasked: boolean): Contact =>
  unmasked
    ? contact
    : {
        ...contact,
        phone: contact.phone && maskPhone(contact.phone),
        ...definedFields({ email: contact.email && maskEmail(contact.email) }),
      };
