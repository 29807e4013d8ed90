import { beforeEach, expect, test } from 'vitest';
import { cancelCampaign, startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { PortionResult } from '../../shared/domain/campaigns/ports.ts';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, workOff, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table);
const SMS = 800;

/** A portion of a campaign, as a worker has claimed it. */
const claimedPortion = async () => {
  const actor = await world.organization();
  const contacts = await writePeople(world, actor, [{}, {}]);
  const id = await draftTo(ports, actor, contacts, { maxCoins: 10_000 });
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, { pk: `CMP#${id}`, sk: 'CMP' });
  const portion = await ports.portions.read(id, 0);
  const claimed = portion && (await ports.portions.claim(portion, world.now, world.now + 90_000));
  const campaign = await ports.store.readById(id);
  if (!claimed || !campaign) throw new Error('the portion was not claimed');
  return { id, campaign, claimed };
};

test("a worker's result is stored and counted once, although the response was lost and it is stored again", async () => {
  const { id, campaign, claimed } = await claimedPortion();
  const skipped = claimed.numbers.map((number) => [number, 'opt_out'] as const);
  const allotted = await ports.store.allot(campaign, claimed, 1_600);
  expect(allotted).toBe(1_600);
  const portion = { ...claimed, skipped, state: 'done' as const, allotted: 0 };
  const result: PortionResult = { portion, skipped: skipped.length, returned: 1_600 };
  expect(await ports.portions.save(claimed, result)).toBe(true);
  expect(await ports.portions.save(claimed, result)).toBe(false);
  expect(await ports.figures(campaign)).toMatchObject({ skipped: 2, portionsDone: 1 });
  expect(await world.table.get(KEYS.campaignBudget(id))).toMatchObject({ spent: 0 });
});

test('coins are reserved once for a portion, although the response was lost and the call is repeated', async () => {
  const { id, campaign, claimed } = await claimedPortion();
  expect(await ports.store.allot(campaign, claimed, 1_600)).toBe(1_600);
  expect(await ports.store.allot(campaign, claimed, 1_600)).toBe(1_600);
  expect(await world.table.get(KEYS.campaignBudget(id))).toMatchObject({ spent: 1_600 });
  expect(await ports.portions.read(id, 0)).toMatchObject({ allotted: 1_600 });
});

test('coins are taken for no worker that has lost its portion', async () => {
  const { id, campaign, claimed } = await claimedPortion();
  world.now = claimed.claimedUntil;
  expect(await ports.portions.claim(claimed, world.now, world.now + 90_000)).toBeDefined();
  expect(await ports.store.allot(campaign, claimed, 1_600)).toBe('lost');
  expect(await world.table.get(KEYS.campaignBudget(id))).toBeUndefined();
});

test('coins of messages that a crashed worker sent are no other portion’s, also where the next batch is refused as a whole', async () => {
  const actor = await world.organization(2 * SMS);
  const contacts = await writePeople(
    world,
    actor,
    Array.from({ length: 6 }, () => ({})),
  );
  const id = await draftTo(ports, actor, contacts, { perMinute: 3, maxCoins: 4 * SMS });
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, { pk: `CMP#${id}`, sk: 'CMP' });
  const [first, second] = [0, 1].map((portion) => ({ pk: `CMPP#${id}#${portion}`, sk: 'PORTION' }));
  if (!first || !second) throw new Error('no portions');
  await workOnCampaign({ ...ports, portions: { ...ports.portions, save: async () => false } }, first);
  expect(await bulk.messages(actor)).toHaveLength(2);
  const { organizationId, env } = actor;
  await creditWallet(world.table, { organizationId, env, coins: 6 * SMS, description: 'Credit', now: world.now });
  world.now += 91_000;
  const reserveChunk = async () => {
    throw new Unavailable('The table is not there.');
  };
  const store = { ...ports.bulk.store, reserveChunk, readChunk: async () => undefined };
  await workOnCampaign({ ...ports, bulk: { ...ports.bulk, store } }, first);
  await workOnCampaign(ports, second);
  expect(await bulk.messages(actor)).toHaveLength(4);
  expect(await ports.store.readById(id)).toMatchObject({ status: 'paused', pausedBy: { reason: 'max_coins' } });
});

test('messages of portions that are done are cancelled with the campaign, where they have not left', async () => {
  const actor = await world.organization();
  const contacts = await writePeople(world, actor, [{}, {}]);
  const id = await draftTo(ports, actor, contacts);
  accepted(await startCampaign(ports, actor, id));
  await workOff(world, ports, id);
  expect(await ports.portions.read(id, 0)).toMatchObject({ state: 'done' });
  accepted(await cancelCampaign(ports, actor, id));
  await workOff(world, ports, id);
  expect((await bulk.messages(actor)).map(({ status, reason }) => `${status} ${reason}`)).toEqual(
    Array(2).fill('failed cancelled'),
  );
  expect(await ports.figures({ id, organizationId: actor.organizationId })).toMatchObject({
    unsent: 2,
    portionsDone: 1,
  });
});
