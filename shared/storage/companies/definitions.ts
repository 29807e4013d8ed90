import * as z from 'zod';
import { holdsValue } from '../../domain/companies/attributes.ts';
import { ATTRIBUTE_TYPES, type AttributeDefinition, type DefinitionStore } from '../../domain/companies/company.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id } from '../client/attributes.ts';
import { commit } from '../client/optimistic-commit.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { readRow } from '../read-row.ts';
import { companyRows } from './company-rows.ts';
import type { Directory } from './directory.ts';

interface Definitions {
  readonly organizationId: Id<'organization'>;
  readonly defs: readonly AttributeDefinition[];
  readonly version: number;
}
const definitionRows = defineRow<Definitions>()({
  attributes: {
    organizationId: id('organization'),
    defs: z.array(
      z.object({
        key: z.string(),
        type: z.enum(ATTRIBUTE_TYPES),
        label: z.string().optional(),
        required: z.boolean(),
      }),
    ),
    version: z.int(),
  },
  key: ({ organizationId }) => KEYS.companyAttributes(organizationId),
});

const KEYS_A_CALL = 100;
const CALLS_AT_ONCE = 8;
const readAttributes = companyRows.pick('organizationId', 'atributos');

/**
 * Whether one of an organization's companies has a value under one of these keys. Reads the companies that the directory has, until one does or the time is
 * over; undefined then.
 */
const holdsAny = async (
  table: Table,
  directory: Directory,
  organizationId: Id<'organization'>,
  keys: readonly string[],
  withinMs: number,
): Promise<boolean | undefined> => {
  const until = performance.now() + withinMs;
  const ids = await directory.find(organizationId, {});
  const calls = Array.from({ length: Math.ceil(ids.length / KEYS_A_CALL) }, (_, at) =>
    ids.slice(at * KEYS_A_CALL, (at + 1) * KEYS_A_CALL),
  );
  let held = false;
  let isLate = false;
  await mapConcurrently(calls, CALLS_AT_ONCE, async (call) => {
    isLate ||= performance.now() > until;
    if (held || isLate) return;
    const only = ['pk', 'sk', 'org', 'atributos'];
    const rows = await table.getMany(call.map(KEYS.company), { consistent: true, only });
    held ||= rows.some((row) => {
      if (row?.org !== organizationId) return false;
      const { atributos } = readAttributes(row);
      return keys.some((key) => holdsValue(atributos, key));
    });
  });
  return held || (isLate ? undefined : false);
};

/** The definitions of the attributes of companies, in the table of one stage. */
export const definitionStore = (table: Table, directory: Directory): DefinitionStore => ({
  async read(organizationId) {
    const found = await readRow(table, KEYS.companyAttributes(organizationId), definitionRows.read);
    return found ?? { defs: [], version: 0 };
  },
  async replace(organizationId, over, defs, entry) {
    const row = definitionRows.write({ organizationId, defs, version: over + 1 });
    const outcome = await commit(table, { row, over: over === 0 ? undefined : over, also: auditWrites(entry) });
    return outcome.kind === 'saved';
  },
  holdsAny: (organizationId, keys, withinMs) => holdsAny(table, directory, organizationId, keys, withinMs),
});
