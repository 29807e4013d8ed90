import * as z from 'zod';
import { type CompanyCounts, NOTHING_COUNTED } from '../../domain/companies/company.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { isStill } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { COMPANY_SHARDS, shardOf } from '../table-indexes.ts';

const COUNTS = Object.keys(NOTHING_COUNTED) as (keyof CompanyCounts)[];

interface CompanyShard extends CompanyCounts {
  readonly organizationId: Id<'organization'>;
  readonly companyId: Id<'company'>;
  readonly shard: number;
}
const count = z.int().default(0);
/** A company's shards are created and deleted with it: the existence of one proves that the company exists. */
export const companyShardRows = defineRow<CompanyShard>()({
  attributes: {
    organizationId: id('organization'),
    companyId: id('company'),
    shard: z.int(),
    contacts: count,
    cards: count,
    openCards: count,
    openCents: count,
    wonCards: count,
    wonCents: count,
  },
  key: ({ companyId, shard }) => KEYS.companyCounts(companyId, shard),
});

const counts = (of: (name: keyof CompanyCounts) => number): CompanyCounts => ({
  contacts: of('contacts'),
  cards: of('cards'),
  openCards: of('openCards'),
  openCents: of('openCents'),
  wonCards: of('wonCards'),
  wonCents: of('wonCents'),
});

/** The sum of a company's shards. */
export const sumOfShards = (shards: readonly Row[]): CompanyCounts => {
  const read = shards.map((row) => companyShardRows.read(row));
  return counts((name) => read.reduce((sum, shard) => sum + shard[name], 0));
};

/** The shards of a new company, with zero counts. */
export const newShardWrites = (organizationId: Id<'organization'>, companyId: Id<'company'>): WriteOp[] =>
  Array.from({ length: COMPANY_SHARDS }, (_, shard) => ({
    put: companyShardRows.write({ organizationId, companyId, shard, ...NOTHING_COUNTED }),
  }));

/** Deletes a company's shards, each on the condition that its counts are unchanged, so that the recorded sum is exact. */
export const removeShardWrites = (shards: readonly Row[]): WriteOp[] =>
  shards.map((row) => {
    const shard = companyShardRows.read(row);
    const conditions = COUNTS.map((name) => isStill(name, shard[name]));
    return {
      delete: KEYS.companyCounts(shard.companyId, shard.shard),
      when: {
        text: ['attribute_exists(#pk)', ...conditions.map(({ text }) => text)].join(' AND '),
        values: Object.assign({}, ...conditions.map(({ values }) => values)),
      },
    };
  });

/** A contact or card linked to a company, and its contribution to the counters. */
export interface CompanyLink {
  readonly organizationId: Id<'organization'>;
  readonly companyId?: Id<'company'> | undefined;
  /** It is always counted on the shard of its id. */
  readonly objectId: Id<'contact'> | Id<'card'>;
  readonly counts: Partial<CompanyCounts>;
}
/** A contact or card before and after a change; undefined if it does not exist. */
export interface LinkChange {
  readonly before?: CompanyLink | undefined;
  readonly after?: CompanyLink | undefined;
}
/** A card's contribution to its company's counters. */
export const cardCounts = (status: 'aberto' | 'ganho' | 'perdido', cents: number): Partial<CompanyCounts> => ({
  cards: 1,
  ...(status === 'aberto' ? { openCards: 1, openCents: cents } : {}),
  ...(status === 'ganho' ? { wonCards: 1, wonCents: cents } : {}),
});

/** A write of a shard. */
export interface CompanyCountWrite {
  readonly companyId: Id<'company'>;
  /**
   * Whether the object is newly linked to the company: if the condition fails, there is no such company. Otherwise it was linked before: if
   * the condition fails, the company was deleted, and the change is retried with the company in `gone`.
   */
  readonly joins: boolean;
  readonly write: WriteOp;
}

interface Tally {
  readonly organizationId: Id<'organization'>;
  readonly companyId: Id<'company'>;
  readonly shard: number;
  readonly joins: boolean;
  readonly by: CompanyCounts;
}

const countedOn = (
  tallies: Map<string, Tally>,
  { organizationId, companyId, objectId, counts: own }: CompanyLink,
  sign: 1 | -1,
  joins: boolean,
): void => {
  if (companyId === undefined) return;
  const shard = shardOf(objectId, COMPANY_SHARDS);
  const at = `${companyId}#${shard}`;
  const before = tallies.get(at);
  tallies.set(at, {
    organizationId,
    companyId,
    shard,
    joins: joins || (before?.joins ?? false),
    by: counts((name) => (before?.by[name] ?? 0) + sign * (own[name] ?? 0)),
  });
};

const writeOf = ({ organizationId: org, companyId, shard, joins, by }: Tally): CompanyCountWrite[] => {
  const add = Object.fromEntries(Object.entries(by).filter(([, change]) => change !== 0));
  const key = KEYS.companyCounts(companyId, shard);
  const when: Condition = { text: '#org = :org', values: { org } };
  if (Object.keys(add).length > 0) return [{ companyId, joins, write: { update: key, add, when } }];
  return joins ? [{ companyId, joins, write: { check: key, when } }] : [];
};

/**
 * Updates companies' counters for changes of contacts and cards, in the transaction of the changes: one write per changed shard. Condition:
 * the company exists and belongs to the organization. `gone`: companies that were found deleted, which are skipped.
 */
export const companyCountWrites = (
  changes: readonly LinkChange[],
  gone: ReadonlySet<Id<'company'>> = new Set(),
): CompanyCountWrite[] => {
  const tallies = new Map<string, Tally>();
  for (const { before, after } of changes) {
    if (before) countedOn(tallies, before, -1, false);
    if (after) countedOn(tallies, after, 1, after.companyId !== before?.companyId);
  }
  return [...tallies.values()].filter(({ companyId, joins }) => joins || !gone.has(companyId)).flatMap(writeOf);
};
