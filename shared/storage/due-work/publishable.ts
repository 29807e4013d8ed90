import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { PRIORITIES, priorityOf } from '../../domain/core/priority.ts';
import type { DuePosition, DueShard } from '../../queues/dispatch-shard.ts';
import type { Publishable, WorkItem } from '../../queues/queues.ts';
import { id } from '../client/attributes.ts';
import type { Key } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { PARSE_KEY } from '../parse-key.ts';

/** What the queue of a due row depends on. The index does not carry it: an index that carried more would have to be made anew. */
const ATTRIBUTES = ['pk', 'sk', 'org', 'route', 'priority'];
const dueRow = z.object({
  org: id('organization').optional(),
  route: z.string().optional(),
  priority: z.enum(PRIORITIES).optional(),
});

/** Whose the rows are that say so in their key alone. */
const OWNER_IN_KEY: Readonly<Partial<Record<WorkItem['kind'], (key: Key) => Id<'organization'>>>> = {
  check_lanes: PARSE_KEY.wallet,
  judge_destination: (key) => PARSE_KEY.destinationCounts(key).organizationId,
};

/**
 * The work items of due rows: half a read unit a row. Of rows that are gone there are none; one that says nowhere whose it is, as sign-in links of no
 * organization and receipts from before they said so, is the stage's.
 */
export const publishables = async (
  table: Table,
  { kind }: DueShard,
  positions: readonly DuePosition[],
): Promise<Publishable[]> => {
  const rows = await table.getMany(positions, { only: ATTRIBUTES });
  return positions.flatMap(({ pk, sk }, at) => {
    if (!rows[at]) return [];
    const { org, ...row } = dueRow.parse(rows[at]);
    const owner = org ?? OWNER_IN_KEY[kind]?.({ pk, sk }) ?? 'stage';
    return [{ kind, pk, sk, owner, priority: priorityOf(row) }];
  });
};
