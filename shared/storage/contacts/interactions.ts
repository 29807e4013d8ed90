import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { changedWrite } from './changed-contacts.ts';
import { contactRows, interactionEntry } from './contacts.ts';
import { heirOf } from './heirs.ts';
import { type ChangesDue, changesDue } from './standing.ts';

/** The fields that an interaction changes on a contact; times in ms. */
export interface Interaction extends Pick<Contact, 'organizationId' | 'updatedAt' | 'whatsappProfileName'> {
  readonly contactId: Id<'contact'>;
  readonly lastInteractionAt: number;
}

/**
 * The writes that advance a contact's last interaction; they fail if a later one is stored, and for another organization's contact. Not
 * conditional on the contact's version: ten concurrent interactions must not conflict.
 */
export const interactionWrites = (
  { contactId, organizationId, ...fields }: Interaction,
  changes: ChangesDue,
): WriteOp[] => {
  const set = contactRows.set(fields);
  return [
    {
      update: KEYS.contact(contactId),
      set: { ...set, ...interactionEntry(contactId, fields.lastInteractionAt) },
      add: { version: 1 },
      when: {
        text: '#org = :org AND (attribute_not_exists(#lastInteractionAt) OR #lastInteractionAt < :at)',
        values: { org: organizationId, at: set.lastInteractionAt },
      },
    },
    changedWrite({ id: contactId, organizationId, updatedAt: fields.updatedAt }, changes),
  ];
};

/**
 * Advances the last interaction of a contact, or of the contact that it was merged into. One transaction; a repeat or an earlier
 * interaction changes nothing.
 */
export const recordInteraction = async (table: Table, interaction: Interaction): Promise<void> => {
  const { contactId, organizationId } = interaction;
  const changes = await changesDue(table, organizationId);
  const outcome = await table.transact(interactionWrites(interaction, changes));
  if (outcome.ok || outcome.reasons[0]?.row !== undefined) return;
  const heir = await heirOf(table, contactId);
  if (heir && heir.id !== contactId)
    await table.transact(interactionWrites({ ...interaction, contactId: heir.id }, changes));
};
