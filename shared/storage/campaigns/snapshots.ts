import * as z from 'zod';
import { NumberSet } from '../../domain/audience/number-set.ts';
import type { SnapshotStore } from '../../domain/campaigns/ports.ts';
import type { Clock } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/** How long a snapshot is kept, in ms: its portions are created within minutes. */
const KEPT_MS = 30 * 24 * 3600_000;
/** Chunks written in one call, of 8 KB at most. */
const WRITES = 25;

const chunkRow = z.object({ members: z.instanceof(Uint8Array) });

/** Snapshots of audiences in the table of one stage: nine write units per 65,536 contacts. */
export const snapshotStore = (table: Table, clock: Clock): SnapshotStore => ({
  async keep(id, snapshot, reach) {
    const ttl = Math.ceil((clock() + KEPT_MS) / 1000);
    const rows = reach.chunks.map((chunk) => ({
      ...KEYS.campaignChunk(id, snapshot, chunk),
      members: reach.encode(chunk),
      ttl,
    }));
    for (let from = 0; from < rows.length; from += WRITES) await table.putMany(rows.slice(from, from + WRITES));
    return reach.chunks;
  },
  async read(id, snapshot, chunks) {
    const keys = chunks.map((chunk) => KEYS.campaignChunk(id, snapshot, chunk));
    const rows = await table.getMany(keys, { consistent: true });
    return NumberSet.decode(
      chunks.map((chunk, at) => {
        const row = rows[at];
        if (!row) throw new Error('a chunk of a snapshot is gone');
        return [chunk, chunkRow.parse(row).members] as const;
      }),
    );
  },
});
