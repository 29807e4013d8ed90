import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { PRIORITIES, priorityOf } from '../../domain/core/priority.ts';
import type { DuePosition, DueShard } from '../../queues/dispatch-shard.ts';
import type { Publishable, WorkItem } from '../../queues/queues.ts';
import { id } from '../client/attributes.ts';
import type { Key } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { PARSE_KEY } from '../parse-key.ts';

/** Attributes that determine the queue of a due row. The index does not project them: adding attributes would require rebuilding it. */
const ATTRIBUTES = ['pk', 'sk', 'org', 'route', 'priority'];
const dueRow = z.object({
  org: id('organization').optional(),
  route: z.string().optional(),
  priority: z.enum(PRIORITIES).optional(),
});

/** Kinds of rows whose key contains their organization. */
const OWNER_IN_KEY: Readonly<Partial<Record<WorkItem['kind'], (key: Key) => Id<'organization'>>>> = {
  check_lanes: PARSE_KEY.wallet,
  judge_destination: (key) => PARSE_KEY.destinationCounts(key).organizationId,
};

/**
 * The work items of due rows: half a read unit per row. Deleted rows are omitted; a row without an organization, such as sign-in links
 * across organizations and receipts from before they stored it, counts as the stage's.
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
