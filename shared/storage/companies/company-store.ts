import type { Company, CompanyFault, CompanyStore } from '../../domain/companies/company.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countWrite } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import type { Table } from '../client/table.ts';
import { removeShardWrites, sumOfShards } from '../crm/company-counts.ts';
import { tombstoneWrite } from '../crm/tombstones.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { attributeWrites } from './attribute-writes.ts';
import { companyMark } from './changed-companies.ts';
import { companyOfCnpj } from './company-list.ts';
import { companyRows, readCompanies, readPartition } from './company-rows.ts';
import { type CompanyWrite, changedCompanyWrites, newCompanyWrites, plain, releaseCnpj } from './company-writes.ts';

const outcomeOf = (outcome: CommitOutcome, writes: readonly CompanyWrite[]): 'conflict' | 'saved' | CompanyFault =>
  outcome.kind === 'refused' ? (writes[outcome.at]?.fault ?? 'conflict') : outcome.kind;

const removeWrites = (
  company: Company,
  shards: Parameters<typeof removeShardWrites>[0],
  at: number,
): readonly WriteOp[] => {
  const { id, organizationId, version } = company;
  return [
    { delete: KEYS.company(id), when: atVersion(version) },
    ...removeShardWrites(shards),
    ...releaseCnpj(company),
    companyMark(company, at),
    countWrite(organizationId, 'companies', id, -1),
    tombstoneWrite({ organizationId, id, at }),
  ];
};

export interface CompanyStorePorts {
  /** Receives committed events for early publication; best effort. */
  readonly raised: (events: readonly DomainEvent[]) => void;
  /** Receives a deleted company whose links must be cleared; best effort. */
  readonly deleted: (organizationId: Id<'organization'>, id: Id<'company'>) => void;
}

/** Companies in the table of one stage. */
export const companyStore = (table: Table, { raised, deleted }: CompanyStorePorts): CompanyStore => {
  const save = async (
    company: Company,
    over: number | undefined,
    writes: readonly CompanyWrite[],
    event: DomainEvent,
  ): Promise<'conflict' | 'saved' | CompanyFault> => {
    const events = await takenEvents(table, company.organizationId, [event]);
    const mark = companyMark(company, company.updatedAt);
    const also = [...writes.map(({ write }) => write), mark, ...events.map(eventWrite)];
    // A conflict over a CNPJ is resolved by finding it taken, or retried.
    const reportConflicts = writes.some(({ fault }) => fault === 'cnpj_taken');
    const commitment = { row: companyRows.write(company), over, also, reportConflicts };
    const outcome = outcomeOf(await commit(table, commitment), writes);
    if (outcome === 'saved') raised(events);
    return outcome;
  };
  /** Whether another company has the CNPJ. One read, which answers most concurrent registrations of the same one. */
  const isTaken = async ({ organizationId, cnpj, id }: Company): Promise<boolean> => {
    const holder = cnpj === undefined ? undefined : await companyOfCnpj(table, organizationId, cnpj);
    return holder !== undefined && holder !== id;
  };
  return {
    async create(company, event, definitions) {
      if (await isTaken(company)) return 'cnpj_taken';
      const counted = countWrite(company.organizationId, 'companies', company.id);
      const others = [counted, ...attributeWrites([{ after: company }], definitions)];
      return save(company, undefined, [...newCompanyWrites(company), ...others.map(plain)], event);
    },
    async read(organizationId, id) {
      const [found] = await readCompanies(table, organizationId, [id]);
      return found;
    },
    async change(before, after, event, definitions) {
      if (before.cnpj !== after.cnpj && (await isTaken(after))) return 'cnpj_taken';
      const attributes = attributeWrites([{ before, after }], definitions).map(plain);
      return save(after, before.version, [...changedCompanyWrites(before, after), ...attributes], event);
    },
    async remove(organizationId, id, at, recordOf) {
      const found = await readPartition(table, organizationId, id);
      if (!found) return 'absent';
      const { entry, event } = recordOf(sumOfShards(found.shards));
      const events = await takenEvents(table, organizationId, [event]);
      const outcome = await table.transact([
        ...removeWrites(companyRows.read(found.own), found.shards, at),
        ...events.map(eventWrite),
        ...auditWrites(entry),
      ]);
      if (!outcome.ok) return 'conflict';
      raised(events);
      deleted(organizationId, id);
      return 'removed';
    },
  };
};
