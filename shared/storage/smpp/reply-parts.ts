import * as z from 'zod';
import {
  KNOWN_REPLY_PART_MS,
  MAX_REPLY_BYTES,
  type ReplyAssembly,
  type ReplyPartsPorts,
} from '../../domain/smpp/reply-parts.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { assemblyStore, readParts } from './assemblies.ts';

/** How long an unprocessed assembly is kept, however late its work is (ms). */
const KEPT_MS = 7 * 24 * 3_600_000;

/** An assembly without its parts. */
const head = defineRow<Omit<ReplyAssembly, 'parts'>>()({
  attributes: {
    id: id('replyParts'),
    provider: z.string(),
    from: z.string().optional(),
    to: z.string().optional(),
    total: z.int(),
    startedAt: time,
    dueAt: z.int().optional(),
    state: z.enum(['closed', 'replied']).optional(),
    characters: z.int(),
    version: z.int(),
  },
  key: ({ id: assemblyId }) => KEYS.replyParts(assemblyId),
});

const part = z.object({
  number: z.int(),
  digest: z.string(),
  characters: z.int(),
  content: z.object({ coding: z.int(), bytes: z.string() }).optional(),
});

/** Replies that come in parts, in the table of a stage. */
export const replyPartsStore = (table: Table): ReplyPartsPorts['parts'] =>
  assemblyStore(table, {
    head,
    read: (row) => readParts(row, head, part),
    id: id('replyParts'),
    key: KEYS.replyParts,
    referenceKey: KEYS.replyReference,
    work: 'reply_parts',
    room: MAX_REPLY_BYTES,
    knownMs: KNOWN_REPLY_PART_MS,
    keptUntil: ({ startedAt, dueAt }) => startedAt + (dueAt === undefined ? KNOWN_REPLY_PART_MS : KEPT_MS),
  });
