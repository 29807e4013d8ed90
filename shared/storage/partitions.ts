import type { ArchiveId } from '../domain/archive/ports.ts';
import type { Id } from '../domain/core/ids.ts';
import type { WorkItem } from '../queues/queues.ts';
import { CHANGED_SHARDS, DELIVERY_SHARDS, dueShards } from './table-indexes.ts';

/*
 * Partition keys that are queried as a whole, of the rows and index entries of access-patterns.ts.
 */

/** The partition key of a push message's chunks and counts of opens. */
export const pushPartition = (id: Id<'message'>): string => `PSH#${id}`;

/** The partition key of a shard of an organization's push devices. */
export const pushTokenPartition = (organizationId: Id<'organization'>, shard: number): string =>
  `PTOKS#${organizationId}#${shard}`;

/** The partition keys of an organization's changed contacts. */
export const changedPartitions = (organizationId: Id<'organization'>): readonly string[] =>
  Array.from({ length: CHANGED_SHARDS }, (_, shard) => `CNTCH#${organizationId}#${shard}`);

/** The due-index partition key of a shard of a kind of work item. */
export const duePartition = (kind: WorkItem['kind'], shard: number): string => `DUE#${kind}#${shard}`;

/** The due-index partition keys of a kind of work item. */
export const duePartitions = (kind: WorkItem['kind']): readonly string[] =>
  Array.from({ length: dueShards(kind) }, (_, shard) => duePartition(kind, shard));

const deliveryShards = (partition: string): readonly string[] =>
  Array.from({ length: DELIVERY_SHARDS }, (_, shard) => `${partition}#${shard}`);

/** The index partition keys of a subscription's deliveries. */
export const deliveryPartitions = (webhookId: Id<'webhook'>): readonly string[] => deliveryShards(`DLVS#${webhookId}`);

/** The due-index partition keys of a subscription's backlog. */
export const backlogPartitions = (webhookId: Id<'webhook'>): readonly string[] =>
  deliveryShards(`BACKLOG#${webhookId}`);

/** The partition key of what the archive has under an id. */
export const archivedPartition = (id: ArchiveId): string => `ARCHIVED#${id}`;
