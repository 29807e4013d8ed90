import { randomInt } from 'node:crypto';
import * as z from 'zod';
import type { AttributeWriteCounts, Company } from '../../domain/companies/company.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isSameValue } from '../../domain/core/same-value.ts';
import { KEYS } from '../access-patterns.ts';
import { isStill } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { ATTRIBUTE_WRITE_SHARDS } from '../table-indexes.ts';

/*
 * Writers of a company's attributes validate them against a version of the definitions. A change of definitions puts its version on every
 * shard; a write of attributes counts itself on any one shard, on the condition that its version is there. So it fails if the definitions
 * changed, and a change of definitions detects by the counters whether attributes were written since.
 */
const shards = Array.from({ length: ATTRIBUTE_WRITE_SHARDS }, (_, shard) => shard);
const writesRow = z.object({ writes: z.int().default(0) });

/** Whether a change adds attributes to a company. */
const setsAttributes = (before: Company | undefined, { atributos }: Company): boolean =>
  Object.keys(atributos ?? {}).length > 0 && !isSameValue(before?.atributos, atributos);

/**
 * The counting write of a transaction that adds attributes to companies; none if it doesn't. Condition: the definitions still have this
 * version. Organizations from before these counters existed have no version until the definitions change.
 */
export const attributeWrites = (
  changes: readonly { readonly before?: Company | undefined; readonly after: Company }[],
  definitionsVersion: number,
): WriteOp[] => {
  const first = changes.find(({ before, after }) => setsAttributes(before, after));
  if (!first) return [];
  const update = KEYS.companyAttributeWrites(first.after.organizationId, randomInt(ATTRIBUTE_WRITE_SHARDS));
  const when = {
    text: 'attribute_not_exists(#definitions) OR #definitions = :definitions',
    values: { definitions: definitionsVersion },
  };
  return [{ update, add: { writes: 1 }, when }];
};

/** The number of writes of an organization's company attributes so far, by shard. One consistent read of 16 short rows. */
export const readAttributeWrites = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<AttributeWriteCounts> => {
  const keys = shards.map((shard) => KEYS.companyAttributeWrites(organizationId, shard));
  const rows = await table.getMany(keys, { consistent: true });
  return rows.map((row) => writesRow.parse(row ?? {}).writes);
};

/** Puts the version of new definitions on every shard. `seen`: condition that no attributes were written since these counters were read. */
export const newDefinitionsWrites = (
  organizationId: Id<'organization'>,
  definitionsVersion: number,
  seen?: AttributeWriteCounts,
): WriteOp[] =>
  shards.map((shard) => ({
    update: KEYS.companyAttributeWrites(organizationId, shard),
    set: { definitions: definitionsVersion },
    ...(seen ? { when: isStill('writes', seen[shard] ?? 0) } : {}),
  }));
