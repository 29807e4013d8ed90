import * as z from 'zod';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/** Consecutive failures that trip a route. */
const TRIP_AFTER = 5;
/** How long a tripped route is skipped before one send tries it again, in ms. */
const REST_MS = 30_000;
/** How long a process caches a breaker's state, in ms: the delay until it sees another process's trip. */
const TRUST_MS = 5_000;

interface Seen {
  readAt: number;
  openUntil: number;
  failures: number;
}

/**
 * A circuit breaker per provider and route. Failures are counted in the process; a trip is stored, so that all processes skip the route. A
 * healthy route costs one eventually consistent read per 5 s and process.
 */
export const breakers = (table: Table, clock: () => number) => {
  const seen = new Map<string, Seen>();
  const stateOf = async (channel: string, provider: string, route: string): Promise<Seen> => {
    const name = `${channel}/${provider}/${route}`;
    const now = clock();
    const held = seen.get(name);
    if (held && now - held.readAt < TRUST_MS && now >= held.readAt) return held;
    const row = await table.get(KEYS.breaker(channel, provider, route), { eventual: true });
    const openUntil = row ? z.int().parse(row.openUntil) : 0;
    const fresh = { readAt: now, openUntil, failures: held?.failures ?? 0 };
    seen.set(name, fresh);
    return fresh;
  };
  return {
    /** Whether the route may be tried now. */
    async closed(channel: string, provider: string, route: string): Promise<boolean> {
      return (await stateOf(channel, provider, route)).openUntil <= clock();
    },
    /** Records the outcome of a call. */
    async report(channel: string, provider: string, route: string, healthy: boolean): Promise<void> {
      const state = await stateOf(channel, provider, route);
      if (healthy) {
        state.failures = 0;
        return;
      }
      state.failures += 1;
      if (state.failures < TRIP_AFTER) return;
      state.failures = TRIP_AFTER - 1;
      state.openUntil = clock() + REST_MS;
      const ttl = Math.ceil(state.openUntil / 1000) + 3600;
      await table.write({ put: { ...KEYS.breaker(channel, provider, route), openUntil: state.openUntil, ttl } });
    },
  };
};
