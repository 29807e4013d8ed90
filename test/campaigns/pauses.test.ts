import { beforeEach, describe, expect, test } from 'vitest';
import { pauseCampaign, resumeCampaign, startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { WARNING_LEVEL } from '../../shared/domain/wallet/wallet.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, dueOf, workOff, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
const raised: DomainEvent[] = [];
beforeEach(() => {
  world.reset();
  raised.length = 0;
});
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table, (events) => void raised.push(...events));
const SMS = 800;

const credit = ({ organizationId, env }: Actor, sends: number) =>
  creditWallet(world.table, { organizationId, env, coins: sends * SMS, description: 'Credit', now: world.now });
const peopleOf = (actor: Actor, count: number) =>
  writePeople(
    world,
    actor,
    Array.from({ length: count }, () => ({})),
  );
const warnedOf = async ({ organizationId }: Actor) => (await world.table.get(KEYS.wallet(organizationId)))?.warned;
const sentTo = async (actor: Actor) => (await bulk.messages(actor)).map(({ contactId }) => contactId).sort();
const stateOf = async (id: Id<'campaign'>) => {
  const { status, pausedBy } = (await ports.store.readById(id)) ?? {};
  return { status, reason: pausedBy?.reason };
};
/** Starts a campaign and makes its portions, all of which are due. */
const started = async (actor: Actor, id: Id<'campaign'>) => {
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, { pk: `CMP#${id}`, sk: 'CMP' });
  world.now += 10 * 60_000;
  return (await dueOf(world, id)).filter(({ sk }) => sk === 'PORTION');
};

