import { beforeEach, expect, test } from 'vitest';
import { auditEntry } from '../../shared/domain/audit/entry.ts';
import type { Portion } from '../../shared/domain/campaigns/campaign.ts';
import { pauseFor, resumeCampaign, startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, driveItem, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const ports = campaignPortsOver(world, world.table);
const CLAIM_MS = 90_000;

/** A campaign that runs, with its one portion as it was made. */
const running = async () => {
  const actor = await world.organization();
  const id = await draftTo(ports, actor, await writePeople(world, actor, [{}, {}]));
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, driveItem(id));
  const read = async (): Promise<Portion> => {
    const portion = await ports.portions.read(id, 0);
    if (!portion) throw new Error('no portion');
    return portion;
  };
  const dueAt = async () => (await world.table.get(KEYS.campaignPortion(id, 0)))?.dueAt;
  const claim = (portion: Portion) => ports.portions.claim(portion, world.now, world.now + CLAIM_MS);
  return { actor, id, read, dueAt, claim, portion: await read() };
};

test('a claimed portion cannot be claimed again until the claim ends, and then by one worker only', async () => {
  const { claim, read, portion } = await running();
  expect(await claim(portion)).toBeDefined();
  expect(await claim(portion)).toBeUndefined();
  const claimed = await read();
  expect(await claim(claimed)).toBeUndefined();
  world.now += CLAIM_MS;
  // Whoever read it before the last claim knows nothing of what came of that.
  expect(await claim(portion)).toBeUndefined();
  expect(await claim(claimed)).toBeDefined();
  expect(await claim(claimed)).toBeUndefined();
});

test('a portion that moved to a later epoch since it was read is neither claimed, removed from the due index nor postponed', async () => {
  const { id, claim, dueAt, portion } = await running();
  await ports.portions.moveToEpoch(id, 0, 1, world.now + 5_000);
  expect(await claim(portion)).toBeUndefined();
  await ports.portions.park(portion);
  await ports.portions.postpone(portion, world.now + 60_000);
  expect(await dueAt()).toBe(world.now + 5_000);
});

test('a portion that was claimed since it was read stays due, no later than the end of the claim', async () => {
  const { claim, dueAt, portion } = await running();
  await claim(portion);
  await ports.portions.park(portion);
  await ports.portions.postpone(portion, world.now + 7 * CLAIM_MS);
  expect(await dueAt()).toBe(world.now + CLAIM_MS);
});

test('moving a portion to an epoch twice does not make a finished portion due', async () => {
  const { id, read, dueAt, claim } = await running();
  await ports.portions.moveToEpoch(id, 0, 1, world.now);
  const claimed = await claim(await read());
  if (!claimed) throw new Error('not claimed');
  const skipped = claimed.numbers.map((number) => [number, 'opt_out'] as const);
  const done = { ...claimed, skipped, state: 'done' as const };
  expect(await ports.portions.save(claimed, { portion: done, skipped: 2, returned: 0 })).toBe(true);
  await ports.portions.moveToEpoch(id, 0, 1, world.now + 5_000);
  expect(await dueAt()).toBeUndefined();
  expect(await read()).toMatchObject({ state: 'done', epoch: 1 });
});

test("a worker's result is stored although its portion moved to a later epoch, and the portion keeps its new due time", async () => {
  const { id, claim, read, dueAt, portion } = await running();
  const claimed = await claim(portion);
  if (!claimed) throw new Error('not claimed');
  await ports.portions.moveToEpoch(id, 0, 1, world.now + 5_000);
  const [first = 0] = claimed.numbers;
  const result = { ...claimed, skipped: [[first, 'opt_out'] as const], dueAt: world.now + 600_000 };
  expect(await ports.portions.save(claimed, { portion: result, skipped: 1, returned: 0 })).toBe(true);
  expect(await read()).toMatchObject({ skipped: [[first, 'opt_out']], epoch: 1, dueAt: world.now + 5_000 });
  expect(await dueAt()).toBe(world.now + 5_000);
});

test('a campaign that changed since it was read is neither taken out of the due work nor deleted', async () => {
  const { actor, id } = await running();
  const before = await ports.store.readById(id);
  if (!before) throw new Error('no campaign');
  await pauseFor(ports, id, 'operator');
  accepted(await resumeCampaign(ports, actor, id));
  await ports.store.rest(before);
  const entry = auditEntry(actor, { action: 'campaign.deleted', object: id, at: world.now });
  expect(await ports.store.remove(before, entry)).toBe(false);
  expect(await world.table.get(KEYS.campaign(id))).toHaveProperty('duePk');
});

test('a campaign is not paused for what was found before it was resumed', async () => {
  const { actor, id } = await running();
  await pauseFor(ports, id, 'operator');
  accepted(await resumeCampaign(ports, actor, id));
  expect(await pauseFor(ports, id, 'insufficient_funds', { epoch: 0 })).toBe(false);
  expect(await ports.store.readById(id)).toMatchObject({ status: 'running' });
});

test('a portion reserves coins of its campaign up to the limit and no more, also with an outdated copy of the campaign', async () => {
  const { id, claim, portion } = await running();
  const claimed = await claim(portion);
  const campaign = await ports.store.readById(id);
  if (!claimed || !campaign) throw new Error('not claimed');
  const limited = { ...campaign, maxCoins: 1_000 };
  expect(await ports.store.allot(limited, claimed, 700)).toBe(700);
  expect(await ports.store.allot(limited, { ...claimed, allotted: 700 }, 700)).toBe(300);
  expect(await ports.store.allot(limited, { ...claimed, allotted: 1_000 }, 700)).toBe(0);
  expect(await world.table.get(KEYS.campaignBudget(id))).toMatchObject({ spent: 1_000 });
});
