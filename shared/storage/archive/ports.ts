import type { ArchiveBucket, ArchivePorts } from '../../domain/archive/ports.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import type { Clock } from '../../domain/core/time.ts';
import type { Table } from '../client/table.ts';
import { archiveObjects } from './objects.ts';
import { archivePointers, followWith } from './pointers.ts';
import { subjectKeys } from './subject-keys.ts';

/** The archive of a stage: its bucket, and its rows in the stage's table. `vault` is that of the root key `archive`. */
export const archivePorts = (
  table: Table,
  bucket: ArchiveBucket,
  vault: () => Promise<Vault>,
  now: Clock,
): ArchivePorts => ({
  objects: archiveObjects(bucket),
  keys: subjectKeys(table, vault),
  pointers: archivePointers(table),
  followWith: followWith(table, now),
});
