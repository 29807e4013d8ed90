import { beforeEach, describe, expect, test } from 'vitest';
import type { CampaignInput } from '../../shared/domain/campaigns/campaign.ts';
import { portionSize } from '../../shared/domain/campaigns/drive.ts';
import { pauseCampaign, resumeCampaign, startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { Figures, PortionPorts } from '../../shared/domain/campaigns/ports.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, driveItem, dueOf, statusAfter, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table);
const MINUTE_MS = 60_000;
const HOUR_MS = 3600_000;

const portionItem = (id: Id<'campaign'>, portion: number) => ({ pk: `CMPP#${id}#${portion}`, sk: 'PORTION' });
/** A campaign to so many people, its portions made as far as one invocation makes them. */
const started = async (actor: Actor, count: number, fields: Partial<CampaignInput>) => {
  const contacts = await writePeople(
    world,
    actor,
    Array.from({ length: count }, () => ({})),
  );
  const id = await draftTo(ports, actor, contacts, fields);
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, driveItem(id));
  return { id, contacts };
};
const checkedAt = (id: Id<'campaign'>, counts: Partial<Figures>) => statusAfter(ports, id, counts);
/** In how many ms the campaign's own work is due. */
const dueInMs = async (id: Id<'campaign'>) => Number((await world.table.get(driveItem(id)))?.dueAt) - world.now;
const readAll = async (id: Id<'campaign'>) => {
  const { drive } = (await ports.store.readById(id)) ?? {};
  const places = Array.from({ length: drive?.portions ?? 0 }, (_, at) => at);
  return (await ports.portions.readMany(id, places)).flatMap((portion) => portion ?? []);
};

