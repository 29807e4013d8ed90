import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { type Chunk, type EscrowSums, isResolved, LANES } from '../domain/bulk/chunk.ts';
import type { Batch, BatchStore } from '../domain/bulk/ports.ts';
import type { Id } from '../domain/ids.ts';
import type { MessageRecord } from '../domain/messages/message.ts';
import { UNIFIED_STATUSES, type UnifiedStatus, unifiedStatus } from '../domain/messages/views.ts';
import { isoTime } from '../domain/time.ts';
import type { DueHint } from '../queues/queues.ts';
import { CAPTURE_SHARDS, FINDS, KEYS, shardOf } from './access-patterns.ts';
import { reserveChunk } from './bulk-reserve.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { entryWrite } from './ledger.ts';
import { parseMessage } from './message-rows.ts';
import { eventHint, eventWrite } from './outbox.ts';
import type { Sealer } from './queued.ts';
import type { Row, Table } from './table.ts';

const moment = z.iso.datetime().transform((text) => Date.parse(text));
const STATES = ['waiting', 'left', 'closed'] as const;

const chunkRow = z.object({
  batchId: z.string(),
  chunk: z.int(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  state: z.enum(STATES),
  coins: z.int(),
  ids: z.array(z.string()),
  createdAt: moment,
  leavesAt: z.int(),
  decidedBy: z.int().optional(),
  announcedAt: moment.optional(),
  leftAt: z.int().optional(),
  dueAt: z.int().optional(),
  released: z.int().default(0),
  releasedAt: z.int().optional(),
});
const parseChunk = (row: Row): Chunk => {
  const { org, ids, batchId, announcedAt, dueAt, ...fields } = chunkRow.parse(row);
  return {
    ...fields,
    lookAt: dueAt,
    batchId: batchId as Id<'batch'>,
    organizationId: org as Id<'organization'>,
    messageIds: ids,
    announced: announcedAt !== undefined,
  };
};

const batchRow = z.object({
  id: z.string(),
  org: z.string(),
  state: z.enum(['pending', 'accepted', 'rejected']),
  total: z.int(),
  accepted: z.int(),
  rejected: z.int(),
  chunks: z.int(),
  others: z.int(),
  createdAt: moment,
});
const parseBatch = (row: Row): Batch => {
  const { id, org, ...fields } = batchRow.parse(row);
  return { ...fields, id: id as Id<'batch'>, organizationId: org as Id<'organization'> };
};
const rowOfBatch = ({ organizationId, createdAt, ...batch }: Batch) => ({
  ...KEYS.batch(batch.id),
  ...batch,
  org: organizationId,
  createdAt: isoTime(createdAt),
});

/** Ids that one row of others names. */
const OTHERS_IN_ROW = 1_000;
const othersRows = ({ id }: Batch, others: readonly string[]): Row[] =>
  Array.from({ length: Math.ceil(others.length / OTHERS_IN_ROW) }, (_, part) => ({
    ...KEYS.batchOthers(id, part),
    ids: others.slice(part * OTHERS_IN_ROW, (part + 1) * OTHERS_IN_ROW),
  }));

const idsOf = z.object({ ids: z.array(z.string()) });

const laneKeys = ({ batchId, chunk }: Pick<Chunk, 'batchId' | 'chunk'>) =>
  Array.from({ length: LANES }, (_, lane) => KEYS.escrowLane(batchId, chunk, lane));

const sum = z.int().default(0);
const laneRow = z.object({ captured: sum, released: sum, resolved: sum });
const counts = z.object(Object.fromEntries(UNIFIED_STATUSES.map((name) => [name, sum])));

const sumsOf = (rows: readonly (Row | undefined)[]): EscrowSums => {
  const sums = { resolved: 0, captured: 0, released: 0, counts: {} as Record<string, number> };
  for (const row of rows) {
    if (!row) continue;
    const lane = laneRow.parse(row);
    sums.resolved += lane.resolved;
    sums.captured += lane.captured;
    sums.released += lane.released;
    for (const [name, count] of Object.entries(counts.parse(row))) sums.counts[name] = (sums.counts[name] ?? 0) + count;
  }
  return sums;
};

const inState = (...states: readonly string[]): Condition => ({
  text: `#state IN (${states.map((_, at) => `:in${at}`).join(', ')})`,
  values: Object.fromEntries(states.map((state, at) => [`in${at}`, state])),
});

/** The chunk is open, and nothing was given back since it was read. */
const standsAs = ({ released }: Chunk): Condition => {
  const { text, values } = inState('waiting', 'left');
  const untouched = '#released = :released';
  return {
    text: `${text} AND ${released === 0 ? `(attribute_not_exists(#released) OR ${untouched})` : untouched}`,
    values: { ...values, released },
  };
};

/**
 * What an escrow gives to its wallet: what is released and not back yet, and once it is closed what was captured, as single messages'
 * holds would have.
 */
const settlingWrites = (chunk: Chunk, sums: EscrowSums, at: number): WriteOp[] => {
  const { organizationId, batchId } = chunk;
  const { released } = sums;
  const closes = isResolved(chunk, sums);
  const captured = closes ? sums.captured : 0;
  const back = released - chunk.released;
  return [
    {
      update: KEYS.batchChunk(batchId, chunk.chunk),
      set: closes ? { state: 'closed', captured, released, closedAt: isoTime(at) } : { released, releasedAt: at },
      ...(closes ? { remove: ['duePk', 'dueAt'] } : {}),
      when: standsAs(chunk),
    },
    ...(captured > 0
      ? [
          entryWrite({ organizationId, kind: 'capture', coins: 0, held: -captured, at, batchId }),
          {
            update: KEYS.captured(organizationId, shardOf(`${batchId}#${chunk.chunk}`, CAPTURE_SHARDS)),
            add: { captured },
          },
        ]
      : []),
    ...(back > 0
      ? [
          entryWrite({ organizationId, kind: 'release', coins: back, held: -back, at, batchId }),
          { update: KEYS.wallet(organizationId), add: { balance: back, held: -back } },
        ]
      : []),
  ];
};

const messagesOf = async (table: Table, ids: readonly string[], consistent: boolean): Promise<MessageRecord[]> => {
  const rows = await table.getMany(
    ids.map((id) => KEYS.message(id)),
    { consistent },
  );
  return rows.filter((row) => row !== undefined).map(parseMessage);
};

const noCounts = () => Object.fromEntries(UNIFIED_STATUSES.map((name) => [name, 0])) as Record<UnifiedStatus, number>;

/** Resolved chunks are counted by their lanes; of the others, and of messages outside of chunks, each message is read. */
const countBatch = async (table: Table, batch: Batch): Promise<Record<UnifiedStatus, number>> => {
  const numbers = Array.from({ length: batch.chunks }, (_, chunk) => ({ batchId: batch.id, chunk }));
  const [chunkRows, laneRows, otherRows] = await Promise.all([
    table.getMany(numbers.map(({ chunk }) => KEYS.batchChunk(batch.id, chunk))),
    table.getMany(numbers.flatMap(laneKeys)),
    table.getMany(Array.from({ length: batch.others }, (_, part) => KEYS.batchOthers(batch.id, part))),
  ]);
  const total = noCounts();
  const apart: string[] = otherRows.flatMap((row) => (row ? idsOf.parse(row).ids : []));
  for (const { chunk } of numbers) {
    const row = chunkRows[chunk];
    if (!row) continue;
    const { messageIds } = parseChunk(row);
    const sums = sumsOf(laneRows.slice(chunk * LANES, (chunk + 1) * LANES));
    if (sums.resolved < messageIds.length) apart.push(...messageIds);
    else for (const name of UNIFIED_STATUSES) total[name] += sums.counts[name] ?? 0;
  }
  for (const message of await messagesOf(table, apart, false)) total[unifiedStatus(message)]++;
  return total;
};

/** Batches, their chunks and the escrows of these, in the table of one stage. */
export const batchStore = (table: Table, sealer: Sealer, publish: (hints: readonly DueHint[]) => void): BatchStore => ({
  reserveChunk: (reservation) =>
    reserveChunk(table, sealer, reservation, (ids) => ids.length > 0 && publish(ids.map(eventHint))),

  async readChunk(batchId, chunk) {
    const row = await table.get(KEYS.batchChunk(batchId, chunk));
    return row && parseChunk(row);
  },

  readMessages: (ids) => messagesOf(table, ids, true),

  async takeChunk({ batchId, chunk }, events, at, until) {
    // An event's id is its message's: raised again by a repeat, it is the same row, and its deliveries are the same.
    const rows = events.flatMap((event) => {
      const write = eventWrite(event);
      return 'put' in write ? [write.put as Row] : [];
    });
    if (rows.length > 0) await table.putMany(rows);
    const { ok } = await table.write({
      update: KEYS.batchChunk(batchId, chunk),
      set: { announcedAt: isoTime(at), ...FINDS.due('send_chunk', `${batchId}#${chunk}`, until) },
      when: inState('waiting'),
    });
    if (ok && events.length > 0) publish(events.map(({ id }) => eventHint(id)));
  },

  async letGo({ batchId, chunk }, leftAt, lookAt) {
    await table.write({
      update: KEYS.batchChunk(batchId, chunk),
      set: { state: 'left', leftAt, ...FINDS.due('close_escrow', `${batchId}#${chunk}`, lookAt) },
      when: inState('waiting', 'left'),
    });
  },

  async readEscrow(chunk) {
    return sumsOf(await table.getMany(laneKeys(chunk), { consistent: true }));
  },

  settleEscrow: async (chunk, sums, at) => (await table.transact(settlingWrites(chunk, sums, at))).ok,

  async putBatch(batch, others) {
    const rows = othersRows(batch, others);
    await table.putMany([...rows, rowOfBatch({ ...batch, others: rows.length })]);
  },

  async decideBatch(batch, others) {
    const rows = othersRows(batch, others);
    if (rows.length > 0) await table.putMany(rows);
    const written = await table.write({
      put: rowOfBatch({ ...batch, others: rows.length }),
      when: inState('pending'),
    });
    return written.ok || written.row?.state === batch.state;
  },

  async readBatch(id) {
    const row = await table.get(KEYS.batch(id));
    return row && parseBatch(row);
  },

  countBatch: (batch) => countBatch(table, batch),
});
