import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { deliveryIdOf } from '../../shared/domain/webhooks/envelope.ts';
import type { FeedEntry } from '../../shared/domain/webhooks/ports.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { LEAST_OF_HISTORIES, shareOf } from '../support/share.ts';
import { useWebhooks } from '../support/webhook-world.ts';
import { Interleaving } from './gated-table.ts';
import { deliveriesOf } from './kit.ts';

const SEED = Number(process.env.SEED ?? 20_261_123);
const RUNS = shareOf(60, LEAST_OF_HISTORIES);
const EVENTS = 70;

const hooks = await useWebhooks();
const { raiseMany, feed } = deliveriesOf(hooks);

/** A process that fans out some of the events, and perhaps ends before one of its calls. */
interface Process {
  readonly from: number;
  readonly size: number;
  readonly dies: number | undefined;
}
const processes = fc.array(
  fc.record({
    from: fc.nat({ max: EVENTS - 1 }),
    size: fc.integer({ min: 1, max: 30 }),
    dies: fc.option(fc.nat({ max: 45 }), { nil: undefined, freq: 2 }),
  }),
  { minLength: 2, maxLength: 7 },
);
const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 80 });

const entriesOf = async ({ id }: Subscription) => (await hooks.ports.deliveries.feed(id, 0, 500)).entries;

/** Begins a process; resolves with its events once it gave them, never if it ended before. */
const begin = (interleaving: Interleaving, of: Subscription, events: readonly DomainEvent[], each: Process) => {
  const own = events.slice(each.from, each.from + each.size);
  const { fanOut } = deliveryStore(interleaving.process(hooks.world.table, each.dies));
  return fanOut(of, own, hooks.world.now).then(() => own);
};

test(`the feed only grows, has each event once and no gap, however fan-outs interleave and wherever they end (seed ${SEED})`, {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(processes, picks, async (started, order) => {
      const { actor, subscription } = await hooks.subscribe();
      const events = await raiseMany(actor, EVENTS);
      const interleaving = new Interleaving();
      const given: DomainEvent[] = [];
      const faults: unknown[] = [];
      for (const each of started)
        begin(interleaving, subscription, events, each).then(
          (own) => given.push(...own),
          (fault) => faults.push(fault),
        );
      let seen: readonly FeedEntry[] = [];
      await interleaving.run(order, async () => {
        const now = await entriesOf(subscription);
        expect(now.slice(0, seen.length)).toEqual(seen);
        seen = now;
      });
      expect(faults).toEqual([]);
      // Each event given has its delivery, under its number in the feed.
      const numbers = new Map(seen.map(({ eventId, sequence }) => [eventId, sequence]));
      for (const { id } of given)
        expect(await hooks.ports.deliveries.read(deliveryIdOf(subscription.id, id))).toMatchObject({
          sequence: numbers.get(id),
        });
      // Every event is repeated until it is published.
      await hooks.ports.deliveries.fanOut(subscription, events, hooks.world.now);
      const all = await feed(subscription);
      expect(all.slice(0, seen.length).map(({ eventId }) => eventId)).toEqual(seen.map(({ eventId }) => eventId));
      expect(all.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
      expect(all.map(({ eventId }) => eventId).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
