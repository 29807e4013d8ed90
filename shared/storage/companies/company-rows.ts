import * as z from 'zod';
import type { Company, CountedCompany } from '../../domain/companies/company.ts';
import { foldName, sortTextOf } from '../../domain/companies/names.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { freeAttributes, id, tenant, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { sumOfShards } from '../crm/company-counts.ts';
import { readLinksNow } from '../crm/tombstones.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { lastInteractionOf } from './company-contacts.ts';

const text = z.string().optional();
export const companyRows = defineRow<Company>()({
  attributes: {
    id: id('company'),
    ...tenant,
    nome: z.string(),
    cnpj: text,
    segmento: text,
    site: text,
    endereco: text,
    responsavelId: id('account').optional(),
    contatoPrincipalId: id('contact').optional(),
    atributos: freeAttributes.optional(),
    createdById: z.union([id('account'), id('apiKey')]),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  key: (company) => KEYS.company(company.id),
  index: ({ id: companyId, organizationId, nome, contatoPrincipalId, createdAt }) => ({
    ...INDEX_KEYS.companiesOf(organizationId, sortTextOf(foldName(nome)), companyId),
    ...(contatoPrincipalId === undefined
      ? {}
      : INDEX_KEYS.companiesOfContact(contatoPrincipalId, isoTime(createdAt), companyId)),
  }),
});

const COMPANY_SORT_KEY = KEYS.company('' as Id<'company'>).sk;

/** A consistent snapshot of a company's partition: its own row, and its counter shards. */
interface Partition {
  readonly own: Row | undefined;
  readonly shards: readonly Row[];
}
const partitionOf = (rows: readonly Row[]): Partition => ({
  own: rows.find(({ sk }) => sk === COMPANY_SORT_KEY),
  shards: rows.filter(({ sk }) => sk !== COMPANY_SORT_KEY),
});

/** The partition of an organization's company; undefined if it is missing or another organization's. One consistent query. */
export const readPartition = async (
  table: Table,
  organizationId: Id<'organization'>,
  companyId: Id<'company'>,
): Promise<{ readonly own: Row; readonly shards: readonly Row[] } | undefined> => {
  const rows = await table.queryAll({ partition: KEYS.company(companyId).pk, consistent: true });
  const { own, shards } = partitionOf(rows);
  return own?.org === organizationId ? { own, shards } : undefined;
};

/** Companies with their main contacts resolved: a merged one is replaced by the surviving one, and a deleted one omitted. */
export const withContactsNow = (
  table: Table,
  organizationId: Id<'organization'>,
  companies: readonly Company[],
): Promise<readonly Company[]> => readLinksNow(table, organizationId, companies, ['contatoPrincipalId']);

/** Companies of one page that are read concurrently. */
const CONCURRENT_READS = 25;

const readCounted = async (
  table: Table,
  organizationId: Id<'organization'>,
  companyId: Id<'company'>,
): Promise<CountedCompany | undefined> => {
  const found = await readPartition(table, organizationId, companyId);
  if (!found) return undefined;
  const counts = sumOfShards(found.shards);
  const lastInteractionAt = counts.contacts === 0 ? undefined : await lastInteractionOf(table, companyId);
  return { company: companyRows.read(found.own), counts, lastInteractionAt };
};

/**
 * Companies with their counts, each a consistent snapshot, and their last interactions; in the order of their ids, without those that are
 * missing or another organization's. One consistent query of each company's partition, one read unit, then one of a short entry for each
 * that has contacts, half a unit; in parallel. One query of tombstones if any of them has a main contact.
 */
export const readCompanies = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'company'>[],
): Promise<readonly CountedCompany[]> => {
  const read = await mapConcurrently(ids, CONCURRENT_READS, (companyId) =>
    readCounted(table, organizationId, companyId),
  );
  const found = read.filter((counted) => counted !== undefined);
  const companies = await withContactsNow(
    table,
    organizationId,
    found.map(({ company }) => company),
  );
  return found.map((counted, at) => ({ ...counted, company: companies[at] ?? counted.company }));
};
