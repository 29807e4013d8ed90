import * as z from 'zod';
import type { BreakerState } from '../../domain/sending/ports.ts';
import { KEYS } from '../access-patterns.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';

/** Failures in a row in one process, or of all processes within the window and more than their successes, that trip a route. */
const TRIP_AFTER = 5;
export const BREAKER_WINDOW_MS = 10_000;
/** How long a tripped route is skipped before one trial call, in ms. */
const REST_MS = 30_000;
/** The time limit of the trial call of a tripped route, in ms: a provider's timeout plus a margin. */
const PROBE_MS = 15_000;
/** How long a process caches a breaker's state, in ms: the delay until it sees another process's trip. */
const TRUST_MS = 5_000;

/** A breaker's row: since when and until when it is open, when its last probe began and when it must have ended, and recent failures. */
export const breakerRow = z.object({
  openedAt: z.int().default(0),
  openUntil: z.int().default(0),
  probedAt: z.int().default(0),
  probeUntil: z.int().default(0),
  countedFrom: z.int().default(0),
  failures: z.int().default(0),
  successes: z.int().default(0),
});

interface Seen {
  readAt: number;
  openedAt: number;
  probedAt: number;
  openUntil: number;
  probeUntil: number;
  /** Consecutive failures, and successes since `countedFrom`, in this process. */
  failures: number;
  successes: number;
  countedFrom: number;
}

/**
 * A circuit breaker per provider and route, shared by all processes. A healthy route costs one eventually consistent read per 5 s and
 * process; a failure costs a write, which includes this process's successes, so that the failure rate is known where failures happen.
 */
export const breakers = (table: Table, clock: () => number) => {
  const seen = new Map<string, Seen>();
  const keyOf = (channel: string, provider: string, route: string) => KEYS.breaker(channel, provider, route);
  const ttlAt = (now: number) => Math.ceil(now / 1000) + 3600;

  const seenOf = async (channel: string, provider: string, route: string): Promise<Seen> => {
    const name = `${channel}/${provider}/${route}`;
    const now = clock();
    const held = seen.get(name);
    if (held && now - held.readAt < TRUST_MS && now >= held.readAt) return held;
    const row = await table.get(keyOf(channel, provider, route), { eventual: true });
    const { openedAt, openUntil, probedAt, probeUntil } = breakerRow.parse(row ?? {});
    const own = held ?? { failures: 0, successes: 0, countedFrom: now };
    const fresh = { ...own, readAt: now, openedAt, openUntil, probedAt, probeUntil };
    seen.set(name, fresh);
    return fresh;
  };

  /** Counts a failure in the row, with this process's successes; returns the updated row. A count older than the window is restarted. */
  const countFailure = async (key: ReturnType<typeof keyOf>, state: Seen, now: number): Promise<Row | undefined> => {
    // Reset before the write, so that concurrent failures report them only once.
    const { successes } = state;
    state.successes = 0;
    const since = { start: now - BREAKER_WINDOW_MS };
    const count = (): Promise<{ readonly ok: boolean; readonly row?: Row }> =>
      table.write({
        update: key,
        add: { failures: 1, successes },
        when: { text: '#countedFrom > :start', values: since },
      });
    const counted = await count();
    if (counted.ok) return counted.row;
    const begun = await table.write({
      update: key,
      set: { failures: 1, successes, countedFrom: now, ttl: ttlAt(now) },
      when: { text: 'attribute_not_exists(#countedFrom) OR #countedFrom <= :start', values: since },
    });
    // Another failure restarted the count meanwhile.
    return begun.ok ? begun.row : (await count()).row;
  };

  const trip = async (key: ReturnType<typeof keyOf>, state: Seen, now: number): Promise<void> => {
    const openedAt = state.openUntil > 0 && state.openedAt > 0 ? state.openedAt : now;
    Object.assign(state, { openedAt, openUntil: now + REST_MS, probeUntil: 0, failures: 0, successes: 0 });
    const { openUntil, probedAt } = state;
    await table.write({ put: { ...key, openedAt, openUntil, probedAt, ttl: ttlAt(openUntil) } });
  };

  return {
    /** Whether the route may be tried now. */
    async state(channel: string, provider: string, route: string): Promise<BreakerState> {
      const { openUntil, probeUntil } = await seenOf(channel, provider, route);
      const restsUntil = Math.max(openUntil, probeUntil);
      if (openUntil === 0) return { kind: 'closed' };
      return restsUntil > clock() ? { kind: 'resting', ms: restsUntil - clock() } : { kind: 'probation' };
    },

    /** Claims the trial call of a route after its rest; false if another process has it. */
    async probe(channel: string, provider: string, route: string): Promise<boolean> {
      const state = await seenOf(channel, provider, route);
      const now = clock();
      Object.assign(state, { probedAt: now, probeUntil: now + PROBE_MS });
      const { ok } = await table.write({
        update: keyOf(channel, provider, route),
        set: { probedAt: now, probeUntil: state.probeUntil, ttl: ttlAt(state.probeUntil) },
        when: {
          text: '#openUntil <= :now AND (attribute_not_exists(#probeUntil) OR #probeUntil <= :now)',
          values: { now },
        },
      });
      return ok;
    },

    /** Records the outcome of a call. */
    async report(channel: string, provider: string, route: string, healthy: boolean): Promise<void> {
      const state = await seenOf(channel, provider, route);
      const key = keyOf(channel, provider, route);
      const now = clock();
      if (now - state.countedFrom > BREAKER_WINDOW_MS) Object.assign(state, { successes: 0, countedFrom: now });
      if (healthy) {
        state.failures = 0;
        state.successes += 1;
        if (state.openUntil === 0) return;
        Object.assign(state, { openedAt: 0, openUntil: 0, probedAt: 0, probeUntil: 0 });
        await table.write({ delete: key });
        return;
      }
      state.failures += 1;
      if (state.openUntil > 0 || state.failures >= TRIP_AFTER) return trip(key, state, now);
      const row = await countFailure(key, state, now);
      const { failures, successes } = breakerRow.parse(row ?? {});
      if (failures >= TRIP_AFTER && failures > successes) await trip(key, state, now);
    },
  };
};
