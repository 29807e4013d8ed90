import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { selectAudience } from '../../shared/domain/campaigns/audience.ts';
import type { Campaign } from '../../shared/domain/campaigns/campaign.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  startCampaign,
} from '../../shared/domain/campaigns/lifecycle.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { Crash, crashingTable } from '../support/crashing-table.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, dueOf, workOff, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table);
const SMS = 800;

type Step =
  | { readonly kind: 'work'; readonly crashAfter?: number | undefined; readonly twice: boolean }
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'credit'; readonly sends: number }
  | { readonly kind: 'pause' | 'resume' | 'send' };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      crashAfter: fc.option(fc.nat({ max: 45 }), { nil: undefined }),
      twice: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('credit' as const), sends: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const, 'send' as const) }) },
);
const history = fc.record({
  people: fc.array(fc.record({ denied: fc.boolean() }), { minLength: 1, maxLength: 9 }),
  opening: fc.integer({ min: 0, max: 10 }),
  maxSends: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
  perMinute: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(step, { maxLength: 14 }),
  cancelled: fc.boolean(),
});

const credit = ({ organizationId, env }: Actor, coins: number) =>
  creditWallet(world.table, { organizationId, env, coins, description: 'Credit', now: world.now });

/** Works on what is due, perhaps twice at once, perhaps in a process that ends after some calls. */
const workOnce = async (id: Id<'campaign'>, { crashAfter, twice }: Extract<Step, { kind: 'work' }>): Promise<void> => {
  const table = crashAfter === undefined ? world.table : crashingTable(world.table, crashAfter);
  const own = campaignPortsOver(world, table);
  for (const item of await dueOf(world, id))
    try {
      await Promise.all([workOnCampaign(own, item), ...(twice ? [workOnCampaign(ports, item)] : [])]);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return;
    }
};

const take = async (actor: Actor, id: Id<'campaign'>, each: Step): Promise<void> => {
  if (each.kind === 'work') await workOnce(id, each);
  else if (each.kind === 'pass') world.now += each.minutes * 60_000;
  else if (each.kind === 'credit') await credit(actor, each.sends * SMS);
  else if (each.kind === 'pause') await pauseCampaign(ports, actor, id);
  else if (each.kind === 'resume') await resumeCampaign(ports, actor, id);
  else await bulk.dispatch();
};

/** Lets a campaign come to its end with all the coins that it wants. */
const finish = async (actor: Actor, id: Id<'campaign'>): Promise<void> => {
  await credit(actor, 20 * SMS);
  for (let round = 0; round < 16; round++) {
    if ((await ports.store.readById(id))?.status === 'paused')
      await resumeCampaign(ports, actor, id, { maxCoins: 1_000 * SMS });
    await workOff(world, ports, id);
    await bulk.dispatch();
    world.now += 120_000;
  }
  await bulk.settle();
};

const isLive = ({ hold }: { readonly hold: string }): boolean => hold !== 'released';

test('whatever crashes, pauses, repeats and lacks money, each person who may be written to has one message in the end, and the coins add up', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ people, opening, maxSends, perMinute, steps, cancelled }) => {
      const actor = await world.organization(opening * SMS + 1);
      const contacts = await writePeople(world, actor, people);
      const maxCoins = maxSends === undefined ? undefined : maxSends * SMS;
      const id = await draftTo(ports, actor, contacts, { perMinute, maxCoins });
      const foreseen = await selectAudience(ports.audience, (await ports.store.readById(id)) as Campaign);
      await startCampaign(ports, actor, id);
      for (const each of steps) await take(actor, id, each);
      if (maxCoins !== undefined) {
        const spent = (await bulk.messages(actor)).filter(isLive).reduce((sum, { coins }) => sum + coins, 0);
        expect(spent).toBeLessThanOrEqual(maxCoins);
      }
      if (cancelled) await cancelCampaign(ports, actor, id);
      await finish(actor, id);
      const messages = (await bulk.messages(actor)).filter(isLive);
      const written = messages.map(({ contactId }) => contactId);
      expect(new Set(written).size).toBe(written.length);
      const may = contacts.filter((_, at) => !people[at]?.denied).map((contact) => contact.id);
      const figures = await ports.figures({ id, organizationId: actor.organizationId });
      if (cancelled) expect(written.filter((contactId) => !may.some((each) => each === contactId))).toEqual([]);
      else expect(new Set(written)).toEqual(new Set(may));
      expect(foreseen).toMatchObject({ excluded: { optedOut: people.length - may.length } });
      expect(figures).toMatchObject({ accepted: messages.length + figures.unsent, coinsHeld: 0 });
      expect(figures.coinsCaptured).toBe(messages.reduce((sum, { coins }) => sum + coins, 0));
      await bulk.sentOnce(actor, messages.length);
      world.provider.dispatched.length = 0;
    }),
    { numRuns: shareOf(60) },
  );
});
