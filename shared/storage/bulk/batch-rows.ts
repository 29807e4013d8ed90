import * as z from 'zod';
import type { Chunk } from '../../domain/bulk/chunk.ts';
import type { Batch } from '../../domain/bulk/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';

export const batchRows = defineRow<Batch>()({
  attributes: {
    id: id('batch'),
    organizationId: id('organization'),
    state: z.enum(['pending', 'accepted', 'rejected']),
    total: z.int(),
    accepted: z.int(),
    rejected: z.int(),
    chunks: z.int(),
    others: z.int(),
    createdAt: time,
  },
  key: (batch) => KEYS.batch(batch.id),
});

interface StoredChunk extends Omit<Chunk, 'announced' | 'released'> {
  /** Absent until the events of its acceptance are written. */
  readonly announcedAt?: number | undefined;
  /** Absent until some of its coins are released to the wallet. */
  readonly released?: number | undefined;
}
/** Chunks of batches. The due time of a sent chunk is the next check of its escrow. */
export const chunkRows = defineRow<StoredChunk>()({
  attributes: {
    batchId: id('batch'),
    chunk: z.int(),
    ...tenant,
    lane: z.int().optional(),
    state: z.enum(['waiting', 'left', 'closed']),
    coins: z.int(),
    messageIds: z.array(id('message')),
    createdAt: time,
    leavesAt: z.int(),
    decidedBy: z.int().optional(),
    announcedAt: time.optional(),
    leftAt: z.int().optional(),
    checkAt: z.int().optional(),
    released: z.int().optional(),
    freed: z.record(z.string(), z.int()).optional(),
    releasedAt: z.int().optional(),
  },
  rename: { messageIds: 'ids', checkAt: 'dueAt' },
  key: (chunk) => KEYS.batchChunk(chunk.batchId, chunk.chunk),
});

/** Reads a chunk's row. */
export const readChunkRow = (row: Row): Chunk => {
  const { announcedAt, released = 0, ...chunk } = chunkRows.read(row);
  return { ...chunk, released, announced: announcedAt !== undefined };
};
