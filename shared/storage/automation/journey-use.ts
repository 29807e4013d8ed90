import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';

const MAX_KNOWN = 10_000;
const known = new WeakMap<Table, Set<Id<'organization'>>>();

/**
 * Whether an organization has ever activated a journey, so that its journeys are notified of events and messages. "No" is read consistently
 * each time, for one read unit; "yes" is permanent, and cached.
 */
export const usesJourneys = async (table: Table, organizationId: Id<'organization'>): Promise<boolean> => {
  const users = known.get(table) ?? new Set();
  known.set(table, users);
  if (users.has(organizationId)) return true;
  if ((await table.get(KEYS.journeyUse(organizationId), { only: ['since'] })) === undefined) return false;
  if (users.size >= MAX_KNOWN) users.clear();
  users.add(organizationId);
  return true;
};

/**
 * Records that an organization uses journeys, in the transaction that activates one at `at` (ms), so that nothing that happens afterwards
 * is missed.
 */
export const journeyUseWrite = (organizationId: Id<'organization'>, at: number): WriteOp => ({
  update: KEYS.journeyUse(organizationId),
  setOnce: { since: isoTime(at) },
});
