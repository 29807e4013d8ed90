import { beforeEach, expect, test } from 'vitest';
import type { CampaignInput } from '../../shared/domain/campaigns/campaign.ts';
import { startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, workOff, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table);
const HOUR_MS = 3600_000;

const started = async (actor: Actor, contacts: readonly Contact[], fields: Partial<CampaignInput> = {}) => {
  const id = await draftTo(ports, actor, contacts, fields);
  accepted(await startCampaign(ports, actor, id));
  await workOff(world, ports, id);
  return id;
};
const stateOf = async (id: Id<'campaign'>) => {
  const portion = await ports.portions.read(id, 0);
  if (!portion) throw new Error('there is no portion');
  return {
    ...portion,
    sent: portion.sent.map(([number]) => number),
    dueInHours: (portion.dueAt - world.now) / HOUR_MS,
  };
};

test('a recipient held back by a frequency cap gets the message once the cap allows it, once; others get it immediately', async () => {
  const actor = await world.organization();
  const [capped, free] = (await writePeople(world, actor, [{}, {}])) as [Contact, Contact];
  await started(actor, [capped]);
  const id = await started(actor, [capped, free], { frequencyCap: { messages: 1, days: 1 } });
  const held = await stateOf(id);
  expect(held).toMatchObject({ state: 'open', sent: [free.number], skipped: [] });
  expect(held.dueInHours).toBeGreaterThan(23);
  expect(held.dueInHours).toBeLessThanOrEqual(25);
  world.now = held.dueAt - 1;
  await workOff(world, ports, id);
  expect(await stateOf(id)).toMatchObject({ state: 'open', sent: [free.number] });
  world.now += 1;
  await workOff(world, ports, id);
  expect(await stateOf(id)).toMatchObject({ state: 'done', sent: [free.number, capped.number], skipped: [] });
  expect((await bulk.messages(actor)).map(({ contactId }) => contactId).sort()).toEqual(
    [capped.id, capped.id, free.id].sort(),
  );
});

test('a recipient whose cap never allows the message is skipped within 72 hours of the start of its portion', async () => {
  const actor = await world.organization();
  const [contact] = (await writePeople(world, actor, [{}])) as [Contact];
  await started(actor, [contact]);
  const id = await started(actor, [contact], { frequencyCap: { messages: 1, days: 1 } });
  const startedAt = world.now;
  for (let turn = 0; (await stateOf(id)).state === 'open'; turn++) {
    expect(turn).toBeLessThan(4);
    world.now = (await stateOf(id)).dueAt;
    await started(actor, [contact]);
    await workOff(world, ports, id);
  }
  expect(await stateOf(id)).toMatchObject({ sent: [], skipped: [[contact.number, 'frequency_cap']] });
  expect(world.now - startedAt).toBeLessThanOrEqual(72 * HOUR_MS);
});
