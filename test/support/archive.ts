import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expireRows } from '../../infra/local/row-expiry.ts';
import { archivedOn, archiveRows, eraseArchived, findArchived } from '../../shared/domain/archive/archive-rows.ts';
import type { ArchiveId, ArchivePorts } from '../../shared/domain/archive/ports.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { folderArchiveBucket } from '../../shared/providers/archive/folder-bucket.ts';
import { rowOfImage, subjectToken } from '../../shared/storage/archive/archivable-row.ts';
import { archivePorts } from '../../shared/storage/archive/ports.ts';
import { readBatch } from '../../shared/storage/archive/stream-records.ts';
import { startWorld } from './world.ts';

/** After how many days rows leave. */
export const DAYS = 100;
export const DAY_MS = 24 * 3600_000;

/** A stage whose rows leave for an archive in a folder. */
export const startArchive = async () => {
  const world = await startWorld('live', { archiveAfterDays: DAYS, inMemory: false });
  const bucket = folderArchiveBucket(mkdtempSync(join(tmpdir(), 'archive-')));
  const vault = createVault(randomBytes(32));
  const vaults = async () => vault;
  const ports: ArchivePorts = archivePorts(world.table, bucket, vaults, () => world.now);
  const consume = (through: ArchivePorts) => (event: unknown) => {
    const { rows, name } = readBatch(event, vault);
    return archiveRows(through, rows, name);
  };
  return {
    world,
    ports,
    consume,
    /** As DynamoDB does, days later; twice, since what followed a message expires by its leaving. */
    async expireRows(through = ports, days = DAYS + 2) {
      const options = { client: world.dynamodb, tableName: world.table.name, now: world.now + days * DAY_MS };
      await expireRows({ ...options, consume: consume(through) });
      await expireRows({ ...options, consume: consume(through) });
    },
    archived: async (id: ArchiveId) =>
      (await findArchived(ports, id)).map(({ image, ...row }) => ({
        ...row,
        row: image === undefined ? undefined : rowOfImage(image),
      })),
    async onDay(day: string, organizationId: string) {
      const ids: string[] = [];
      for await (const rows of archivedOn(ports, day, organizationId)) ids.push(...rows.map(({ id }) => id));
      return ids;
    },
    erase: (organizationId: string, subject: string, at = world.now) =>
      eraseArchived(ports, [subjectToken(vault, organizationId, subject)], at),
    close: () => world.close(),
  };
};
