import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/** Whether the organization has a contact with this id, even one created just now. One read. */
export const hasContact = async (
  table: Table,
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
): Promise<boolean> => {
  const row = await table.get(KEYS.contact(contactId), { only: ['org'] });
  return row?.org === organizationId;
};

/** Which of an organization's contacts opted out. One read of each, 100 per round trip. */
export const deniedContacts = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'contact'>[],
): Promise<ReadonlySet<Id<'contact'>>> => {
  const rows = await table.getMany(
    ids.map((id) => KEYS.contact(id)),
    { consistent: true },
  );
  const denied = ids.filter((_, at) => rows[at]?.org === organizationId && rows[at]?.optInStatus === 'denied');
  return new Set(denied);
};
