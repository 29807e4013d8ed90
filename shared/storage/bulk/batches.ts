import * as z from 'zod';
import { type Chunk, ESCROW_SHARDS, type EscrowSums, isResolved } from '../../domain/bulk/chunk.ts';
import type { Batch, BatchStore } from '../../domain/bulk/ports.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { UNIFIED_STATUSES, type UnifiedStatus, unifiedStatus } from '../../domain/tracking/views.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { ABSENT, oneOf } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { readSentCounts } from '../contacts/sent-counts.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { capturedKey, unlistedTotals, walletReturn } from '../messages/holds.ts';
import { messageRows } from '../messages/message-rows.ts';
import type { Sealer } from '../messages/queued.ts';
import { entryWrite } from '../wallet/entries.ts';
import { sumFreed } from '../wallet/volumes.ts';
import { batchRows, chunkRows, readChunkRow } from './batch-rows.ts';
import { reserveChunk } from './reserve-chunk.ts';

/** Ids that one row of `batchOthers` holds. */
const MAX_OTHERS_IN_ROW = 1_000;
const othersRows = ({ id }: Batch, others: readonly string[]): Row[] =>
  Array.from({ length: Math.ceil(others.length / MAX_OTHERS_IN_ROW) }, (_, part) => ({
    ...KEYS.batchOthers(id, part),
    ids: others.slice(part * MAX_OTHERS_IN_ROW, (part + 1) * MAX_OTHERS_IN_ROW),
  }));

const idsOf = z.object({ ids: z.array(id('message')) });

const shardKeys = ({ batchId, chunk }: Pick<Chunk, 'batchId' | 'chunk'>) =>
  Array.from({ length: ESCROW_SHARDS }, (_, shard) => KEYS.escrowShard(batchId, chunk, shard));

const sum = z.int().default(0);
const shardRow = z.object({ captured: sum, released: sum, resolved: sum });
const counts = z.object(Object.fromEntries(UNIFIED_STATUSES.map((name) => [name, sum])));

const sumsOf = (rows: readonly (Row | undefined)[]): EscrowSums => {
  const sums = {
    resolved: 0,
    captured: 0,
    released: 0,
    freed: sumFreed(rows),
    unlisted: unlistedTotals(rows),
    counts: {} as Record<string, number>,
  };
  for (const row of rows) {
    if (!row) continue;
    const shard = shardRow.parse(row);
    sums.resolved += shard.resolved;
    sums.captured += shard.captured;
    sums.released += shard.released;
    for (const [name, count] of Object.entries(counts.parse(row))) sums.counts[name] = (sums.counts[name] ?? 0) + count;
  }
  return sums;
};

const inState = (...states: readonly Chunk['state'][]): Condition => oneOf('state', states);

