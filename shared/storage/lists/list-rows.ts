import * as z from 'zod';
import type { StaticList } from '../../domain/lists/list.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';

/**
 * A stored list. Its members are in immutable chunk rows: the list contains the version in force of each chunk, so that one conditional
 * write changes the members atomically. At 10,000,000 contacts these are 153 chunks, 3 KB.
 */
export interface StoredList extends StaticList {
  /** The version in force of each chunk that has members. */
  readonly chunks: Readonly<Record<string, string>>;
  /** Incremented by each change of the members, which is conditional on the previous version. */
  readonly version: number;
  /** The latest changes of the members, by which a change whose response was lost recognizes itself. */
  readonly recent: readonly string[];
}
export const listRows = defineRow<StoredList>()({
  attributes: {
    id: id('list'),
    organizationId: id('organization'),
    name: z.string(),
    description: z.string().optional(),
    size: z.int(),
    chunks: z.record(z.string(), z.string()),
    version: z.int(),
    recent: z.array(z.string()),
    createdAt: time,
    updatedAt: time,
  },
  key: (list) => KEYS.list(list.organizationId, list.id),
});

/** The list alone. */
export const asList = ({ chunks: _chunks, version: _version, recent: _recent, ...list }: StoredList): StaticList =>
  list;

/** A version of a chunk. */
export interface ChunkVersion {
  readonly chunk: number;
  readonly version: string;
}
/** The versions that a list refers to, of all chunks or of some. */
export const versionsOf = ({ chunks }: Pick<StoredList, 'chunks'>, only?: readonly number[]): ChunkVersion[] =>
  (only ?? Object.keys(chunks).map(Number)).flatMap((chunk) => {
    const version = chunks[chunk];
    return version === undefined ? [] : [{ chunk, version }];
  });
