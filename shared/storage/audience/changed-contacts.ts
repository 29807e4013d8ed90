import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';

/** That a contact may differ from what the audience's index says of it. */
export interface ChangedContact {
  readonly organizationId: Id<'organization'>;
  readonly contactId: Id<'contact'>;
  /** Other than any before: a mark is taken away only if the contact was not changed again since it was read. */
  readonly token: string;
}
export const changedContactRows = defineRow<ChangedContact>()({
  attributes: { organizationId: id('organization'), contactId: id('contact'), token: z.string() },
  rename: { organizationId: 'org' },
  key: ({ organizationId, contactId }) => KEYS.changedContact(organizationId, contactId),
});

/**
 * Marks a contact as changed; in the transaction of every change of a contact, so that no reader of the index overlooks it. What changed is read from the
 * contact itself: a mark of a change that never came does no harm.
 */
export const changedWrite = ({ id: contactId, organizationId }: Pick<Contact, 'id' | 'organizationId'>): WriteOp => ({
  put: changedContactRows.write({ organizationId, contactId, token: randomBytes(9).toString('base64url') }),
});
