import * as z from 'zod';
import type { DuplicatePorts } from '../../domain/contacts/duplicates.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { withCompaniesNow } from './company-links.ts';
import { readContact } from './contacts.ts';

const holder = z.object({ contactId: id('contact') });

/** Finds likely duplicates in the table of one stage: a query of an index, and two round trips of reads by keys. */
export const duplicatePorts = (table: Table): DuplicatePorts => ({
  async withEmail(organizationId, emailHash, limit) {
    const partition = INDEX_KEYS.contactsOfEmail(organizationId, emailHash, '', '').gsi4pk;
    const { rows } = await table.query({ index: 'gsi4', partition, newestFirst: true, only: ['pk', 'sk'], limit });
    return rows.map(PARSE_KEY.contact);
  },
  async withExternalIds(organizationId, externalIds) {
    const keys = [...new Set(externalIds)].map((externalId) => KEYS.externalId(organizationId, externalId));
    const rows = await table.getMany(keys, { consistent: true });
    return rows.flatMap((row) => (row ? [holder.parse(row).contactId] : []));
  },
  async readMany(ids) {
    const rows = await table.getMany(ids.map(KEYS.contact), { consistent: true });
    return withCompaniesNow(
      table,
      rows.flatMap((row) => (row ? [readContact(row)] : [])),
    );
  },
});
