import type { AuditEntry } from '../../domain/audit/entry.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { BREAKER_WINDOW_MS, breakerRow } from './breakers.ts';

/** The breaker of a provider's route, for the operator. Times in ms; absent when the breaker is closed, or has not been probed. */
export interface ShownBreaker {
  readonly route: string;
  /** `open`: skipped until `until`. `half_open`: the next call, or one in flight, probes it. */
  readonly state: 'closed' | 'half_open' | 'open';
  readonly since?: number;
  readonly until?: number;
  readonly lastProbeAt?: number;
  /** Failures and successes that all processes reported in the last ten seconds. */
  readonly failures: number;
  readonly successes: number;
}

/** A provider's route. */
export interface BreakerPlace {
  readonly channel: string;
  readonly provider: string;
  readonly route: string;
}

const shownBreaker = (route: string, row: Row | undefined, now: number): ShownBreaker => {
  const { openedAt, openUntil, probedAt, probeUntil, countedFrom, ...counts } = breakerRow.parse(row ?? {});
  const isRecent = now - countedFrom <= BREAKER_WINDOW_MS;
  const { failures, successes } = isRecent ? counts : { failures: 0, successes: 0 };
  if (openUntil === 0) return { route, state: 'closed', failures, successes };
  const isResting = openUntil > now && probeUntil <= now;
  return {
    route,
    state: isResting ? 'open' : 'half_open',
    ...(openedAt > 0 ? { since: openedAt } : {}),
    ...(isResting ? { until: openUntil } : {}),
    ...(probedAt > 0 ? { lastProbeAt: probedAt } : {}),
    failures,
    successes,
  };
};

/** The breakers of providers' routes, in their order. One read unit and 1/100 of a round trip each. */
export const readBreakers = async (
  table: Table,
  places: readonly BreakerPlace[],
  now: number,
): Promise<readonly ShownBreaker[]> => {
  if (places.length === 0) return [];
  const rows = await table.getMany(
    places.map(({ channel, provider, route }) => KEYS.breaker(channel, provider, route)),
    { consistent: true },
  );
  return places.map(({ route }, at) => shownBreaker(route, rows[at], now));
};

/** Ends the pause of an open breaker, so that the next call probes its route; false when it is not open. Other processes see it within 5 s. */
export const endRest = async (table: Table, place: BreakerPlace, now: number, entry: AuditEntry): Promise<boolean> => {
  const { ok } = await table.transact([
    {
      update: KEYS.breaker(place.channel, place.provider, place.route),
      set: { openUntil: now, probeUntil: 0 },
      when: { text: '#openUntil > :closed', values: { closed: 0 } },
    },
    ...auditWrites(entry),
  ]);
  return ok;
};

/** Closes the breaker of a route in any state and clears its failures; a repeat changes nothing. Other processes see it within 5 s. */
export const closeBreaker = async (table: Table, place: BreakerPlace, entry: AuditEntry): Promise<void> => {
  await table.transact([{ delete: KEYS.breaker(place.channel, place.provider, place.route) }, ...auditWrites(entry)]);
};
