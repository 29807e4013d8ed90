import * as z from 'zod';
import { allOf, equal, oneOf } from '../../client/conditions.ts';
import type { Condition } from '../../client/expressions.ts';
import type { Row } from '../../client/row.ts';

/** The filter of a list, besides its index and window; an absent field does not filter. */
export interface ListFilter {
  /** One of these. */
  readonly statuses?: readonly string[] | undefined;
  readonly archived?: boolean | undefined;
  readonly via?: string | undefined;
  readonly region?: string | undefined;
  readonly numberId?: string | undefined;
  readonly sentByAccountId?: string | undefined;
  readonly batchId?: string | undefined;
}

/** Condition: a row or index entry matches; undefined without a filter. */
export const conditionOf = ({ statuses, archived, ...values }: ListFilter): Condition | undefined =>
  allOf([
    archived === undefined ? undefined : { text: `attribute_${archived ? '' : 'not_'}exists(#archivedAt)` },
    statuses && oneOf('status', statuses),
    equal(values),
  ]);

/** The filterable fields of a message, as text: messages with equal values are counted together. */
const FACTS = ['status', 'archived', 'via', 'region', 'numberId', 'sentByAccountId', 'batchId'] as const;
export type Facts = { readonly [Name in (typeof FACTS)[number]]: string };

const text = z.string().default('');
const listed = z.object({
  status: text,
  archivedAt: text,
  via: text,
  region: text,
  numberId: text,
  sentByAccountId: text,
  batchId: text,
});
/** Attributes of an index entry or row that `factsOf` reads. */
export const FACT_ATTRIBUTES = Object.keys(listed.shape);

/** The facts of an index entry or a row. */
export const factsOf = (row: Row): Facts => {
  const { archivedAt, ...facts } = listed.parse(row);
  return { ...facts, archived: archivedAt === '' ? '' : 'archived' };
};

/** Whether facts match a filter, as its condition does. */
export const matches = (facts: Facts, { statuses, archived, ...values }: ListFilter): boolean =>
  (statuses === undefined || statuses.includes(facts.status)) &&
  (archived === undefined || archived === (facts.archived !== '')) &&
  (Object.entries(values) as [keyof typeof values, string | undefined][]).every(
    ([name, value]) => value === undefined || facts[name] === value,
  );

/** The number of messages by facts: keys are those of `groupOf`. */
export type Counts = Readonly<Record<string, number>>;

/** The group of some facts. Batches are many, so counts are only by batch if a filter needs it. */
export const groupOf = (facts: Facts, byBatch: boolean): string =>
  JSON.stringify(FACTS.map((name) => (name === 'batchId' && !byBatch ? '' : facts[name])));
const groupSchema = z.array(z.string()).length(FACTS.length);
const factsOfGroup = (group: string): Facts => {
  const values = groupSchema.parse(JSON.parse(group));
  return Object.fromEntries(FACTS.map((name, at) => [name, values[at]])) as Facts;
};

/** Whether a group of counts matches a filter; each is parsed once. */
export const groupMatcher = (filter: ListFilter): ((group: string) => boolean) => {
  const known = new Map<string, boolean>();
  return (group) => {
    const found = known.get(group) ?? matches(factsOfGroup(group), filter);
    known.set(group, found);
    return found;
  };
};
