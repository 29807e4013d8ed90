import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import type { ChunkVersion } from './list-rows.ts';

/** An edit of a list's members, written before any of its chunks: what it may leave behind is deleted by it, however the edit ends. */
export interface ListEdit {
  readonly organizationId: Id<'organization'>;
  readonly listId: Id<'list'>;
  readonly id: string;
  /** The version of the list that its last attempt is derived from. */
  readonly over: number;
  /** How many contacts had been taken out of all lists when it began to look for those that it adds; undefined where it adds none. */
  readonly since?: number | undefined;
  /** The chunks that it writes, and those that they replace. */
  readonly chunks: readonly ChunkVersion[];
  /** When these are deleted, those in force excepted (ms). */
  readonly cleanUpAt: number;
}
export const editRows = defineRow<ListEdit>()({
  attributes: {
    organizationId: id('organization'),
    listId: id('list'),
    id: z.string(),
    over: z.int(),
    since: z.int().optional(),
    chunks: z.array(z.object({ chunk: z.int(), version: z.string() })),
    cleanUpAt: z.number(),
  },
  key: (edit) => KEYS.listEdit(edit.listId, edit.id),
  index: ({ listId, id: edit, cleanUpAt }) => INDEX_KEYS.due('clean_up', `${listId}#${edit}`, cleanUpAt),
});

/** How long a chunk that another took the place of can still be read, in ms: for readers who read the list before. */
export const CLEAN_UP_MS = 5 * 60_000;
