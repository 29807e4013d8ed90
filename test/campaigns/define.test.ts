import { beforeEach, describe, expect, test } from 'vitest';
import { CreateCampaign } from '../../shared/contracts/campaign-fields.ts';
import type { CampaignInput } from '../../shared/domain/campaigns/campaign.ts';
import { changeCampaign, createCampaign, deleteCampaign } from '../../shared/domain/campaigns/campaigns.ts';
import { startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import { previewCampaign } from '../../shared/domain/campaigns/preview.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, dueOf, workOff, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const ports = campaignPortsOver(world, world.table);
const DAY_MS = 24 * 3600_000;
const message = { channel: 'sms' as const, text: 'Oi {{contact.name}}' };
const variant = (name: string) => ({ name, weight: 1, message });

describe('a draft', () => {
  test('is refused with the place of what breaks a rule', async () => {
    const actor = await world.organization();
    const audience = { contactIds: [newId('contact')] };
    const pathsOf = async (fields: Partial<CampaignInput>) => {
      const outcome = await createCampaign(ports, actor, { name: 'Campanha', message, audience, ...fields });
      return isRefusal(outcome) ? outcome.details.errors?.map(({ path }) => path) : undefined;
    };
    const variants = [variant('A'), variant('B')];
    expect(await pathsOf({ variants })).toEqual(['message']);
    expect(await pathsOf({ message: undefined, variants: [variant('A'), variant('A')] })).toEqual(['variants']);
    const broken = { ...variant('B'), message: { ...message, text: '{{nome}}' } };
    expect(await pathsOf({ message: undefined, variants: [variant('A'), broken] })).toEqual([
      'variants.1.message.text',
    ]);
    expect(await pathsOf({ scheduledAt: world.now + 90 * DAY_MS + 1 })).toEqual(['scheduledAt']);
    expect(await pathsOf({ scheduledAt: world.now + 90 * DAY_MS })).toBeUndefined();
    expect(await pathsOf({ message: { ...message, text: 'x'.repeat(256_000) } })).toEqual(['message']);
  });

  test('has 2 to 5 variants, at most 10,000 contacts, and nothing of a message that a campaign decides', () => {
    const holds = (fields: object) =>
      CreateCampaign.safeParse({ name: 'X', audience: { contactIds: [newId('contact')] }, ...fields }).success;
    const named = (count: number) => ({ variants: Array.from({ length: count }, (_, at) => variant(`V${at}`)) });
    expect([1, 2, 5, 6].map((count) => holds(named(count)))).toEqual([false, true, true, false]);
    const contacts = Array.from({ length: 10_001 }, () => newId('contact'));
    expect(holds({ message, audience: { contactIds: contacts.slice(1) } })).toBe(true);
    expect(holds({ message, audience: { contactIds: contacts } })).toBe(false);
    for (const field of ['to', 'contactId', 'scheduledAt', 'campaignId', 'priority'])
      expect(holds({ message: { ...message, [field]: 'x' } }), field).toBe(false);
  });

  test('gets a message in place of its variants, and the reverse', async () => {
    const actor = await world.organization();
    const id = await draftTo(ports, actor, await writePeople(world, actor, [{}]));
    const variants = [variant('A'), variant('B')];
    expect(accepted(await changeCampaign(ports, actor, id, { variants })).message).toBeUndefined();
    expect(await ports.store.readById(id)).toMatchObject({ variants });
    expect(accepted(await changeCampaign(ports, actor, id, { message })).variants).toBeUndefined();
    expect(await ports.store.readById(id)).toMatchObject({ message });
  });

  test('that is scheduled is due at its time, and becomes a draft that is not due when the time is cleared', async () => {
    const actor = await world.organization();
    const scheduledAt = world.now + 3600_000;
    const id = await draftTo(ports, actor, await writePeople(world, actor, [{}]), { scheduledAt });
    expect(accepted(await startCampaign(ports, actor, id)).status).toBe('scheduled');
    expect(accepted(await startCampaign(ports, actor, id))).toMatchObject({ status: 'scheduled', version: 2 });
    expect(await dueOf(world, id)).toEqual([]);
    world.now = scheduledAt;
    expect(await dueOf(world, id)).toHaveLength(1);
    world.now = scheduledAt - 1;
    expect(accepted(await changeCampaign(ports, actor, id, { scheduledAt: null })).status).toBe('draft');
    world.now = scheduledAt;
    expect(await dueOf(world, id)).toEqual([]);
  });
});

test('deleting a draft again after a lost response is not an error', async () => {
  const actor = await world.organization();
  const id = await draftTo(ports, actor, await writePeople(world, actor, [{}]));
  const remove: typeof ports.store.remove = async (...given) => {
    await ports.store.remove(...given);
    return false;
  };
  expect(await deleteCampaign({ ...ports, store: { ...ports.store, remove } }, actor, id)).toBeUndefined();
  expect(await ports.store.readById(id)).toBeUndefined();
});

test('a preview counts who has no address on the channel for that alone, though a frequency cap holds them back as well', async () => {
  const actor = await world.organization();
  const contacts = await writePeople(world, actor, [{}, {}]);
  const before = await draftTo(ports, actor, contacts);
  accepted(await startCampaign(ports, actor, before));
  await workOff(world, ports, before);
  const instagram = { channel: 'instagram' as const, text: 'Oi' };
  const frequencyCap = { messages: 1, days: 30 };
  const id = await draftTo(ports, actor, contacts, { message: instagram, frequencyCap });
  const preview = accepted(await previewCampaign(ports, { ...actor, scopes: new Set() }, id));
  expect(preview).toMatchObject({ reach: 0, excluded: { noAddress: 2, frequencyCap: 0 }, price: { coins: 0 } });
});

test('a preview shows price and recipients by country, three rendered messages, and whether the wallet covers all', async () => {
  const actor = await world.organization(1_000);
  const phones = ['+5511987650001', '+5511987650002', '+5511987650003', '+12025550101', '+12025550102'];
  const contacts = await writePeople(
    world,
    actor,
    phones.map((phone) => ({ phone })),
  );
  const id = await draftTo(ports, actor, contacts);
  const scopes = new Set(['campaigns:read', 'contacts:read'] as const);
  const preview = accepted(await previewCampaign(ports, { ...actor, scopes }, id));
  expect(preview).toMatchObject({ reach: 5, wallet: { balanceCoins: 1_000 }, enough: false, estimated: false });
  const { BR, US } = preview.byCountry;
  expect(Object.keys(preview.byCountry).sort()).toEqual(['BR', 'US']);
  expect(BR).toEqual({ recipients: 3, coins: 3 * 800 });
  expect(US?.recipients).toBe(2);
  expect((BR?.coins ?? 0) + (US?.coins ?? 0)).toBe(preview.price.coins);
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  expect(preview.samples).toHaveLength(3);
  for (const { contactId, text, to } of preview.samples) {
    expect(text).toBe(`Oi ${byId.get(contactId)?.name}`);
    expect(to).toContain('****');
  }
  expect((await world.table.get({ pk: `CMP#${id}`, sk: 'CMP' }))?.status).toBe('draft');
});
