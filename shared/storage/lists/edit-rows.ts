import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import type { ChunkVersion } from './list-rows.ts';

/** An edit of a list's members, written before any of its chunks, so that its remains can be deleted however it ends. */
export interface ListEdit {
  readonly organizationId: Id<'organization'>;
  readonly listId: Id<'list'>;
  readonly id: string;
  /** The version of the list from which its last attempt is derived. */
  readonly over: number;
  /** The number of contacts removed from all lists when it started to look up those that it adds; undefined if it adds none. */
  readonly since?: number | undefined;
  /** The chunks that it writes, and those that it replaces. */
  readonly chunks: readonly ChunkVersion[];
  /** When these are deleted, except those in force (ms). */
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

/** How long a replaced chunk remains readable, in ms: for readers that read the list before. */
export const CLEAN_UP_MS = 5 * 60_000;
