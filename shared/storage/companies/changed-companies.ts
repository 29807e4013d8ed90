import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Company } from '../../domain/companies/company.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** Marks a company as changed since it was merged into the directory; a deleted one has a mark, too. */
export interface ChangedCompany {
  readonly organizationId: Id<'organization'>;
  readonly companyId: Id<'company'>;
  /** Unique: a mark is removed only if the company was not changed again since it was read. */
  readonly token: string;
  /** Present while the mark is due. */
  readonly duePk?: string | undefined;
}
const changedCompanyRows = defineRow<ChangedCompany>()({
  attributes: {
    organizationId: id('organization'),
    companyId: id('company'),
    token: z.string(),
    duePk: z.string().optional(),
  },
  key: ({ organizationId, companyId }) => KEYS.changedCompany(organizationId, companyId),
});

/** One change in this many triggers a merge of the directory: until then readers read about as many companies individually. */
const MERGE_ONE_IN = 16;
const dueAt = (companyId: Id<'company'>, at: number) => INDEX_KEYS.due('index_companies', companyId, at);

/**
 * Marks a company as changed at `at` (ms), in the transaction of every change, so that no reader of the directory misses it. `isDue`:
 * triggers a merge of the directory in any case.
 */
export const companyMark = (
  { id: companyId, organizationId }: Pick<Company, 'id' | 'organizationId'>,
  at: number,
  isDue = false,
): WriteOp => {
  const random = randomBytes(9);
  const mark = changedCompanyRows.write({ organizationId, companyId, token: random.toString('base64url') });
  const isSample = (random[0] ?? 0) % MERGE_ONE_IN === 0;
  return { put: { ...mark, ...(isDue || isSample ? dueAt(companyId, at) : {}) } };
};

/** The marks of an organization. One consistent query. */
export const readChangedCompanies = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<readonly ChangedCompany[]> => {
  const partition = KEYS.changedCompany(organizationId, '').pk;
  return (await table.queryAll({ partition, consistent: true })).map((row) => changedCompanyRows.read(row));
};

const isAsRead = ({ token }: ChangedCompany) => ({ text: '#token = :token', values: { token } });

/** Removes a mark, unless the company was changed again since the mark was read. */
export const clearMark = async (table: Table, mark: ChangedCompany): Promise<void> => {
  const { organizationId, companyId } = mark;
  await table.write({ delete: KEYS.changedCompany(organizationId, companyId), when: isAsRead(mark) });
};

/** Triggers a merge of the directory through one of its marks, unless that one is gone. */
export const wantDirectory = async (table: Table, mark: ChangedCompany, now: number): Promise<void> => {
  const { organizationId, companyId } = mark;
  await table.write({
    update: KEYS.changedCompany(organizationId, companyId),
    setOnce: dueAt(companyId, now),
    when: isAsRead(mark),
  });
};