describe('the portions of a campaign', { timeout: 180_000 }, () => {
  test('hold each recipient once, also beyond what one step makes', async () => {
    const { id, contacts } = await started(await world.organization(), 83, { perMinute: 2 });
    const portions = await readAll(id);
    expect(portions).toHaveLength(42);
    expect(portions.flatMap(({ numbers }) => numbers)).toEqual(contacts.map(({ number }) => number));
  });

  test('are due by perMinute, and send nothing when they are handed over before', async () => {
    const actor = await world.organization();
    const { id } = await started(actor, 5, { perMinute: 2 });
    const startedAt = world.now;
    expect((await readAll(id)).map(({ dueAt }) => dueAt - startedAt)).toEqual([0, MINUTE_MS, 2 * MINUTE_MS]);
    world.now = startedAt + MINUTE_MS - 1;
    await workOnCampaign(ports, portionItem(id, 1));
    expect(await bulk.messages(actor)).toEqual([]);
    world.now++;
    await workOnCampaign(ports, portionItem(id, 1));
    expect(await bulk.messages(actor)).toHaveLength(2);
  });

  test("allow one second of a pace, so that a minute's messages are not sent in a burst", async () => {
    const { id } = await started(await world.organization(), 45, { perMinute: 600 });
    const portions = await readAll(id);
    expect(portions.map(({ numbers }) => numbers.length)).toEqual([10, 10, 10, 10, 5]);
    expect(portions.map(({ dueAt }) => dueAt - world.now)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  });

  test.each([
    [undefined, 500],
    [1, 1],
    [9, 9],
    [10, 10],
    [600, 10],
    [3_000, 50],
    [3_001, 51],
    [30_000, 500],
    [1_000_000, 500],
  ])('of %s recipients a minute are of %i', (perMinute, size) => {
    expect(portionSize({ perMinute })).toBe(size);
  });

  test('that are open get new due times when the campaign is resumed', async () => {
    const actor = await world.organization();
    const { id } = await started(actor, 6, { perMinute: 2 });
    await workOnCampaign(ports, portionItem(id, 0));
    accepted(await pauseCampaign(ports, actor, id));
    world.now += 10 * MINUTE_MS;
    accepted(await resumeCampaign(ports, actor, id));
    await workOnCampaign(ports, driveItem(id));
    const [, ...open] = await readAll(id);
    expect(open.map(({ dueAt }) => dueAt - world.now)).toEqual([0, MINUTE_MS]);
  });

  test('that are done are not claimed again', async () => {
    const { id } = await started(await world.organization(), 2, {});
    await workOnCampaign(ports, portionItem(id, 0));
    const done = await readAll(id);
    expect(done).toMatchObject([{ state: 'done', fence: 1 }]);
    await workOnCampaign(ports, portionItem(id, 0));
    expect(await readAll(id)).toEqual(done);
  });

  test('that a worker has claimed are due again when the claim ends, even after a resumption', async () => {
    const actor = await world.organization();
    const { id } = await started(actor, 2, {});
    const [portion] = await readAll(id);
    if (!portion) throw new Error('no portion');
    const until = world.now + 90_000;
    expect(await ports.portions.claim(portion, world.now, until)).toBeDefined();
    await ports.portions.moveToEpoch(id, 0, 1, world.now);
    await workOnCampaign(ports, portionItem(id, 0));
    expect((await dueOf(world, id)).filter(({ sk }) => sk === 'PORTION')).toEqual([]);
    world.now = until;
    await workOnCampaign(ports, portionItem(id, 0));
    expect(await bulk.messages(actor)).toHaveLength(2);
  });
});

describe('a campaign', { timeout: 180_000 }, () => {
  test('is not completed while a portion is open, whatever the state of its messages', async () => {
    const actor = await world.organization();
    const { id } = await started(actor, 4, { perMinute: 2 });
    await workOnCampaign(ports, portionItem(id, 0));
    await bulk.settle();
    await workOnCampaign(ports, driveItem(id));
    expect(await ports.store.readById(id)).toMatchObject({ status: 'running' });
  });

  test('with fallbacks is completed once its counters were unchanged for a minute', async () => {
    const message = { channel: 'sms' as const, text: 'Oi', fallback: ['rcs' as const] };
    const { id } = await started(await world.organization(), 1, { message });
    const failed = { accepted: 1, sent: 1, failed: 1 };
    expect(await checkedAt(id, failed)).toBe('running');
    world.now += MINUTE_MS - 1;
    expect(await checkedAt(id, failed)).toBe('running');
    world.now++;
    expect(await checkedAt(id, failed)).toBe('completed');
    const { id: other } = await started(await world.organization(), 1, { message });
    expect(await checkedAt(other, { accepted: 1, sent: 1 })).toBe('running');
    world.now += HOUR_MS;
    expect(await checkedAt(other, failed)).toBe('running');
  });

  test('whose provider reports no delivery is completed once all of it left, unless a fallback goes where one does', async () => {
    const left = { accepted: 2, sent: 1, failed: 1 };
    const statusOf = async (message: CampaignInput['message']) => {
      const { id } = await started(await world.organization(), 1, { message });
      expect(await checkedAt(id, { ...left, failed: 0 })).toBe('running');
      await checkedAt(id, { ...left, sent: 2 });
      world.now += MINUTE_MS;
      return checkedAt(id, { ...left, sent: 2 });
    };
    expect(await statusOf({ channel: 'push', text: 'Oi' })).toBe('completed');
    const { id } = await started(await world.organization(), 1, { message: { channel: 'push', text: 'Oi' } });
    expect(await checkedAt(id, { accepted: 3, sent: 2, unsent: 1 })).toBe('completed');
    expect(await statusOf({ channel: 'instagram', text: 'Oi', fallback: [{ channel: 'push' }] })).toBe('completed');
    expect(await statusOf({ channel: 'push', text: 'Oi', fallback: [{ channel: 'sms' }] })).toBe('running');
    expect(await statusOf({ channel: 'sms', text: 'Oi' })).toBe('running');
  });

  test('is checked soon after its counters changed, then ever less often, and at least every minute', async () => {
    const { id } = await started(await world.organization(), 2, {});
    const waits: number[] = [];
    for (const sent of [1, 1, 1, 1, 2, 2]) {
      await checkedAt(id, { accepted: 2, sent });
      waits.push(await dueInMs(id));
      world.now += await dueInMs(id);
    }
    expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 1_000, 1_000]);
    world.now += HOUR_MS;
    await checkedAt(id, { accepted: 2, sent: 2 });
    expect(await dueInMs(id)).toBe(60_000);
  });

  test('is checked soon after any of its counters changed', async () => {
    const { id } = await started(await world.organization(), 2, {});
    const counts = { accepted: 9, unsent: 0, sent: 0, delivered: 0, failed: 0 };
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) {
      world.now += HOUR_MS;
      await checkedAt(id, counts);
      world.now += HOUR_MS;
      counts[name]++;
      await checkedAt(id, counts);
      expect(await dueInMs(id), name).toBe(1_000);
    }
  });

  test('is checked equally often whether one or many of its portions end together', async () => {
    const checksOf = async (count: number) => {
      const { id } = await started(await world.organization(), count, { perMinute: 1 });
      const requested: number[] = [];
      let checks = 0;
      const figures: PortionPorts['figures'] = (campaign) => {
        checks++;
        return ports.figures(campaign);
      };
      const own = { ...ports, figures, enqueue: (_: object, at: number) => void requested.push(at) };
      const checkUntil = async (until: number) => {
        for (let at = Math.min(...requested); at <= until; at = Math.min(...requested)) {
          requested.splice(requested.indexOf(at), 1);
          world.now = Math.max(world.now, at);
          await workOnCampaign(own, driveItem(id));
        }
      };
      world.now += count * MINUTE_MS;
      for (let portion = 0; portion < count; portion++) {
        world.now += 10;
        await workOnCampaign(own, portionItem(id, portion));
        await checkUntil(world.now);
      }
      await checkUntil(world.now + HOUR_MS);
      // Work that is delivered twice.
      await workOnCampaign(own, driveItem(id));
      expect(requested).toHaveLength(1);
      return checks;
    };
    const ofOne = await checksOf(1);
    expect(ofOne).toBeGreaterThan(10);
    expect(await checksOf(8)).toBeLessThanOrEqual(ofOne + 1);
  });

  test('whose messages were all sent or refused completes 72 hours after the last one was sent', async () => {
    const { id } = await started(await world.organization(), 2, {});
    const counts = { accepted: 2, sent: 1, unsent: 1, failed: 1 };
    expect(await checkedAt(id, counts)).toBe('running');
    world.now += 72 * HOUR_MS;
    expect(await checkedAt(id, counts)).toBe('completed');
  });

  test('does not time out while a message is unsent, however long that takes', async () => {
    const { id } = await started(await world.organization(), 2, {});
    expect(await checkedAt(id, { accepted: 2, sent: 1 })).toBe('running');
    world.now += 100 * HOUR_MS;
    expect(await checkedAt(id, { accepted: 2, sent: 1 })).toBe('running');
    expect(await checkedAt(id, { accepted: 2, sent: 2 })).toBe('running');
    world.now += 72 * HOUR_MS - 1;
    expect(await checkedAt(id, { accepted: 2, sent: 2 })).toBe('running');
    world.now++;
    expect(await checkedAt(id, { accepted: 2, sent: 2 })).toBe('completed');
  });
});
