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
import { newDefinitionsWrites, readAttributeWrites } from './attribute-writes.ts';
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
const CONCURRENT_CALLS = 8;
const readAttributes = companyRows.pick('organizationId', 'atributos');

/** Those of the keys under which one of some companies has a value. */
const keysHeld = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'company'>[],
  keys: readonly string[],
): Promise<readonly string[]> => {
  const only = ['pk', 'sk', 'org', 'atributos'];
  const rows = await table.getMany(ids.map(KEYS.company), { consistent: true, only });
  const all = rows.flatMap((row) => (row?.org === organizationId ? [readAttributes(row).atributos] : []));
  return keys.filter((key) => all.some((atributos) => holdsValue(atributos, key)));
};

/** Those of the keys under which companies were found to have a value. Reads the companies in the directory until one has. */
const search = async (
  table: Table,
  directory: Directory,
  organizationId: Id<'organization'>,
  keys: readonly string[],
  isOver: () => boolean,
): Promise<readonly string[]> => {
  const ids = await directory.find(organizationId, {});
  const calls = Array.from({ length: Math.ceil(ids.length / KEYS_A_CALL) }, (_, at) =>
    ids.slice(at * KEYS_A_CALL, (at + 1) * KEYS_A_CALL),
  );
  const held = new Set<string>();
  await mapConcurrently(calls, CONCURRENT_CALLS, async (call) => {
    if (held.size > 0 || isOver()) return;
    for (const key of await keysHeld(table, organizationId, call, keys)) held.add(key);
  });
  return keys.filter((key) => held.has(key));
};

/** The same, or undefined if unknown after this time; pending reads are not awaited. */
const heldAmong = async (
  table: Table,
  directory: Directory,
  organizationId: Id<'organization'>,
  keys: readonly string[],
  withinMs: number,
): Promise<readonly string[] | undefined> => {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve(undefined);
    }, withinMs);
  });
  try {
    return await Promise.race([search(table, directory, organizationId, keys, () => isOver), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** The definitions of the attributes of companies, in the table of one stage. */
export const definitionStore = (table: Table, directory: Directory): DefinitionStore => ({
  async read(organizationId) {
    const found = await readRow(table, KEYS.companyAttributes(organizationId), definitionRows.read);
    return found ?? { defs: [], version: 0 };
  },
  async replace(organizationId, { defs, over, since }, entry) {
    const version = over + 1;
    const row = definitionRows.write({ organizationId, defs, version });
    const also = [...newDefinitionsWrites(organizationId, version, since), ...auditWrites(entry)];
    const outcome = await commit(table, { row, over: over === 0 ? undefined : over, also });
    return outcome.kind === 'saved';
  },
  attributeWrites: (organizationId) => readAttributeWrites(table, organizationId),
  heldAmong: (organizationId, keys, withinMs) => heldAmong(table, directory, organizationId, keys, withinMs),
});
