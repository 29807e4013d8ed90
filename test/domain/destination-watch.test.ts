import fc from 'fast-check';
import plans from 'libphonenumber-js/max/metadata';
import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { numberOrigin } from '../../shared/domain/core/phone.ts';
import {
  isExpired,
  judgedAt,
  type SlotCount,
  slotAt,
  watchedPrefix,
} from '../../shared/domain/sending/destination-watch.ts';
import {
  type CountShard,
  type DestinationHold,
  judgeDestination,
} from '../../shared/domain/sending/judge-destination.ts';

const [SECOND, MINUTE] = [1_000, 60_000];
const START = Date.parse('2026-03-10T12:00:00Z');
const organizationId = newId('organization');

interface Sent {
  readonly at: number;
  readonly shard: number;
  /** How long after it was sent, in ms; undefined for never. */
  readonly deliveredAfter: number | undefined;
}

/** The counts of one prefix, as the table keeps them, with a due time a shard. */
class Counts {
  readonly shards = new Map<number, { slots: Map<number, SlotCount>; dueAt?: number; total: number }>();
  of = (shard: number) => {
    const found = this.shards.get(shard) ?? { slots: new Map<number, SlotCount>(), total: 0 };
    this.shards.set(shard, found);
    return found;
  };
  add(shard: number, slot: number, by: SlotCount): void {
    const row = this.of(shard);
    const { sends, delivered } = row.slots.get(slot) ?? { sends: 0, delivered: 0 };
    row.slots.set(slot, { sends: sends + by.sends, delivered: delivered + by.delivered });
    row.total += by.sends;
    if (by.sends > 0) row.dueAt ??= judgedAt(slot);
  }
  async read({ shard }: CountShard) {
    const counts = new Map<number, SlotCount>();
    for (const { slots } of this.shards.values())
      for (const [slot, { sends, delivered }] of slots) {
        const so = counts.get(slot) ?? { sends: 0, delivered: 0 };
        counts.set(slot, { sends: so.sends + sends, delivered: so.delivered + delivered });
      }
    const { dueAt, total, slots } = this.of(shard);
    return { counts, slots: [...slots.keys()], dueAt, total };
  }
  async reschedule({ shard }: CountShard, expired: readonly number[], at: number): Promise<void> {
    const row = this.of(shard);
    for (const slot of expired) row.slots.delete(slot);
    row.dueAt = at;
  }
  async retire({ shard }: CountShard, expired: readonly number[], total: number): Promise<boolean> {
    const row = this.of(shard);
    if (row.total !== total) return false;
    for (const slot of expired) row.slots.delete(slot);
    delete row.dueAt;
    return true;
  }
}

/** The first moment at which a prefix must be held, by evaluating all sends. */
const mustHoldAt = (sent: readonly Sent[]): number | undefined => {
  const slots = [...new Set(sent.map(({ at }) => slotAt(at)))].toSorted((a, b) => a - b);
  return slots.map(judgedAt).find((now, index) => {
    const last = slots[index] ?? 0;
    const within = sent.filter(({ at }) => slotAt(at) > last - 20 && slotAt(at) <= last);
    const delivered = within.filter(({ at, deliveredAfter = Number.POSITIVE_INFINITY }) => at + deliveredAfter <= now);
    return within.length >= 50 && delivered.length < within.length / 10;
  });
};

/** Runs a history second by second, with its judgements as they are due; answers when the prefix was first held. */
const firstHold = async (sent: readonly Sent[]): Promise<number | undefined> => {
  const counts = new Counts();
  const holds: DestinationHold[] = [];
  let now = START;
  const ports = {
    clock: () => now,
    counts,
    hold: async (hold: DestinationHold) => holds.push(hold) === 1,
    enqueue: () => {},
    onHeld: () => {},
  };
  const events = sent
    .flatMap(({ at, shard, deliveredAfter }) => [
      { at, shard, slot: slotAt(at), by: { sends: 1, delivered: 0 } },
      ...(deliveredAfter === undefined || isExpired(slotAt(at), at + deliveredAfter)
        ? []
        : [{ at: at + deliveredAfter, shard, slot: slotAt(at), by: { sends: 0, delivered: 1 } }]),
    ])
    .toSorted((a, b) => a.at - b.at);
  for (; now < START + 60 * MINUTE; now += SECOND) {
    while (events[0] && events[0].at <= now) {
      const { shard, slot, by } = events.shift() as (typeof events)[number];
      counts.add(shard, slot, by);
    }
    for (const [shard, { dueAt }] of counts.shards)
      if (dueAt !== undefined && dueAt <= now)
        await judgeDestination(ports, 'live', { organizationId, prefix: '447911', shard });
  }
  return holds[0]?.event.createdAt;
};

const burst = fc.record({
  minute: fc.integer({ min: 0, max: 25 }),
  count: fc.integer({ min: 1, max: 70 }),
  spreadSeconds: fc.integer({ min: 1, max: 900 }),
  deliveredOf: fc.constantFrom(0, 0, 0.05, 0.09, 0.1, 0.11, 0.5, 1),
  afterSeconds: fc.integer({ min: 1, max: 800 }),
});
const history = fc.array(burst, { minLength: 1, maxLength: 5 }).map((bursts) =>
  bursts.flatMap(({ minute, count, spreadSeconds, deliveredOf, afterSeconds }) =>
    Array.from({ length: count }, (_, index): Sent => {
      const at = START + minute * MINUTE + Math.floor((index * spreadSeconds) / count) * SECOND;
      return {
        at,
        shard: (index * 7) % 8,
        deliveredAfter: index < count * deliveredOf ? afterSeconds * SECOND : undefined,
      };
    }),
  ),
);

describe('a prefix abroad', () => {
  test('is held exactly if fewer than a tenth of 50 sends within ten minutes were delivered ten minutes later, at the first such time', async () => {
    let [held, spared] = [0, 0];
    await fc.assert(
      fc.asyncProperty(history, async (sent) => {
        const expected = mustHoldAt(sent);
        if (expected === undefined) spared += 1;
        else held += 1;
        expect(await firstHold(sent)).toBe(expected);
      }),
      { seed: 20_270_106, numRuns: 120 },
    );
    expect(Math.min(held, spared)).toBeGreaterThan(20);
  });

  test('is the calling code and four digits, whatever the length of the code', () => {
    const codes = Object.keys(plans.country_calling_codes).concat('870', '881', '883', '979');
    for (const code of codes) expect([code, watchedPrefix(`+${code}123456789`)]).toEqual([code, `${code}1234`]);
    expect(numberOrigin('+447911123456')?.callingCode).toBe('44');
  });
});
