import type { CompanyPage, CompanySource } from '../../domain/companies/list.ts';
import type { Id } from '../../domain/core/ids.ts';
import { readCount } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { pageKeys } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { readRow } from '../read-row.ts';
import { readCompanies } from './company-rows.ts';
import type { Directory } from './directory.ts';

/** The organization's company with a CNPJ; undefined if there is none. One read. */
export const companyOfCnpj = (
  table: Table,
  organizationId: Id<'organization'>,
  cnpj: string,
): Promise<Id<'company'> | undefined> =>
  readRow(table, KEYS.cnpj(organizationId, cnpj), ({ companyId }) => id('company').parse(companyId));

/** Lists of companies in the table of one stage. */
export const companySource = (table: Table, directory: Directory): CompanySource => ({
  async all(organizationId, page): Promise<CompanyPage> {
    const { gsi1pk: partition } = INDEX_KEYS.companiesOf(organizationId, '', '');
    const [keys, total] = await Promise.all([
      pageKeys(table, { index: 'gsi1', partition }, page),
      readCount(table, organizationId, 'companies'),
    ]);
    const ids = keys.map((key) => PARSE_KEY.company(key));
    return { items: await readCompanies(table, organizationId, ids), total };
  },
  find: (organizationId, filter) => directory.find(organizationId, filter),
  async ofCnpj(organizationId, cnpj) {
    const found = await companyOfCnpj(table, organizationId, cnpj);
    return found === undefined ? [] : [found];
  },
  read: (organizationId, ids) => readCompanies(table, organizationId, ids),
});