/** Condition: the chunk is not closed, and nothing was refunded since it was read. */
const isUnchanged = ({ released }: Chunk): Condition => {
  const { text, values } = inState('waiting', 'left');
  const same = '#released = :released';
  return {
    text: `${text} AND ${released === 0 ? `(attribute_not_exists(#released) OR ${same})` : same}`,
    values: { ...values, released },
  };
};

/**
 * The writes that settle an escrow with its wallet: coins that were released but not refunded yet, and when closing also those captured, as
 * the holds of single messages would be.
 */
const settlingWrites = (chunk: Chunk, sums: EscrowSums, at: number): WriteOp[] => {
  const { organizationId, batchId, lane } = chunk;
  const { released } = sums;
  const isClosing = isResolved(chunk, sums);
  const captured = isClosing ? sums.captured : 0;
  const back = released - chunk.released;
  const unlisted = isClosing ? sums.unlisted : {};
  return [
    {
      update: KEYS.batchChunk(batchId, chunk.chunk),
      set: isClosing
        ? { ...chunkRows.set({ state: 'closed', released, freed: sums.freed }), captured, closedAt: isoTime(at) }
        : chunkRows.set({ released, releasedAt: at, freed: sums.freed }),
      ...(isClosing ? { remove: ['duePk', 'dueAt'] } : {}),
      when: isUnchanged(chunk),
    },
    ...(captured > 0
      ? [
          entryWrite({ organizationId, lane, kind: 'capture', coins: 0, held: -captured, at, batchId }),
          { update: capturedKey({ organizationId, id: `${batchId}#${chunk.chunk}`, lane }), add: { captured } },
        ]
      : []),
    ...(back > 0 ? [entryWrite({ organizationId, lane, kind: 'release', coins: back, held: -back, at, batchId })] : []),
    ...walletReturn(chunk, back, { ...(back > 0 ? sumFreed([sums.freed], chunk.freed) : {}), ...unlisted }),
  ];
};

const messagesOf = async (
  table: Table,
  ids: readonly Id<'message'>[],
  consistent: boolean,
): Promise<MessageRecord[]> => {
  const rows = await table.getMany(
    ids.map((id) => KEYS.message(id)),
    { consistent },
  );
  return rows.filter((row) => row !== undefined).map(messageRows.read);
};

const replacedRow = z.object({ replacedBy: id('message').optional() });

const resentIn = async (table: Table, batchId: Id<'batch'>, originals: readonly Id<'message'>[]) => {
  const read = (ids: readonly Id<'message'>[], attribute: string) =>
    table.getMany(
      ids.map((each) => KEYS.message(each)),
      { consistent: true, only: ['pk', 'sk', attribute] },
    );
  const replacements = (await read(originals, 'replacedBy')).map((row) => row && replacedRow.parse(row).replacedBy);
  const found = replacements.filter((each) => each !== undefined);
  const rows = await read(found, 'batchId');
  const own = new Set(found.filter((_, at) => rows[at]?.batchId === batchId));
  return replacements.map((each) => (each && own.has(each) ? each : undefined));
};

const noCounts = () => Object.fromEntries(UNIFIED_STATUSES.map((name) => [name, 0])) as Record<UnifiedStatus, number>;

/** Counts the statuses of a batch. Resolved chunks are counted by their escrow shards; of all others each message is read. */
const countBatch = async (table: Table, batch: Batch): Promise<Record<UnifiedStatus, number>> => {
  const numbers = Array.from({ length: batch.chunks }, (_, chunk) => ({ batchId: batch.id, chunk }));
  const [chunks, shards, others] = await Promise.all([
    table.getMany(numbers.map(({ chunk }) => KEYS.batchChunk(batch.id, chunk))),
    table.getMany(numbers.flatMap(shardKeys)),
    table.getMany(Array.from({ length: batch.others }, (_, part) => KEYS.batchOthers(batch.id, part))),
  ]);
  const total = noCounts();
  const uncounted = others.flatMap((row) => (row ? idsOf.parse(row).ids : []));
  for (const { chunk } of numbers) {
    const row = chunks[chunk];
    if (!row) continue;
    const { messageIds } = readChunkRow(row);
    const sums = sumsOf(shards.slice(chunk * ESCROW_SHARDS, (chunk + 1) * ESCROW_SHARDS));
    if (sums.resolved < messageIds.length) uncounted.push(...messageIds);
    else for (const name of UNIFIED_STATUSES) total[name] += sums.counts[name] ?? 0;
  }
  for (const message of await messagesOf(table, uncounted, false)) total[unifiedStatus(message)]++;
  return total;
};

/** A batch; undefined if there is none. */
export const readBatch = async (table: Table, id: Id<'batch'>): Promise<Batch | undefined> => {
  const row = await table.get(KEYS.batch(id));
  return row && batchRows.read(row);
};

/** Batches, their chunks and escrows, in the table of one stage. */
export const batchStore = (
  table: Table,
  sealer: Sealer,
  publish: (workItems: readonly Publishable[]) => void,
): BatchStore => ({
  sentTo: (contactIds) => readSentCounts(table, contactIds),
  reserveChunk: (reservation) =>
    reserveChunk(table, sealer, reservation, (events) => events.length > 0 && publish(events.map(eventWorkItem))),

  async readChunk(batchId, chunk) {
    const row = await table.get(KEYS.batchChunk(batchId, chunk));
    return row && readChunkRow(row);
  },

  readMessages: (ids) => messagesOf(table, ids, true),

  async announceChunk({ batchId, chunk }, events, at, until) {
    // An event's id is derived from its message: a repeat writes the same row, and creates the same deliveries.
    if (events.length > 0) await table.putMany(events.map((event) => eventWrite(event).put));
    const { ok } = await table.write({
      update: KEYS.batchChunk(batchId, chunk),
      set: { ...chunkRows.set({ announcedAt: at }), ...INDEX_KEYS.due('send_chunk', `${batchId}#${chunk}`, until) },
      when: inState('waiting'),
    });
    if (ok && events.length > 0) publish(events.map(eventWorkItem));
  },

  async markSent({ batchId, chunk }, leftAt, checkAt) {
    await table.write({
      update: KEYS.batchChunk(batchId, chunk),
      set: {
        ...chunkRows.set({ state: 'left', leftAt }),
        ...INDEX_KEYS.due('close_escrow', `${batchId}#${chunk}`, checkAt),
      },
      when: inState('waiting', 'left'),
    });
  },

  async readEscrow(chunk) {
    return sumsOf(await table.getMany(shardKeys(chunk), { consistent: true }));
  },

  settleEscrow: async (chunk, sums, at) => (await table.transact(settlingWrites(chunk, sums, at))).ok,

  async putBatch(batch) {
    await table.write({ put: batchRows.write(batch), when: ABSENT });
  },

  resentIn: (batchId, originals) => resentIn(table, batchId, originals),

  async recordResent(batch, messages) {
    const rows = othersRows(batch, messages);
    const when = { text: '#accepted <= :most', values: { most: batch.accepted } };
    await table.transact([
      { put: batchRows.write({ ...batch, others: rows.length }), when },
      ...rows.map((row) => ({ put: row })),
    ]);
  },

  async decideBatch(batch, others) {
    const rows = othersRows(batch, others);
    if (rows.length > 0) await table.putMany(rows);
    const written = await table.write({
      put: batchRows.write({ ...batch, others: rows.length }),
      when: oneOf('state', ['pending']),
    });
    return written.ok || written.row?.state === batch.state;
  },

  readBatch: (id) => readBatch(table, id),

  countBatch: (batch) => countBatch(table, batch),
});
