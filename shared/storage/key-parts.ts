import { createHash } from 'node:crypto';
import type { Id, IdKind } from '../domain/core/ids.ts';

/** Caller-chosen text that could contain the separator `#` is hashed before it becomes part of a key. */
export const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
/** Newest-first sort key: ISO time, then the id, so that equal times still have one order. */
export const newestKey = (createdAt: string, id: string): string => `${createdAt}#${id}`;

/** A zero-padded number, so that it sorts numerically as text. */
export const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

export type Org = Id<'organization'>;
/** An id, or an empty string to build the keys of a query on the partition. */
export type IdOrEmpty<K extends IdKind> = Id<K> | '';

/** A partition of a list that is spread over shards; shard 0 has the list's own name. */
export const sharded = (partition: string, shard: number): string =>
  shard === 0 ? partition : `${partition}#${shard}`;

/** The partition of a wallet (lane 0) or of one of its lanes. */
export const walletPartition = (organizationId: Org, lane: number): string =>
  lane === 0 ? `WALLET#${organizationId}` : `WALLET#${organizationId}#${lane}`;
