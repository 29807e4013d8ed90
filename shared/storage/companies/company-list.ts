import type { Company, CountedCompany } from '../../domain/companies/company.ts';
import type { CompanyPage, CompanySource } from '../../domain/companies/list.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { readCount } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { pageKeys } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { sumOfShards } from '../crm/company-counts.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { readRow } from '../read-row.ts';
import { COMPANY_SHARDS } from '../table-indexes.ts';
import { lastInteractionOf } from './company-contacts.ts';
import { companyRows, withContactsNow } from './company-rows.ts';
import type { Directory } from './directory.ts';

const QUERIES_AT_ONCE = 16;
const READS_AT_ONCE = 5;
/** Companies of one read: with their shards they are 100 rows. */
const COMPANIES_A_READ = 20;

const keysOf = (companyId: Id<'company'>) => [
  KEYS.company(companyId),
  ...Array.from({ length: COMPANY_SHARDS }, (_, shard) => KEYS.companyCounts(companyId, shard)),
];

interface Counted {
  readonly company: Company;
  readonly shards: Parameters<typeof sumOfShards>[0];
}

/** Some companies with their counts; those that are gone are left out. */
const readSome = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'company'>[],
): Promise<Counted[]> => {
  const rows = await table.getMany(ids.flatMap(keysOf), { consistent: true });
  return ids.flatMap((_, at) => {
    const [own, ...shards] = rows.slice(at * (COMPANY_SHARDS + 1), (at + 1) * (COMPANY_SHARDS + 1));
    if (own?.org !== organizationId) return [];
    return [{ company: companyRows.read(own), shards: shards.filter((row) => row !== undefined) }];
  });
};

/**
 * Companies with their counts and last interactions, in the order of their ids; those that are gone are left out. A round trip for each 20 companies, five side
 * by side, and a query of one entry for each, sixteen side by side.
 */
const readCounted = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'company'>[],
): Promise<readonly CountedCompany[]> => {
  const calls = Array.from({ length: Math.ceil(ids.length / COMPANIES_A_READ) }, (_, at) =>
    ids.slice(at * COMPANIES_A_READ, (at + 1) * COMPANIES_A_READ),
  );
  const [found, interactions] = await Promise.all([
    mapConcurrently(calls, READS_AT_ONCE, (call) => readSome(table, organizationId, call)),
    mapConcurrently(ids, QUERIES_AT_ONCE, (companyId) => lastInteractionOf(table, companyId)),
  ]);
  const counted = found.flat();
  const lastOf = new Map(ids.map((companyId, at) => [companyId, interactions[at]]));
  const companies = await withContactsNow(
    table,
    organizationId,
    counted.map(({ company }) => company),
  );
  return counted.map(({ company: stored, shards }, at) => {
    const company = companies[at] ?? stored;
    return { company, counts: sumOfShards(shards), lastInteractionAt: lastOf.get(company.id) };
  });
};

/** The company that has a CNPJ; undefined where none of the organization has. One read. */
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
    return { items: await readCounted(table, organizationId, ids), total };
  },
  find: (organizationId, filter) => directory.find(organizationId, filter),
  async ofCnpj(organizationId, cnpj) {
    const found = await companyOfCnpj(table, organizationId, cnpj);
    return found === undefined ? [] : [found];
  },
  read: (organizationId, ids) => readCounted(table, organizationId, ids),
});
