import type { Company } from '../shared/domain/companies/company.ts';
import { byName, foldName, sortTextOf } from '../shared/domain/companies/names.ts';
import { type Id, newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { countWrite } from '../shared/storage/access/counters.ts';
import type { Row } from '../shared/storage/client/row.ts';
import type { Table } from '../shared/storage/client/table.ts';
import { companyRows } from '../shared/storage/companies/company-rows.ts';
import { bucketOf, countBucket, writeBucket } from '../shared/storage/companies/directory-rows.ts';
import { newShardWrites } from '../shared/storage/crm/company-counts.ts';
import { chanceOf } from '../test/support/chance.ts';
import { inGroups } from './processes.ts';

const KINDS = ['Padaria', 'Mercado', 'Clínica', 'Oficina', 'Farmácia', 'Livraria', 'Transportes', 'Construtora'];
const PLACES = ['São João', 'Aurora', 'Açaí', 'do Vale', 'Boa Vista', 'Santa Luzia', 'Ipê', 'Três Irmãos'];
/** How many companies have the name that is searched for, in a base of any size. */
export const RARE = 25;
export const RARE_NAME = 'Zuleica & Wanderley';
const CONCURRENT_CALLS = 8;

const companiesAt = (organizationId: Id<'organization'>, size: number, now: number): Company[] => {
  const chance = chanceOf(1);
  return Array.from({ length: size }, (_, nth) => {
    const isRare = nth % Math.floor(size / RARE) === 1 && nth < Math.floor(size / RARE) * RARE;
    const name = isRare ? RARE_NAME : `${chance.pick(KINDS)} ${chance.pick(PLACES)}`;
    const created = now - (size - nth) * 10;
    return {
      id: newId('company'),
      organizationId,
      env: 'test',
      nome: `${name} ${chance.below(size)}`,
      segmento: 'Varejo',
      createdById: newId('apiKey'),
      createdAt: created,
      updatedAt: created,
      version: 1,
    };
  });
};

/** Those that the lists of the bench show: the first of all by name, and those with the rare name. */
export const shownOf = (companies: readonly Company[], first: number): readonly Company[] => {
  const named = companies.map((company) => ({ company, id: company.id, sortText: sortTextOf(foldName(company.nome)) }));
  const listed = named.sort(byName).map(({ company }) => company);
  return [...new Set([...listed.slice(0, first), ...companies.filter(({ nome }) => nome.startsWith(RARE_NAME))])];
};

const putAll = (table: Table, rows: readonly Row[]): Promise<unknown> =>
  mapConcurrently(inGroups(rows, 25), CONCURRENT_CALLS, (group) => table.putMany(group));

/** Lays out companies with their counts and directory, as creations and merges leave them; by seed. Answers them. */
export const layOutCompanies = async (
  table: Table,
  organizationId: Id<'organization'>,
  size: number,
): Promise<readonly Company[]> => {
  const all = companiesAt(organizationId, size, Date.now());
  await putAll(table, all.map(companyRows.write));
  const shards = all.flatMap(({ id }) => newShardWrites(organizationId, id));
  await putAll(
    table,
    shards.flatMap((write) => ('put' in write ? [write.put] : [])),
  );
  const buckets = [...Map.groupBy(all, ({ id }) => bucketOf(id))];
  await mapConcurrently(buckets, CONCURRENT_CALLS, async ([bucket, companies]) => {
    const entries = companies.map(({ id, nome }) => ({ id, foldedName: foldName(nome) }));
    await writeBucket(table, undefined, { organizationId, bucket, entries, version: 1 });
    await countBucket(table, organizationId, bucket);
  });
  await table.write(countWrite(organizationId, 'companies', organizationId, size));
  return all;
};
