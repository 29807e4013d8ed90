import { type Activity, LINK_FIELDS, shownActivities } from '../../domain/activities/activity.ts';
import type { Id } from '../../domain/core/ids.ts';
import { linksOf } from '../../domain/core/tombstones.ts';
import type { Table } from '../client/table.ts';
import { readTombstones } from '../crm/tombstones.ts';

/** Activities with their links resolved, without those of deleted cards. At most one query of tombstones. */
export const readShown = async (
  table: Table,
  organizationId: Id<'organization'>,
  activities: readonly Activity[],
): Promise<readonly Activity[]> =>
  shownActivities(await readTombstones(table, organizationId, linksOf(activities, LINK_FIELDS)), activities);
