import type { Actor } from '../../domain/actor.ts';
import type { CursorRequest } from '../../storage/pages.ts';
import { vault } from './platform.ts';

/** A list's query: its page, and what it is filtered by. */
interface Query {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly [filter: string]: unknown;
}

/** The page that a caller asks a list for. Its cursors are good for the same operation, caller and filters alone, on pages of any size. */
export const cursorRequest = async (
  { id: operation }: { readonly id: string },
  { organizationId, env }: Actor,
  { limit, cursor, ...filter }: Query,
): Promise<CursorRequest> => ({
  vault: await vault(),
  scope: { organizationId, env, query: { operation, ...filter } },
  cursor,
  limit,
});
