import * as z from 'zod';
import { definedFields } from '../../domain/core/patch.ts';
import { RECEIPT_WISHES } from '../../domain/message/smpp-origin.ts';
import { SMPP_ROUTES } from '../../domain/smpp/account.ts';
import {
  type Assembly,
  type CurrentAssembly,
  KEYED_PARTS_MS,
  type PartsStore,
  type StoredPart,
} from '../../domain/smpp/assembly.ts';
import { MAX_TEXT } from '../../domain/smpp/submit-options.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time, ttlAfter } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { partName } from './parts-of-message.ts';

/** How long parts can be asked for: from when their message was to leave, and, where they become none, from their end (ms). */
const KEPT_MS = { sent: 30 * 24 * 3_600_000, ended: 72 * 3_600_000 };

const text = z.string().optional();
/** An assembly but for its parts, each of which is an attribute of its own, so that one is added without the others. */
const assemblyRows = defineRow<Omit<Assembly, 'parts'>>()({
  attributes: {
    id: id('smppParts'),
    ...tenant,
    accountId: id('smppAccount'),
    route: z.enum(SMPP_ROUTES),
    destination: text,
    source: text,
    total: z.int(),
    startedAt: time,
    dueAt: z.int().optional(),
    state: z.enum(['cancelled', 'expired', 'sent']).optional(),
    endedAt: time.optional(),
    messageId: id('message').optional(),
    last: z.int().optional(),
    characters: z.int(),
    version: z.int(),
  },
  key: ({ id: assemblyId }) => KEYS.smppParts(assemblyId),
});

const storedPart = z.object({
  number: z.int(),
  digest: z.string(),
  characters: z.int(),
  receipt: z.object({ wants: z.enum(RECEIPT_WISHES), intermediate: z.literal(true).optional() }),
  content: z
    .object({
      coding: z.int(),
      bytes: z.string(),
      deliverAt: z.int().optional(),
      schedule: text,
      validUntil: z.int().optional(),
      validity: text,
      idempotencyKey: text,
    })
    .optional(),
});

const PART = /^part\d+$/;

/** The assembly of a row. Throws a ZodError. */
export const readAssembly = (row: Row): Assembly => ({
  ...assemblyRows.read(row),
  parts: Object.entries(row)
    .flatMap(([name, value]) => (PART.test(name) ? [storedPart.parse(value)] : []))
    .sort((one, other) => one.number - other.number),
});

const partAttributes = (parts: readonly StoredPart[]) =>
  Object.fromEntries(parts.map((part) => [partName(part.number), part]));

/** The attributes of an assembly that no other part of it changes. */
const commonAttributes = (assembly: Omit<Assembly, 'parts'>, leavesAt = assembly.startedAt): Row => ({
  ...(definedFields(assemblyRows.write(assembly)) as Row),
  ...(assembly.dueAt === undefined ? {} : INDEX_KEYS.due('smpp_parts', assembly.id, assembly.dueAt)),
  ttl: ttlAfter(assembly.endedAt === undefined ? leavesAt + KEPT_MS.sent : assembly.endedAt + KEPT_MS.ended),
});

const currentRow = z.object({ id: id('smppParts'), startedAt: time });
const readCurrent = (row: Row): CurrentAssembly => currentRow.parse(row);

/** What a change of an assembly writes for its account, in the same transaction. */
export type ReportWrites = (assembly: Assembly) => readonly WriteOp[];

/** Messages in parts, in the table of a stage. */
export const partsStore = (table: Table, reportWrites: ReportWrites): PartsStore => ({
  current: (accountId, reference) => readRow(table, KEYS.smppReference(accountId, reference), readCurrent),
  async begin(accountId, reference, before, next) {
    const row = {
      ...KEYS.smppReference(accountId, reference),
      ...z.encode(currentRow, next),
      ttl: ttlAfter(next.startedAt + KEYED_PARTS_MS),
    };
    const when = before === undefined ? ABSENT : { text: '#id = :before', values: { before } };
    const { ok, row: other } = await table.write({ put: row, when });
    // The row has left meanwhile, by its time.
    if (!ok && !other) return this.begin(accountId, reference, undefined, next);
    return ok || !other ? next : readCurrent(other);
  },
  async add(head, part) {
    const first = { ...head, characters: 0, version: 0 };
    const { pk, sk, characters: _, version: __, ...common } = commonAttributes(first, part.content?.deliverAt);
    const name = partName(part.number);
    const { ok, row } = await table.write({
      update: { pk, sk },
      setOnce: common,
      set: { [name]: part },
      add: { characters: part.characters, version: 1 },
      when: {
        text: `attribute_not_exists(#state) AND attribute_not_exists(#${name}) AND (attribute_not_exists(#characters) OR #characters <= :room)`,
        values: { room: MAX_TEXT - part.characters },
      },
    });
    if (!row) throw new Error('an update answers with the row that it changed or met');
    return { added: ok, assembly: readAssembly(row) };
  },
  read: (assemblyId) => readRow(table, KEYS.smppParts(assemblyId), readAssembly),
  async change(before, after) {
    const next = { ...after, version: before.version + 1 };
    const put = { ...commonAttributes(next, before.parts[0]?.content?.deliverAt), ...partAttributes(next.parts) };
    const write: WriteOp = { put, when: { text: '#version = :version', values: { version: before.version } } };
    const reports = reportWrites(after);
    const { ok } = reports.length > 0 ? await table.transact([write, ...reports]) : await table.write(write);
    return ok;
  },
});
