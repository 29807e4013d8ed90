import { archiveRows } from '../../domain/archive/archive-rows.ts';
import type { ArchiveBucket } from '../../domain/archive/ports.ts';
import { folderArchiveBucket } from '../../providers/archive/folder-bucket.ts';
import { s3ArchiveBucket } from '../../providers/archive/s3-bucket.ts';
import { archivePorts } from '../../storage/archive/ports.ts';
import { readBatch } from '../../storage/archive/stream-records.ts';
import { clock, settings, table, vaults } from '../process/aws.ts';
import { logger } from '../process/observe.ts';

const bucket = (): ArchiveBucket => {
  if (settings.ARCHIVE_FOLDER) return folderArchiveBucket(settings.ARCHIVE_FOLDER);
  if (settings.ARCHIVE_BUCKET) return s3ArchiveBucket(settings.ARCHIVE_BUCKET);
  throw new Error('ARCHIVE_BUCKET or ARCHIVE_FOLDER must be set for the archiver');
};

/**
 * Archives the expired rows of a stream batch. Rejects for the whole batch, which is then retried and bisected until only the failing rows
 * are left.
 */
export const archiveExpired = async (event: unknown): Promise<void> => {
  const { rows, name } = readBatch(event, await vaults.archive());
  const written = await archiveRows(archivePorts(table, bucket(), vaults.archive, clock), rows, name);
  logger.info('rows archived', { rows: rows.length, written, batch: name });
};
