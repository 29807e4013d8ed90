import { beforeEach, describe, expect, test } from 'vitest';
import { type Campaign, variantChooser } from '../../shared/domain/campaigns/campaign.ts';
import { composeAll, entryOf } from '../../shared/domain/campaigns/compose.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { campaignKey } from '../../shared/domain/sending/automated.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const ports = { recipientOf: async () => undefined };
const NUMBERS = Array.from({ length: 10_000 }, (_, number) => number);

const campaignOf = (fields: Partial<Campaign> = {}): Campaign => ({
  ...world.actor(),
  id: newId('campaign'),
  name: 'Campanha',
  audience: {},
  message: { channel: 'sms', text: 'Oi {{contact.name|amigo}}' },
  status: 'running',
  createdAt: 0,
  updatedAt: 0,
  version: 1,
  ...fields,
});
const variantsOf = (...weights: number[]) => ({
  message: undefined,
  variants: weights.map((weight, at) => ({
    name: `V${at}`,
    weight,
    message: { channel: 'sms' as const, text: `${at} {{contact.name}}` },
  })),
});

describe('a message of a campaign', () => {
  test('is of priority bulk, filled, to the contact, and labelled with the campaign or its tag', async () => {
    const [contact] = await writePeople(world, world.actor(), [{}]);
    if (!contact) throw new Error('no contact');
    const campaign = campaignOf();
    const [own] = await composeAll(ports, campaign, [[contact.number, contact]]);
    expect(own?.body).toEqual({
      channel: 'sms',
      text: `Oi ${contact.name}`,
      to: contact.phone,
      contactId: contact.id,
      campaignId: campaign.id,
      priority: 'bulk',
    });
    const [tagged] = await composeAll(ports, { ...campaign, campaignTag: 'natal' }, [[contact.number, contact]]);
    expect(tagged?.body.campaignId).toBe('natal');
    const [nameless] = await composeAll(ports, campaign, [[contact.number, { ...contact, name: undefined }]]);
    expect(nameless?.body.text).toBe('Oi amigo');
  });

  test('is none for a contact without an address on its channel', async () => {
    const contacts = await writePeople(world, world.actor(), [{}, { email: 'ana@example.com' }]);
    const campaign = campaignOf({ message: { channel: 'email', text: 'Oi\nOi' } });
    const composed = await composeAll(
      ports,
      campaign,
      contacts.map((contact) => [contact.number, contact] as const),
    );
    expect(composed.map((one) => one?.body.to)).toEqual([undefined, 'ana@example.com']);
  });

  test('is the same send however its text was filled, and another for each contact and campaign', async () => {
    const [ana, bia] = await writePeople(world, world.actor(), [{}, {}]);
    if (!ana || !bia) throw new Error('no contacts');
    const campaign = campaignOf({ frequencyCap: { messages: 2, days: 7 } });
    const composed = await composeAll(ports, campaign, [
      [ana.number, ana],
      [ana.number, { ...ana, name: 'Ana Maria' }],
    ]);
    const entries = composed.flatMap((one) => (one ? [entryOf(campaign, one)] : []));
    expect(entries.map((entry) => 'automated' in entry && entry.automated)).toEqual(
      Array(2).fill({
        key: campaignKey(campaign.id, ana.id),
        labels: { origin: 'automation', campaign: campaign.id },
        frequency: { cap: { messages: 2, days: 7 } },
        merges: 0,
      }),
    );
    const keys = [
      campaignKey(campaign.id, ana.id),
      campaignKey(campaign.id, bia.id),
      campaignKey(newId('campaign'), ana.id),
    ];
    expect(new Set(keys.map(({ callerKey }) => callerKey)).size).toBe(3);
  });
});

describe('the variants of a campaign', () => {
  test('get contacts by their weights, each always the same one', () => {
    const campaign = campaignOf(variantsOf(10, 30, 60));
    const chosen = NUMBERS.map(variantChooser(campaign));
    expect(NUMBERS.map(variantChooser(campaign))).toEqual(chosen);
    for (const [variant, weight] of [10, 30, 60].entries()) {
      const share = (100 * chosen.filter((each) => each === variant).length) / NUMBERS.length;
      expect(Math.abs(share - weight)).toBeLessThan(2);
    }
  });

  test('are divided among the same contacts otherwise by another campaign', () => {
    const [one, other] = [campaignOf(variantsOf(1, 1)), campaignOf(variantsOf(1, 1))].map((each) =>
      NUMBERS.map(variantChooser(each)),
    );
    const same = NUMBERS.filter((number) => one?.[number] === other?.[number]).length;
    expect(same).toBeGreaterThan(0.4 * NUMBERS.length);
    expect(same).toBeLessThan(0.6 * NUMBERS.length);
  });
});
