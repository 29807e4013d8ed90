import type { Company } from '../../domain/companies/company.ts';
import type { CompanyImportStore, CompanyToStore } from '../../domain/companies/import.ts';
import { foldName } from '../../domain/companies/names.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { pause } from '../../domain/core/pause.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { activeAccounts } from '../access/accounts.ts';
import { countWrite } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { id, ttlAfter } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { inTransactions, type TransactionPart } from '../client/transactions.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { attributeWrites } from './attribute-writes.ts';
import { companyMark } from './changed-companies.ts';
import { companyRows, withContactsNow } from './company-rows.ts';
import { changedCompanyWrites, newCompanyWrites } from './company-writes.ts';
import { definitionStore } from './definitions.ts';
import type { Directory } from './directory.ts';

const WRITES_IN_FLIGHT = 6;
/**
 * With this many changed companies a merge of the directory is triggered immediately: otherwise the next search would read each of them.
 */
const MANY = 16;
/** How long a claim of a name is valid, in ms: far longer than an import. After that only the directory finds the company. */
const CLAIM_MS = 3_600_000;

const companyIdOf = id('company').optional();

const load =
  (table: Table, directory: Directory): CompanyImportStore['load'] =>
  async (organizationId, { cnpjs, names, accounts, contacts }) => {
    const consistent = { consistent: true };
    // Claims are read first: a company created afterwards is found in the directory, or fails the condition of this import's claim.
    const claimRows = await table.getMany(
      names.map((name) => KEYS.companyName(organizationId, name)),
      consistent,
    );
    const [cnpjRows, named, active, contactRows, definitions] = await Promise.all([
      table.getMany(
        cnpjs.map((cnpj) => KEYS.cnpj(organizationId, cnpj)),
        consistent,
      ),
      names.length === 0 ? [] : directory.named(organizationId, new Set(names.map(foldName))),
      activeAccounts(table, organizationId, accounts),
      table.getMany(contacts.map(KEYS.contact), { ...consistent, only: ['pk', 'sk', 'org'] }),
      definitionStore(table, directory).read(organizationId),
    ]);
    const idsOf = (texts: readonly string[], rows: typeof claimRows) =>
      new Map(
        texts.flatMap((text, at) => {
          const companyId = companyIdOf.parse(rows[at]?.companyId);
          return companyId === undefined ? [] : [[text, companyId] as const];
        }),
      );
    const [claims, byCnpj] = [idsOf(names, claimRows), idsOf(cnpjs, cnpjRows)];
    const ids = [...new Set([...claims.values(), ...byCnpj.values(), ...named])];
    const rows = await table.getMany(ids.map(KEYS.company), consistent);
    const stored = rows.flatMap((row) => (row?.org === organizationId ? [companyRows.read(row)] : []));
    const companies = await withContactsNow(table, organizationId, stored);
    const byId = new Map(companies.map((company): [Id<'company'>, Company] => [company.id, company]));
    return {
      companies: byId,
      byCnpj: new Map([...byCnpj].filter(([cnpj, companyId]) => byId.get(companyId)?.cnpj === cnpj)),
      claims,
      active,
      contacts: new Set(contacts.filter((_, at) => contactRows[at]?.org === organizationId)),
      definitions,
    };
  };

/** A company's part of a transaction. */
interface Part extends TransactionPart {
  readonly at: number;
  readonly company: CompanyToStore;
}

const claimWrite = ({ after, claim }: CompanyToStore): WriteOp[] => {
  if (!claim) return [];
  const { organizationId, id: companyId, createdAt } = after;
  const row = { org: organizationId, companyId, ttl: ttlAfter(createdAt + CLAIM_MS) };
  const when = claim.over === undefined ? ABSENT : { text: '#companyId = :over', values: { over: claim.over } };
  return [{ put: { ...KEYS.companyName(organizationId, claim.name), ...row }, when }];
};

