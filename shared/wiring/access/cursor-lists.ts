import type { Actor } from '../../domain/core/actor.ts';
import type { CursorRequest } from '../../storage/client/cursor-pages.ts';
import { vaults } from '../process/aws.ts';

/** A list's query: page and filters. */
interface Query {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly [filter: string]: unknown;
}

/** The requested page of a list. Cursors are bound to operation, organization, environment and filters, but not to the page size. */
export const cursorRequest = async (
  { id: operation }: { readonly id: string },
  { organizationId, env }: Actor,
  { limit, cursor, ...filter }: Query,
): Promise<CursorRequest> => ({
  vault: await vaults.cursors(),
  scope: { organizationId, env, query: { operation, ...filter } },
  cursor,
  limit,
});
