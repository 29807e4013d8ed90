import type { Contact } from '../../domain/contacts/contact.ts';
import { linkNow, linksOf } from '../../domain/core/tombstones.ts';
import type { Table } from '../client/table.ts';
import type { CompanyLink } from '../crm/company-counts.ts';
import { readTombstones } from '../crm/tombstones.ts';

/** What a contact counts of its company. */
export const companyLink = ({ id: objectId, organizationId, companyId }: Contact): CompanyLink => ({
  organizationId,
  companyId,
  objectId,
  counts: { contacts: 1 },
});

/**
 * Contacts of one organization as they are now: one whose company was deleted has neither company nor role in it. To be asked after the contacts were read; one query
 * where any of them has a company.
 */
export const withCompaniesNow = async (table: Table, contacts: readonly Contact[]): Promise<readonly Contact[]> => {
  const [first] = contacts;
  if (!first) return contacts;
  const tombstones = await readTombstones(table, first.organizationId, linksOf(contacts, ['companyId']));
  return contacts.map((contact) => {
    if (linkNow(tombstones, contact.companyId) === contact.companyId) return contact;
    const { companyId: _, papelNaEmpresa: __, ...rest } = contact;
    return rest;
  });
};

/** The same of one contact that may not be there. */
export const withCompanyNow = async (table: Table, contact: Contact | undefined): Promise<Contact | undefined> =>
  contact && (await withCompaniesNow(table, [contact]))[0];