const writesOf = (company: CompanyToStore, isDue: boolean): WriteOp[] => {
  const { before, after } = company;
  const others = before ? changedCompanyWrites(before, after) : newCompanyWrites(after);
  const writes = others.map(({ write }) => write);
  const when = before ? atVersion(before.version) : ABSENT;
  return [
    { put: companyRows.write(after), when },
    ...writes,
    companyMark(after, after.updatedAt, isDue),
    ...claimWrite(company),
  ];
};

/** Retries of companies of one transaction on conflicts before the import reads them again, and the longest wait, in ms. */
const ATTEMPTS = 4;
const LONGEST_WAIT_MS = 120;

/** The parts without failed conditions. */
const withoutFailed = (parts: readonly Part[], reasons: readonly CancelReason[]): readonly Part[] => {
  let at = 0;
  return parts.filter(({ writes }) => {
    const own = reasons.slice(at, at + writes.length);
    at += writes.length;
    return !own.some(({ conditionFailed }) => conditionFailed);
  });
};

/**
 * Stores companies in one transaction, retrying without those that changed since they were read; returns which were stored. None after too
 * many conflicts, or if the table is busy: the import reads them again.
 */
const storeBatch = async (table: Table, parts: readonly Part[], definitions: number): Promise<readonly Part[]> => {
  let left = parts;
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; ) {
    const news = left.filter(({ company }) => company.before === undefined).map(({ company }) => company.after);
    // Counted together, on one of the counter's rows; on another one after a conflict.
    const first = news[attempt % Math.max(1, news.length)];
    const count = first ? [countWrite(first.organizationId, 'companies', first.id, news.length)] : [];
    const attributes = attributeWrites(
      left.map(({ company }) => company),
      definitions,
    );
    const writes = [...left.flatMap((part) => part.writes), ...count, ...attributes];
    const outcome = await table.transact(writes, { reportConflicts: true });
    if (outcome.ok) return left;
    if (outcome.met) {
      attempt++;
      await pause(Math.random() * LONGEST_WAIT_MS);
      continue;
    }
    const others = withoutFailed(left, outcome.reasons);
    if (others.length === left.length) return [];
    left = others;
  }
  return [];
};

/** The same; none if the table did not answer. */
const tryStoreBatch = async (table: Table, parts: readonly Part[], definitions: number): Promise<readonly Part[]> => {
  try {
    return await storeBatch(table, parts, definitions);
  } catch (error) {
    if (error instanceof Unavailable) return [];
    throw error;
  }
};

/**
 * Imports in the table of one stage. 500 new companies are about 15 reads and 50 transactions, six in parallel. `raised` receives the
 * committed events that have subscribers, `changed` one of many companies, once all are stored: its mark is due, and triggers a merge of
 * all of them into the directory.
 */
export const companyImportStore = (
  table: Table,
  directory: Directory,
  raised: (events: readonly DomainEvent[]) => void,
  changed: (company: Company) => void,
): CompanyImportStore => ({
  load: load(table, directory),

  async storeAll(organizationId, companies, definitions) {
    const samples = [...new Map(companies.map(({ event }) => [event.type, event])).values()];
    const taken = samples.length > 0 ? await takenEvents(table, organizationId, samples) : [];
    const types = new Set(taken.map(({ type }) => type));
    const isMany = companies.length >= MANY;
    const parts = companies.map((company, at): Part => {
      const raises = types.has(company.event.type) ? [eventWrite(company.event)] : [];
      const bytes = 2_000 + JSON.stringify(company.after.atributos ?? {}).length;
      return { at, company, bytes, writes: [...writesOf(company, at === 0 && isMany), ...raises] };
    });
    const stored: boolean[] = companies.map(() => false);
    const keep = async (batch: readonly Part[]): Promise<void> => {
      const kept = await tryStoreBatch(table, batch, definitions);
      for (const { at } of kept) stored[at] = true;
      raised(kept.map(({ company: { event } }) => event).filter(({ type }) => types.has(type)));
    };
    await mapConcurrently(inTransactions(parts), WRITES_IN_FLIGHT, keep);
    const [first] = companies;
    if (isMany && first && stored[0]) changed(first.after);
    return stored;
  },
});
