import * as z from 'zod';
import { RECEIPT_WISHES } from '../../domain/message/smpp-origin.ts';
import { SMPP_ROUTES } from '../../domain/smpp/account.ts';
import { type Assembly, KEYED_PARTS_MS, type PartsStore } from '../../domain/smpp/assembly.ts';
import { MAX_TEXT } from '../../domain/smpp/submit-options.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { assemblyStore, readParts } from './assemblies.ts';

/** How long parts can be queried: from when their message was to be sent, or, if they never became one, from their end (ms). */
const KEPT_MS = { sent: 30 * 24 * 3_600_000, ended: 72 * 3_600_000 };

const text = z.string().optional();
/** An assembly without its parts. */
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

/** The assembly of a row. Throws a ZodError. */
export const readAssembly = (row: Row): Assembly => readParts(row, assemblyRows, storedPart);

/** The report to the account for a change of an assembly, written in the same transaction. */
export type ReportWrites = (assembly: Assembly) => readonly WriteOp[];

/** Messages that were submitted in parts. */
export const partsStore = (table: Table, reportWrites: ReportWrites): PartsStore =>
  assemblyStore(table, {
    head: assemblyRows,
    read: readAssembly,
    id: id('smppParts'),
    key: KEYS.smppParts,
    referenceKey: KEYS.smppReference,
    work: 'smpp_parts',
    room: MAX_TEXT,
    knownMs: KEYED_PARTS_MS,
    keptUntil: ({ startedAt, endedAt }, first) =>
      endedAt === undefined ? (first?.content?.deliverAt ?? startedAt) + KEPT_MS.sent : endedAt + KEPT_MS.ended,
    changeWrites: reportWrites,
  });
