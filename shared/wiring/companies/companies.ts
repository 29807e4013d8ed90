import type { Company, CompanyPorts } from '../../domain/companies/company.ts';
import type { CompanyImportPorts } from '../../domain/companies/import.ts';
import { activeAccounts } from '../../storage/access/accounts.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { contactsOf } from '../../storage/companies/company-contacts.ts';
import { companySource } from '../../storage/companies/company-list.ts';
import { messagesOfCompany } from '../../storage/companies/company-messages.ts';
import { companyStore } from '../../storage/companies/company-store.ts';
import { definitionStore } from '../../storage/companies/definitions.ts';
import { companyDirectory } from '../../storage/companies/directory.ts';
import { companyImportStore } from '../../storage/companies/import-store.ts';
import { clock, publishEvents, publishWork, table } from '../process/aws.ts';

/** One per process: it caches the directory. */
const directory = companyDirectory(table, clock);

export const companies = companySource(table, directory);

export const companyPorts: CompanyPorts = {
  clock,
  store: companyStore(table, {
    raised: publishEvents,
    deleted: (owner, id) => publishWork([{ kind: 'clean_up', ...KEYS.tombstone(owner, id), owner }]),
  }),
  accounts: { activeOf: (organizationId, ids) => activeAccounts(table, organizationId, ids) },
  definitions: definitionStore(table, directory),
};

/** The ports of importing companies. */
export const companyImportPorts: CompanyImportPorts = {
  clock,
  store: companyImportStore(table, directory, publishEvents, ({ id, organizationId: owner }) =>
    publishWork([{ kind: 'index_companies', ...KEYS.changedCompany(owner, id), owner }]),
  ),
};

/** A page of a company's contacts, latest interaction first. */
export const contactsOfCompany = (
  { organizationId, id }: Company,
  page: { readonly skip: number; readonly limit: number },
) => contactsOf(table, organizationId, id, page);

const DAY_MS = 24 * 3_600_000;
/** The messages of a company's contacts in the last days, newest first. */
export const messagesOfDays = (
  { organizationId, id }: Company,
  { dias, limit }: { readonly dias: number; readonly limit: number },
) => messagesOfCompany(table, organizationId, id, { from: clock() - dias * DAY_MS }, limit);
