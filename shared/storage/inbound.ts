import * as z from 'zod';
import { KEYS } from './access-patterns.ts';
import type { Table } from './table.ts';

/** When a recipient last wrote to the organization on a channel, in ms; undefined when it never did. One read. */
export const readLastInbound = async (
  table: Table,
  organizationId: string,
  channel: string,
  hash: string,
): Promise<number | undefined> => {
  const row = await table.get(KEYS.lastInbound(organizationId, channel, hash));
  return row ? z.int().parse(row.at) : undefined;
};
