import * as z from 'zod';
import type { RateLimit } from '../../domain/channels/whatsapp/numbers/number.ts';
import type { RateDecision } from '../../domain/channels/whatsapp/numbers/rate.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';

/** How far ahead slots are assigned, in ms: after a change of rate, slots of the old rate may remain for this long. */
const HORIZON_MS = 120_000;
const DAY_MS = 24 * 3600_000;
const MAX_ATTEMPTS = 8;

/** A bucket as the moment at which it will be full again (the generic cell rate algorithm; ITU-T I.371, annex A). */
interface Bucket {
  readonly name: 'secondFullAt' | 'dayFullAt';
  /** ms between two messages at the average rate. */
  readonly interval: number;
  readonly burst: number;
}
const bucketsOf = ({ perSecond, perDay }: RateLimit): readonly Bucket[] => [
  { name: 'secondFullAt', interval: 1_000 / perSecond, burst: perSecond },
  { name: 'dayFullAt', interval: DAY_MS / perDay, burst: perDay },
];

type Levels = Readonly<Record<Bucket['name'], number>>;
const levels = z.object({ secondFullAt: z.number(), dayFullAt: z.number() });
const EMPTY: Levels = { secondFullAt: 0, dayFullAt: 0 };

/** The last state of a number's buckets in this process: only a guess of which write to try first. */
const guesses = new Map<string, Levels>();
const MAX_GUESSES = 10_000;

/** One draw from both buckets, provided that they are as `seen`: full ones restart, others continue, whoever else draws meanwhile. */
const drawOp = (key: { pk: string; sk: string }, buckets: readonly Bucket[], seen: Levels, now: number): WriteOp => {
  const set: Record<string, number> = { ttl: Math.ceil((now + 2 * DAY_MS) / 1000) };
  const add: Record<string, number> = {};
  const values: Record<string, number> = { now };
  const terms = buckets.map(({ name, interval, burst }) => {
    if (seen[name] <= now) {
      set[name] = now + interval;
      return `(attribute_not_exists(#${name}) OR #${name} <= :now)`;
    }
    add[name] = interval;
    values[`last_${name}`] = now + HORIZON_MS + interval * (burst - 1);
    return `#${name} > :now AND #${name} <= :last_${name}`;
  });
  return { update: key, set, add, when: { text: terms.join(' AND '), values } };
};

/** Whether every bucket has a slot left within the horizon. */
const hasSlot = (buckets: readonly Bucket[], seen: Levels, now: number): boolean =>
  buckets.every(({ name, interval, burst }) => seen[name] <= now + HORIZON_MS + interval * (burst - 1));

/** The send time of the message that was just drawn: the later of the buckets' slots. */
const slotOf = (buckets: readonly Bucket[], drawn: Levels): number =>
  Math.max(...buckets.map(({ name, interval, burst }) => drawn[name] - interval * burst));

/**
 * Draws a message from a number's per-second and per-day buckets. A draw is one conditional write, which concurrent draws do not invalidate,
 * and each gets a time of its own. `later` when all slots of the next two minutes are taken.
 */
export const drawFromNumber = async (
  table: Table,
  numberId: Id<'number'>,
  limit: RateLimit,
  now: number,
): Promise<RateDecision> => {
  const key = KEYS.numberRate(numberId, limit.perSecond, limit.perDay);
  const buckets = bucketsOf(limit);
  if (guesses.size >= MAX_GUESSES) guesses.clear();
  let seen = guesses.get(key.pk) ?? EMPTY;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const written = await table.write(drawOp(key, buckets, seen, now));
    const found = levels.safeParse(written.row).data ?? EMPTY;
    guesses.set(key.pk, found);
    if (written.ok) {
      const at = Math.ceil(slotOf(buckets, found));
      return at <= now ? { kind: 'now' } : { kind: 'slot', at };
    }
    if (!hasSlot(buckets, found, now)) return { kind: 'later' };
    seen = found;
  }
  return { kind: 'later' };
};
