import { beforeEach, describe, expect, test } from 'vitest';
import type { CampaignInput } from '../../shared/domain/campaigns/campaign.ts';
import { startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import { type PreviewPorts, previewCampaign } from '../../shared/domain/campaigns/preview.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
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
const SMS = 800;
const HOUR_MS = 3600_000;

const begun = async (actor: Actor, id: Id<'campaign'>) => {
  accepted(await startCampaign(ports, actor, id));
  await workOff(world, ports, id);
  const portion = await ports.portions.read(id, 0);
  if (!portion) throw new Error('there is no portion');
  return portion;
};
const started = async (actor: Actor, contacts: readonly Contact[], fields: Partial<CampaignInput> = {}) =>
  begun(actor, await draftTo(ports, actor, contacts, fields));
const previewed = async (actor: Actor, id: Id<'campaign'>, over: Partial<PreviewPorts> = {}) =>
  accepted(await previewCampaign({ ...ports, ...over }, actor, id));

describe('the preview of a campaign', () => {
  test('reaches and prices a recipient whom the frequency cap only delays, since the campaign sends to it within 72 hours', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(world, actor, [{}, {}, {}]);
    await started(actor, contacts.slice(0, 2));
    const draft = (days: number) => draftTo(ports, actor, contacts, { frequencyCap: { messages: 1, days } });
    for (const days of [1, 2])
      expect(await previewed(actor, await draft(days))).toMatchObject({
        reach: 3,
        excluded: { frequencyCap: 0 },
        price: { coins: 3 * SMS },
      });
    expect(await previewed(actor, await draft(3))).toMatchObject({
      reach: 1,
      excluded: { frequencyCap: 2 },
      price: { coins: SMS },
    });
    const id = await draft(2);
    const { sent, dueAt } = await begun(actor, id);
    expect(sent).toHaveLength(1);
    expect(dueAt - world.now).toBeLessThan(72 * HOUR_MS);
    world.now = dueAt;
    await workOff(world, ports, id);
    expect((await ports.portions.read(id, 0))?.sent).toHaveLength(3);
  });

  test('shows at most 100,000 characters of a text, so that the samples fit an answer', async () => {
    const actor = await world.organization();
    const id = await draftTo(ports, actor, await writePeople(world, actor, [{}]));
    const templateTexts = async () => ({ text: 'x'.repeat(2_000_000) });
    const { samples } = await previewed(actor, id, { templateTexts });
    expect(samples.map(({ text }) => text?.length)).toEqual([100_000]);
  });

  test('leaves out a recipient whose message would cost more than its maxCoins, as the start skips it', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(world, actor, [{}, {}, {}]);
    const draft = (text: string, maxCoins: number) =>
      draftTo(ports, actor, contacts, { message: { channel: 'sms', text, maxCoins } });
    const none = await draft('Oi', SMS - 1);
    expect(await previewed(actor, none)).toMatchObject({
      reach: 0,
      excluded: { maxCoins: 3, noAddress: 0, optedOut: 0 },
      price: { coins: 0 },
      byCountry: {},
    });
    expect((await begun(actor, none)).skipped).toHaveLength(3);
    const all = await draft('Oi', SMS);
    expect(await previewed(actor, all)).toMatchObject({
      reach: 3,
      excluded: { maxCoins: 0 },
      price: { coins: 3 * SMS },
    });
    expect((await begun(actor, all)).sent).toHaveLength(3);
  });

  test('leaves out by maxCoins only the recipients whose own text is too long, each once although a cap holds them back as well', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(world, actor, [{}, {}, {}]);
    await started(actor, contacts.slice(0, 2));
    const [long] = contacts;
    const text = 'Oi {{contact.attributes.aviso|!}}';
    const withLong: PreviewPorts['contactsOf'] = async (organizationId, numbers) =>
      new Map(
        [...(await ports.contactsOf(organizationId, numbers))].map(([number, contact]) => [
          number,
          contact.id === long?.id ? { ...contact, attributes: { aviso: 'a'.repeat(200) } } : contact,
        ]),
      );
    const id = await draftTo(ports, actor, contacts, {
      message: { channel: 'sms', text, maxCoins: SMS },
      frequencyCap: { messages: 1, days: 30 },
    });
    expect(await previewed(actor, id, { contactsOf: withLong })).toMatchObject({
      reach: 1,
      excluded: { maxCoins: 1, frequencyCap: 1 },
      price: { coins: SMS },
      byCountry: { BR: { recipients: 1, coins: SMS } },
    });
  });

  test('leaves out no recipient of a transactional message because of a cap, which never holds one back', async () => {
    const actor = await world.organization();
    const contacts = await writePeople(world, actor, [{}]);
    await started(actor, contacts);
    const id = await draftTo(ports, actor, contacts, { frequencyCap: { messages: 1, days: 30 } });
    const plan: PreviewPorts['bulk']['plan'] = async (...given) => {
      const planned = await ports.bulk.plan(...given);
      return isRefusal(planned) ? planned : { ...planned, plan: { ...planned.plan, requiresConsent: false } };
    };
    expect(await previewed(actor, id, { bulk: { ...ports.bulk, plan } })).toMatchObject({
      reach: 1,
      excluded: { frequencyCap: 0 },
    });
    expect(await bulk.messages(actor)).toHaveLength(1);
  });
});