describe('a campaign', { timeout: 180_000 }, () => {
  test('that the wallet does not cover is paused once by concurrent portions, and continues after a credit', async () => {
    const actor = await world.organization(2 * SMS + 1);
    const contacts = await peopleOf(actor, 6);
    const id = await draftTo(ports, actor, contacts, { perMinute: 2 });
    const portions = await started(actor, id);
    expect(portions).toHaveLength(3);
    await Promise.all(portions.map((item) => workOnCampaign(ports, item)));
    expect(await stateOf(id)).toEqual({ status: 'paused', reason: 'insufficient_funds' });
    await workOff(world, ports, id);
    expect(await bulk.messages(actor)).toHaveLength(2);
    expect(raised.filter(({ type }) => type === 'campaign.paused')).toMatchObject([
      { data: { campaignId: id, pausedBy: { reason: 'insufficient_funds' } } },
    ]);
    await credit(actor, 4);
    accepted(await resumeCampaign(ports, actor, id));
    for (let minute = 0; minute < 4; minute++) {
      await workOff(world, ports, id);
      world.now += 61_000;
    }
    expect(await sentTo(actor)).toEqual(contacts.map((contact) => contact.id).sort());
  });

  test('with maxCoins depletes the wallet only if the wallet refuses it, not at its maxCoins', async () => {
    const limited = await world.organization(10 * SMS);
    const own = await draftTo(ports, limited, await peopleOf(limited, 3), { maxCoins: 2 * SMS });
    for (const item of await started(limited, own)) await workOnCampaign(ports, item);
    expect(await stateOf(own)).toEqual({ status: 'paused', reason: 'max_coins' });
    expect(await warnedOf(limited)).not.toBe(WARNING_LEVEL.depleted);

    const poor = await world.organization(2 * SMS + 1);
    const id = await draftTo(ports, poor, await peopleOf(poor, 3), { maxCoins: 10 * SMS });
    for (const item of await started(poor, id)) await workOnCampaign(ports, item);
    expect(await stateOf(id)).toEqual({ status: 'paused', reason: 'insufficient_funds' });
    expect(await warnedOf(poor)).toBe(WARNING_LEVEL.depleted);
  });

  test('whose messages are all sent is checked for its end at a later time, again after a pause and a resumption', async () => {
    const actor = await world.organization();
    const id = await draftTo(ports, actor, await peopleOf(actor, 2));
    accepted(await startCampaign(ports, actor, id));
    await workOff(world, ports, id);
    world.now += 3600_000;
    await workOff(world, ports, id);
    const dueAt = async () => (await world.table.get(KEYS.campaign(id)))?.dueAt;
    expect(await dueAt()).toBeGreaterThan(world.now);
    accepted(await pauseCampaign(ports, actor, id));
    expect(await dueAt()).toBeUndefined();
    world.now += 500;
    accepted(await resumeCampaign(ports, actor, id));
    await workOff(world, ports, id);
    expect(await stateOf(id)).toEqual({ status: 'running', reason: undefined });
    expect(await dueAt()).toBeGreaterThan(world.now);
  });

  test('returns the campaign for a repeated resumption with the same limit, and refuses one with another limit while it runs', async () => {
    const actor = await world.organization();
    const id = await draftTo(ports, actor, await peopleOf(actor, 3), { maxCoins: SMS });
    for (const item of await started(actor, id)) await workOnCampaign(ports, item);
    expect(await stateOf(id)).toEqual({ status: 'paused', reason: 'max_coins' });
    const resumed = accepted(await resumeCampaign(ports, actor, id, { maxCoins: 3 * SMS }));
    const again = accepted(await resumeCampaign(ports, actor, id, { maxCoins: 3 * SMS }));
    expect(again).toMatchObject({ status: 'running', version: resumed.version });
    expect(await resumeCampaign(ports, actor, id, { maxCoins: 4 * SMS })).toMatchObject({ name: 'CONFLICT' });
  });

  test('is not paused by a worker that has lost its portion to another', async () => {
    const actor = await world.organization();
    const contacts = await peopleOf(actor, 3);
    const id = await draftTo(ports, actor, contacts, { maxCoins: 3 * SMS });
    const [item] = await started(actor, id);
    const slow = {
      ...ports,
      store: {
        ...ports.store,
        allot: async (...given: Parameters<typeof ports.store.allot>) => {
          world.now += 91_000;
          await workOnCampaign(ports, item ?? { pk: '', sk: '' });
          return ports.store.allot(...given);
        },
      },
    };
    await workOnCampaign(slow, item ?? { pk: '', sk: '' });
    expect(await stateOf(id)).toEqual({ status: 'running', reason: undefined });
    expect(await sentTo(actor)).toEqual(contacts.map((contact) => contact.id).sort());
  });

  test('is not paused for a reason found before it was resumed', async () => {
    const actor = await world.organization(1);
    const contacts = await peopleOf(actor, 4);
    const id = await draftTo(ports, actor, contacts, { perMinute: 2 });
    const [item = { pk: '', sk: '' }, other = { pk: '', sk: '' }] = await started(actor, id);
    const slow = {
      ...ports,
      portions: {
        ...ports.portions,
        save: async (...given: Parameters<typeof ports.portions.save>) => {
          await workOnCampaign(ports, other);
          expect(await stateOf(id)).toEqual({ status: 'paused', reason: 'insufficient_funds' });
          await credit(actor, 4);
          accepted(await resumeCampaign(ports, actor, id));
          return ports.portions.save(...given);
        },
      },
    };
    await workOnCampaign(slow, item);
    expect(await stateOf(id)).toEqual({ status: 'running', reason: undefined });
    for (let minute = 0; minute < 3; minute++) {
      await workOff(world, ports, id);
      world.now += 61_000;
    }
    expect(await sentTo(actor)).toEqual(contacts.map((contact) => contact.id).sort());
    expect(raised.filter(({ type }) => type === 'campaign.paused')).toHaveLength(1);
  });

  test('counts what a crashed worker sent once against its maxCoins, also where the next batch is refused as a whole', async () => {
    const actor = await world.organization(2 * SMS);
    const contacts = await peopleOf(actor, 4);
    const id = await draftTo(ports, actor, contacts, { maxCoins: 4 * SMS });
    const [item = { pk: '', sk: '' }] = await started(actor, id);
    await workOnCampaign({ ...ports, portions: { ...ports.portions, save: async () => false } }, item);
    expect(await bulk.messages(actor)).toHaveLength(2);
    await credit(actor, 2);
    world.now += 91_000;
    const reserveChunk = async () => {
      throw new Unavailable('The table is not there.');
    };
    const store = { ...ports.bulk.store, reserveChunk, readChunk: async () => undefined };
    await workOnCampaign({ ...ports, bulk: { ...ports.bulk, store } }, item);
    expect(await stateOf(id)).toEqual({ status: 'running', reason: undefined });
    world.now += 91_000;
    await workOff(world, ports, id);
    expect(await stateOf(id)).toEqual({ status: 'running', reason: undefined });
    expect(await sentTo(actor)).toEqual(contacts.map((contact) => contact.id).sort());
  });

  test('reserves no further maxCoins for a portion whose worker crashed with a reservation', async () => {
    const actor = await world.organization();
    const contacts = await peopleOf(actor, 2);
    const id = await draftTo(ports, actor, contacts, { maxCoins: 4 * SMS });
    const [item = { pk: '', sk: '' }] = await started(actor, id);
    const reserveChunk = () => Promise.reject(new Error('The process ended.'));
    const crashing = { ...ports, bulk: { ...ports.bulk, store: { ...ports.bulk.store, reserveChunk } } };
    await expect(workOnCampaign(crashing, item)).rejects.toThrow('The process ended.');
    world.now += 91_000;
    const taken: number[] = [];
    const allot: typeof ports.store.allot = (campaign, portion, coins) => {
      taken.push(coins);
      return ports.store.allot(campaign, portion, coins);
    };
    await workOnCampaign({ ...ports, store: { ...ports.store, allot } }, item);
    expect(taken).toEqual([]);
    expect(await sentTo(actor)).toEqual(contacts.map((contact) => contact.id).sort());
  });
});
