import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { deliverAll } from '../../shared/domain/webhooks/deliver.ts';
import { drainBacklog } from '../../shared/domain/webhooks/drain.ts';
import { publishEvents } from '../../shared/domain/webhooks/fan-out.ts';
import { changeSubscription } from '../../shared/domain/webhooks/manage.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { overdue } from '../support/index-entries.ts';
import { LEAST_OF_HISTORIES, shareOf } from '../support/share.ts';
import { hung, ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const SEED = Number(process.env.SEED ?? 20_261_122);
const RUNS = shareOf(25, LEAST_OF_HISTORIES);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Shorter than the shortest schedule of eight attempts: nothing is abandoned for want of attempts or of time. */
const MAX_HOURS = 12;

const hooks = await useWebhooks();
const { feed } = deliveriesOf(hooks);

type Step =
  | { readonly do: 'raise'; readonly events: number }
  | { readonly do: 'answer'; readonly with: 'ok' | 'error' | 'hung' }
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  /** The queues are consumed; `lost` of ten queue messages are lost. */
  | { readonly do: 'work'; readonly lost: number }
  | { readonly do: 'wait'; readonly seconds: number }
  /** The dispatcher's work: everything overdue is found and done, while some calls to the table fail. */
  | { readonly do: 'dispatch'; readonly faults: number }
  /** A worker claims what is due, and ends. */
  | { readonly do: 'die' };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('raise'), events: fc.integer({ min: 1, max: 4 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('answer'), with: fc.constantFrom('ok', 'error', 'error', 'hung') }),
    },
    { weight: 2, arbitrary: fc.constantFrom<Step>({ do: 'pause' }, { do: 'resume' }, { do: 'die' }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('work'), lost: fc.integer({ min: 0, max: 10 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('wait'), seconds: fc.constantFrom(1, 10, 40, 150, 700, 4_000) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('dispatch'), faults: fc.integer({ min: 0, max: 3 }) }) },
  ),
  { minLength: 5, maxLength: 24 },
);

/** One history of one subscription. */
class History {
  readonly raised: string[] = [];
  readonly received = new Set<string>();
  answer: 'ok' | 'error' | 'hung' = 'ok';
  readonly actor: Actor;
  readonly subscription: Subscription;
  readonly end: number;

  constructor(actor: Actor, subscription: Subscription) {
    this.actor = actor;
    this.subscription = subscription;
    this.end = hooks.world.now + MAX_HOURS * 60 * MINUTE;
    hooks.answers.set(subscription.url, ({ headers }) => {
      if (this.answer === 'hung') return hung();
      if (this.answer === 'error') return ok(500);
      this.received.add(headers['webhook-id'] ?? '');
      return ok();
    });
  }

  /** Failed attempts are repeated at their due time, as a failed queue message is. */
  async attempt(ids: readonly Id<'delivery'>[], drains: boolean): Promise<void> {
    await deliverAll(hooks.ports, ids);
    if (drains) await drainBacklog(hooks.ports, this.subscription).catch(() => undefined);
  }

  async work(lost: number): Promise<void> {
    const received = <T>(all: T[]): T[] => all.splice(0).filter((_, at) => at % 10 >= lost);
    const ids = received(hooks.workItems).map(({ id }) => id);
    await this.attempt(ids, received(hooks.drains).length > 0);
  }

  async dispatch(): Promise<void> {
    const due = await overdue(hooks.world.table, 'deliver_webhook', hooks.world.now, 1_000);
    const drains = await overdue(hooks.world.table, 'drain_backlog', hooks.world.now, 1_000);
    const ids = due.map(PARSE_KEY.delivery);
    await this.attempt(
      ids,
      drains.some(({ sk }) => sk.endsWith(this.subscription.id)),
    );
  }

  async die(): Promise<void> {
    const { now } = hooks.world;
    await hooks.ports.backlog.lease(this.subscription, now, now + MINUTE);
    const due = await overdue(hooks.world.table, 'deliver_webhook', now, 1);
    const reads = await hooks.ports.deliveries.readDue(due.map(PARSE_KEY.delivery), now);
    for (const read of reads)
      if (read.status === 'fulfilled' && read.value)
        await hooks.ports.deliveries.claim(read.value.delivery, now, now + 25_000);
  }

  async raise(events: number): Promise<void> {
    for (let at = 0; at < events; at++) {
      hooks.world.now += 1;
      const { id } = await hooks.event(this.actor);
      this.raised.push(id);
      expect(await publishEvents(hooks.ports, [id])).toMatchObject([{ status: 'fulfilled' }]);
    }
  }

  change(status: 'active' | 'paused') {
    return changeSubscription(hooks.ports, this.actor, this.subscription.id, { status });
  }

  async take(step: Step): Promise<unknown> {
    switch (step.do) {
      case 'raise':
        return this.raise(step.events);
      case 'answer':
        this.answer = step.with;
        return;
      case 'pause':
        return this.change('paused');
      case 'resume':
        return this.change('active');
      case 'work':
        return this.work(step.lost);
      case 'wait':
        hooks.world.now = Math.min(hooks.world.now + step.seconds * SECOND, this.end);
        return;
      case 'die':
        return this.die();
      case 'dispatch':
        return this.dispatchAmid(step.faults);
    }
  }

  /** Loses the answer of every third write, `faults` times. */
  async dispatchAmid(faults: number): Promise<void> {
    let left = faults;
    hooks.world.proxy.plan(({ action, nth }) =>
      /Write|UpdateItem/.test(action) && nth % 3 === 0 && left-- > 0 ? FAULTS.loseAnswer : undefined,
    );
    await this.dispatch();
    hooks.world.proxy.plan(undefined);
  }

  /** The endpoint answers again and no call fails: the dispatcher alone must deliver everything. */
  async heal(): Promise<void> {
    this.answer = 'ok';
    await this.change('active');
    for (let turn = 0; turn < 40; turn++) {
      [hooks.workItems.length, hooks.drains.length] = [0, 0];
      await this.dispatch();
      hooks.world.now += 10 * MINUTE;
    }
  }
}

test(`each event is delivered in the end, whatever the endpoint answers, whichever worker dies and whatever is lost (seed ${SEED})`, {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      hooks.world.proxy.plan(undefined);
      [hooks.workItems.length, hooks.drains.length] = [0, 0];
      const { actor, subscription } = await hooks.subscribe();
      const run = new History(actor, subscription);
      for (const each of history) await run.take(each);
      await run.heal();
      const all = await feed(subscription);
      expect(all.map(({ sequence }) => sequence)).toEqual(run.raised.map((_, at) => at + 1));
      expect(all.map(({ status }) => status)).toEqual(run.raised.map(() => 'delivered'));
      expect([...run.received].toSorted()).toEqual(run.raised.toSorted());
      const stored = await hooks.ports.subscriptions.read(actor.organizationId, subscription.id);
      expect(stored).toMatchObject({ status: 'active' });
      expect(stored?.drainAt).toBeUndefined();
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
