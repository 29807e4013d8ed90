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
 * Who writes a company's attributes checked them against the definitions of a version. Definitions that change put their version on every shard; a write of
 * attributes counts itself on any one of them, on the condition that its version is there. So it does not commit once the definitions are others; and who
 * changes them sees by the counts whether attributes were written since.
 */
const shards = Array.from({ length: ATTRIBUTE_WRITE_SHARDS }, (_, shard) => shard);
const writesRow = z.object({ writes: z.int().default(0) });

/** Whether a company comes to have attributes that it did not have. */
const setsAttributes = (before: Company | undefined, { atributos }: Company): boolean =>
  Object.keys(atributos ?? {}).length > 0 && !isSameValue(before?.atributos, atributos);

/**
 * The write of a transaction in which companies come to have attributes; none where they don't. Its condition is that the definitions are those of a version.
 * Organizations from before this was counted have no version until the definitions change.
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

/** How often attributes of an organization's companies were written until now, by shard. One consistent read of 16 short rows. */
export const readAttributeWrites = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<AttributeWriteCounts> => {
  const keys = shards.map((shard) => KEYS.companyAttributeWrites(organizationId, shard));
  const rows = await table.getMany(keys, { consistent: true });
  return rows.map((row) => writesRow.parse(row ?? {}).writes);
};

/** Puts the version of new definitions on every shard. `seen`: on the condition that no attributes were written since that was read. */
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
