import * as z from 'zod';
import { NumberSet } from '../../domain/audience/number-set.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import type { ChunkVersion } from './list-rows.ts';

const chunkRow = z.object({ members: z.instanceof(Uint8Array) });
const keyOf = (listId: Id<'list'>, { chunk, version }: ChunkVersion) => KEYS.listChunk(listId, chunk, version);

/**
 * The members in these chunks; undefined if one is gone, as it is some minutes after it was replaced. One round trip per 100 chunks, 2 read
 * units per chunk of 8 KB.
 */
export const readChunks = async (
  table: Table,
  listId: Id<'list'>,
  versions: readonly ChunkVersion[],
): Promise<NumberSet | undefined> => {
  const rows = await table.getMany(
    versions.map((version) => keyOf(listId, version)),
    { consistent: true },
  );
  const chunks: [number, Uint8Array][] = [];
  for (const [at, { chunk }] of versions.entries()) {
    const row = rows[at];
    if (!row) return undefined;
    chunks.push([chunk, chunkRow.parse(row).members]);
  }
  return NumberSet.decode(chunks);
};

/** Rows per call, so that a request stays below 16 MB, and concurrent calls. */
const WRITES = 25;
const IN_FLIGHT = 8;

/** Writes the members of these chunks, to which no list refers yet. Nine write units per chunk of 8 KB, one for a small chunk. */
export const writeChunks = async (
  table: Table,
  listId: Id<'list'>,
  versions: readonly ChunkVersion[],
  members: NumberSet,
): Promise<void> => {
  const rows = versions.map((version) => ({ ...keyOf(listId, version), members: members.encode(version.chunk) }));
  const starts = Array.from({ length: Math.ceil(rows.length / WRITES) }, (_, at) => at * WRITES);
  await mapConcurrently(starts, IN_FLIGHT, (start) => table.putMany(rows.slice(start, start + WRITES)));
};

/** Deletes chunks to which no list refers any more. */
export const deleteChunks = async (
  table: Table,
  listId: Id<'list'>,
  versions: readonly ChunkVersion[],
): Promise<void> => {
  await mapConcurrently(versions, IN_FLIGHT, (version) => table.write({ delete: keyOf(listId, version) }));
};
