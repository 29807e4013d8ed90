import * as z from 'zod';
import type { DuePosition, DueShard } from '../../queues/dispatch-shard.ts';
import { isCritical, type Publishable } from '../../queues/queues.ts';
import { id } from '../client/attributes.ts';
import type { Table } from '../client/table.ts';

/** What the queue of a due row depends on. The index does not carry it: an index that carried more would have to be made anew. */
const ATTRIBUTES = ['pk', 'sk', 'org', 'route', 'priority'];
const dueRow = z.object({
  org: id('organization').optional(),
  route: z.string().optional(),
  priority: z.string().optional(),
});

/** The work items of due rows, with whose they are: half a read unit a row. Of rows that are gone there are none. */
export const publishables = async (
  table: Table,
  { kind }: DueShard,
  positions: readonly DuePosition[],
): Promise<Publishable[]> => {
  const rows = await table.getMany(positions, { only: ATTRIBUTES });
  return positions.flatMap(({ pk, sk }, at) => {
    if (!rows[at]) return [];
    const { org, ...row } = dueRow.parse(rows[at]);
    return [{ kind, pk, sk, critical: isCritical(row), ...(org === undefined ? {} : { organizationId: org }) }];
  });
};
