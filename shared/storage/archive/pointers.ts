import * as z from 'zod';
import { ARCHIVE_KINDS, type ArchivableRow, type ArchivePorts } from '../../domain/archive/ports.ts';
import { asId } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Table } from '../client/table.ts';
import { archivedPartition } from '../partitions.ts';

const stored = z.object({ sk: z.enum(ARCHIVE_KINDS), object: z.string() });
const CONCURRENCY = 16;

/** The objects of archived rows: one pointer row per id in the table. */
export const archivePointers = (table: Table): ArchivePorts['pointers'] => ({
  put: (pointers) => table.putMany(pointers.map(({ id, kind, object }) => ({ ...KEYS.archived(id, kind), object }))),
  async find(id) {
    const rows = await table.queryAll({ partition: archivedPartition(id), consistent: true });
    return rows.map((row) => {
      const { sk: kind, object } = stored.parse(row);
      return { id, kind, object };
    });
  },
});

/**
 * Lets the opens and clicks of archived messages follow them: their rows are found by reading, and expire immediately, at `now` (ms), with
 * the attributes that file them, so that the archiver receives them like any other row.
 */
export const followWith =
  (table: Table, now: () => number) =>
  async (rows: readonly ArchivableRow[]): Promise<void> => {
    const messages = rows.flatMap((row) => {
      const id = row.kind === 'message' ? asId('message', row.id) : undefined;
      return id ? [{ row, key: KEYS.engagement(id) }] : [];
    });
    const beside = await table.getMany(
      messages.map(({ key }) => key),
      { only: ['pk', 'sk'] },
    );
    const followed = messages.filter((_, at) => beside[at] !== undefined);
    await mapConcurrently(followed, CONCURRENCY, ({ row: { organizationId: org, createdAt, subjects }, key }) =>
      table.write({
        update: key,
        set: { org, createdAt: isoTime(createdAt), subjects, ttl: Math.floor(now() / 1000) },
        when: EXISTS,
      }),
    );
  };
