import { beforeEach, describe, expect, test } from 'vitest';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  startCampaign,
} from '../../shared/domain/campaigns/lifecycle.ts';
import type { PortionPorts } from '../../shared/domain/campaigns/ports.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, driveItem, dueOf, workOff, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table);
const DAY_MS = 24 * 3600_000;

const written = async (actor: Parameters<typeof bulk.messages>[0]) =>
  (await bulk.messages(actor))
    .filter(({ hold }) => hold !== 'released')
    .map(({ contactId }) => contactId)
    .sort();
const idsOf = (contacts: readonly { readonly id: string }[]) => contacts.map(({ id }) => id).sort();

describe('a campaign', { timeout: 300_000 }, () => {
  test('that crashes at any call, in any portion, writes to everybody exactly once when it continues', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(
      world,
      actor,
      Array.from({ length: 5 }, () => ({})),
    );
    const id = await draftTo(ports, actor, contacts, { perMinute: 2, maxCoins: 1_000_000 });
    let crashes = await crashEverywhere(world.table, async (table) => {
      accepted(await startCampaign(campaignPortsOver(world, table), actor, id));
    });
    for (let minute = 0; minute < 6; minute++) {
      for (const item of await dueOf(world, id))
        crashes += await crashEverywhere(world.table, async (table) => {
          // A claim outlives its crashed worker, and an undecided batch is refused after a minute.
          world.now += 91_000;
          await bulk.dispatch();
          return workOnCampaign(campaignPortsOver(world, table), item);
        });
      await bulk.settle();
      world.now += 61_000;
    }
    expect(crashes).toBeGreaterThan(40);
    expect(await written(actor)).toEqual(idsOf(contacts));
    await bulk.sentOnce(actor, 5);
    expect(await ports.figures({ id, organizationId: actor.organizationId })).toMatchObject({
      accepted: 5,
      sent: 5,
      skipped: 0,
    });
  });

  test('whose worker crashed cancels its accepted messages, too', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(
      world,
      actor,
      Array.from({ length: 4 }, () => ({})),
    );
    const id = await draftTo(ports, actor, contacts);
    accepted(await startCampaign(ports, actor, id));
    await workOnCampaign(ports, { pk: `CMP#${id}`, sk: 'CMP' });
    const lost = { ...ports, portions: { ...ports.portions, save: async () => false } };
    await workOnCampaign(lost, { pk: `CMPP#${id}#0`, sk: 'PORTION' });
    expect(await bulk.messages(actor)).toHaveLength(4);
    accepted(await cancelCampaign(ports, actor, id));
    await workOff(world, ports, id);
    world.now += 120_000;
    await workOff(world, ports, id);
    await bulk.settle();
    const messages = await bulk.messages(actor);
    expect(new Set(messages.map(({ status, reason }) => `${status} ${reason}`))).toEqual(new Set(['failed cancelled']));
    await bulk.sentOnce(actor, 0);
  });

  test('with several portions that reach maxCoins concurrently spends no more than that', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(
      world,
      actor,
      Array.from({ length: 12 }, () => ({})),
    );
    const id = await draftTo(ports, actor, contacts, { perMinute: 3, maxCoins: 7 * 800 });
    accepted(await startCampaign(ports, actor, id));
    await workOnCampaign(ports, { pk: `CMP#${id}`, sk: 'CMP' });
    world.now += 10 * 60_000;
    const portions = (await dueOf(world, id)).filter(({ sk }) => sk === 'PORTION');
    expect(portions).toHaveLength(4);
    await Promise.all(portions.map((item) => workOnCampaign(ports, item)));
    const messages = await bulk.messages(actor);
    expect(messages.reduce((sum, { coins }) => sum + coins, 0)).toBeLessThanOrEqual(7 * 800);
    expect(await ports.store.readById(id)).toMatchObject({ status: 'paused', pausedBy: { reason: 'max_coins' } });
    accepted(await resumeCampaign(ports, actor, id, { maxCoins: 12 * 800 }));
    for (let minute = 0; minute < 8; minute++) {
      await workOff(world, ports, id);
      world.now += 61_000;
    }
    expect(await written(actor)).toEqual(idsOf(contacts));
  });

  test('is completed 72 hours after its last message was sent, if one never reaches a final status', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(world, actor, [{}, {}]);
    const id = await draftTo(ports, actor, contacts);
    accepted(await startCampaign(ports, actor, id));
    await workOff(world, ports, id);
    await bulk.settle();
    for (let day = 0; day < 3; day++) {
      await workOff(world, ports, id);
      expect(await ports.store.readById(id)).toMatchObject({ status: 'running' });
      world.now += DAY_MS;
    }
    await workOff(world, ports, id);
    expect(await ports.store.readById(id)).toMatchObject({ status: 'completed' });
  });

  type Resume = () => Promise<void>;
  test.each<[string, (resume: Resume) => PortionPorts]>([
    [
      'before the worker that found it paused has parked its portion',
      (resume) => {
        const park: PortionPorts['portions']['park'] = async (portion) => {
          await resume();
          await ports.portions.park(portion);
        };
        return { ...ports, portions: { ...ports.portions, park } };
      },
    ],
    [
      'while a worker reads it',
      (resume) => {
        const readById: PortionPorts['store']['readById'] = async (campaignId) => {
          const found = await ports.store.readById(campaignId);
          await resume();
          return found;
        };
        return { ...ports, store: { ...ports.store, readById } };
      },
    ],
  ])('that is resumed %s leaves no portion outside of the due index', async (_, late) => {
    const actor = await world.organization();
    const contacts = await writePeople(world, actor, [{}, {}]);
    const id = await draftTo(ports, actor, contacts);
    accepted(await startCampaign(ports, actor, id));
    await workOnCampaign(ports, driveItem(id));
    accepted(await pauseCampaign(ports, actor, id));
    const resume = async () => {
      accepted(await resumeCampaign(ports, actor, id));
      await workOnCampaign(ports, driveItem(id));
    };
    await workOnCampaign(late(resume), { pk: `CMPP#${id}#0`, sk: 'PORTION' });
    await workOff(world, ports, id);
    expect(await written(actor)).toEqual(idsOf(contacts));
  });
});
