import * as z from 'zod';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { readContacts } from '../audience/read-contacts.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';

const lastEntry = z.object({ gsi3sk: z.string() });

const partitionOf = (companyId: Id<'company'>): string => INDEX_KEYS.contactsOfCompany(companyId, '', '').gsi3pk;

/** When one of a company's contacts last wrote, in ms; undefined if none did. One query of one short index entry; eventually consistent. */
export const lastInteractionOf = async (table: Table, companyId: Id<'company'>): Promise<number | undefined> => {
  const { rows } = await table.query({
    index: 'gsi3',
    partition: partitionOf(companyId),
    newestFirst: true,
    limit: 1,
    only: ['gsi3sk'],
  });
  const [at = ''] = rows[0] ? lastEntry.parse(rows[0]).gsi3sk.split('#') : [];
  return at === '' ? undefined : Date.parse(at);
};

/** The contacts of a company, by latest interaction first, at most `limit` after `skip`. Entries of contacts that left it are skipped. */
export const contactsOf = async (
  table: Table,
  organizationId: Id<'organization'>,
  companyId: Id<'company'>,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<readonly Contact[]> => {
  const ids: Id<'contact'>[] = [];
  let startKey: Record<string, unknown> | undefined;
  do {
    const page = await table.query({
      index: 'gsi3',
      partition: partitionOf(companyId),
      newestFirst: true,
      only: ['pk', 'sk'],
      limit: Math.min(1_000, skip + limit - ids.length),
      startKey,
    });
    ids.push(...page.rows.map((row) => PARSE_KEY.contact(row)));
    startKey = page.nextKey;
  } while (startKey && ids.length < skip + limit);
  const found = await readContacts(table, ids.slice(skip, skip + limit));
  return found.filter(
    (contact): contact is Contact => contact?.organizationId === organizationId && contact.companyId === companyId,
  );
};
