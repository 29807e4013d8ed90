import type { Contact } from '../../domain/contacts/contact.ts';
import { linkNow, linksOf } from '../../domain/core/tombstones.ts';
import type { Table } from '../client/table.ts';
import type { CompanyLink } from '../crm/company-counts.ts';
import { readTombstones } from '../crm/tombstones.ts';

/** A contact's contribution to its company's counters. */
export const companyLink = ({ id: objectId, organizationId, companyId }: Contact): CompanyLink => ({
  organizationId,
  companyId,
  objectId,
  counts: { contacts: 1 },
});

/**
 * Contacts of one organization with their company links resolved: if the company was deleted, both company and role are omitted. Must be
 * called after the contacts were read; one query if any has a company.
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

/** The same for one contact, which may be missing. */
export const withCompanyNow = async (table: Table, contact: Contact | undefined): Promise<Contact | undefined> =>
  contact && (await withCompaniesNow(table, [contact]))[0];
