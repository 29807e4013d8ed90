import type { ContactListPorts } from '../../domain/audience/contact-list.ts';
import { readCount } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { newestPage } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { withCompaniesNow, withCompanyNow } from './company-links.ts';
import { readContact } from './contacts.ts';

/** All contacts of an organization, and those by the caller's own ids, in the table of one stage. */
export const contactPages = (table: Table): Pick<ContactListPorts, 'newest' | 'withExternalId'> => ({
  async newest(organizationId, page) {
    const partition = INDEX_KEYS.contactsOf(organizationId, '', '').gsi1pk;
    const [rows, total] = await Promise.all([
      newestPage(table, { index: 'gsi1', partition }, page),
      readCount(table, organizationId, 'contacts'),
    ]);
    return { items: await withCompaniesNow(table, rows.map(readContact)), total };
  },
  async withExternalId(organizationId, externalId) {
    const found = await readRow(table, KEYS.externalId(organizationId, externalId), ({ contactId }) =>
      id('contact').parse(contactId),
    );
    return found && withCompanyNow(table, await readRow(table, KEYS.contact(found), readContact));
  },
});
