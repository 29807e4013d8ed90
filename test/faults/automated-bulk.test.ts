import { beforeEach, describe, expect, test } from 'vitest';
import { IDEMPOTENCY_KEY } from '../../shared/contracts/common.ts';
import { DECISION_TIMEOUT_MS } from '../../shared/domain/bulk/ports.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { linkCodesIn } from '../../shared/domain/links/short-link.ts';
import { campaignKey, journeyKey } from '../../shared/domain/sending/automated.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readCampaignCounts, readJourneyCounts } from '../../shared/storage/automation/counters.ts';
import { accepted } from '../support/accepted.ts';
import { aContact, aStep, ofCampaign, ofJourney, recounted, withoutZeros } from '../support/automated.ts';
import { useBulk } from '../support/bulk-world.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';

const { world, bulk } = await useBulk();
beforeEach(world.reset);
const { table } = world;

/** A portion of a new campaign: a message to each of so many contacts. */
const aPortion = async (contacts: number, text = 'Oi') => {
  const actor = await world.organization();
  const campaign = newId('campaign');
  const ids = await Promise.all(Array.from({ length: contacts }, () => aContact(table, actor)));
  const messages = ids.map((contactId) => ({ contactId, text, automated: ofCampaign(campaign, contactId) }));
  return { actor, campaign, messages };
};

describe('the messages of a campaign, sent in bulk', { timeout: 180_000 }, () => {
  test('are sent once each, whatever they say when a portion is repeated, and carry the campaign', async () => {
    const { actor, campaign, messages } = await aPortion(60);
    expect(accepted(await bulk.send(actor, messages))).toMatchObject({ accepted: 60 });
    const changed = messages.map((message) => ({ ...message, text: 'Olá' }));
    expect(accepted(await bulk.send(actor, changed))).toMatchObject({ accepted: 60, rejected: 0 });
    const stored = await bulk.messages(actor);
    expect(new Set(stored.map((message) => JSON.stringify([message.origin, message.campaign])))).toEqual(
      new Set([JSON.stringify(['automation', campaign])]),
    );
    await bulk.settle();
    await bulk.sentOnce(actor, 60);
    world.now += 399 * 24 * 3_600_000;
    expect(accepted(await bulk.send(actor, changed))).toMatchObject({ accepted: 60 });
    expect(await bulk.messages(actor)).toHaveLength(60);
  });

  test('free their keys where the portion is refused as a whole, so that the next one sends them', async () => {
    const { actor, messages } = await aPortion(20);
    const undecided = { decideBatch: async () => false };
    await bulk.send(actor, messages, 'permissive', undecided);
    world.now += DECISION_TIMEOUT_MS;
    await bulk.settle();
    expect(accepted(await bulk.send(actor, messages))).toMatchObject({ accepted: 20 });
    await bulk.settle();
    await bulk.sentOnce(actor, 20);
  });

  test('are counted once each, and one that its provider refuses is failed', async () => {
    const { actor, campaign, messages } = await aPortion(70);
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    accepted(await bulk.send(actor, messages));
    const counts = async () => withoutZeros(await readCampaignCounts(table, campaign, { consistent: true }));
    expect(await counts()).toMatchObject({ accepted: 70 });
    await bulk.settle();
    const stored = await bulk.messages(actor);
    expect(await counts()).toEqual(recounted(stored));
    expect(await counts()).toMatchObject({ accepted: 70, sent: 69, unsent: 1, failed: 1 });
    for (const { id } of stored.slice(0, 10)) await deliverReport(world, reportOf(id, 'delivered'));
    expect(await counts()).toEqual(recounted(await bulk.messages(actor)));
  });

  test('count nothing where the portion is refused as a whole', async () => {
    const { actor, campaign, messages } = await aPortion(20);
    await bulk.send(actor, messages, 'permissive', { decideBatch: async () => false });
    world.now += DECISION_TIMEOUT_MS;
    await bulk.settle();
    expect(withoutZeros(await readCampaignCounts(table, campaign, { consistent: true }))).toEqual({});
  });

  test('of many steps share a transaction with what each of them counts', async () => {
    const actor = await world.organization();
    const steps = Array.from({ length: 120 }, (_, at) => aStep({ stepId: `passo_${at}` }));
    const messages = steps.map((step) => ({ automated: ofJourney(step) }));
    expect(accepted(await bulk.send(actor, messages))).toMatchObject({ accepted: 120 });
    const last = steps.at(-1) ?? aStep();
    expect((await readJourneyCounts(table, last.journeyId)).get('passo_119')).toMatchObject({ accepted: 1 });
  });

  test('have their links tracked', async () => {
    const { actor, messages } = await aPortion(3, 'Veja https://loja.example/natal');
    accepted(await bulk.send(actor, messages));
    for (const { id, content } of await bulk.messages(actor)) {
      const [code = ''] = linkCodesIn(JSON.stringify(content));
      expect(await table.get(KEYS.link(code))).toMatchObject({ url: 'https://loja.example/natal', messageId: id });
    }
  });
});

test("no caller's key can collide with one of a journey or a campaign", () => {
  const keys = [journeyKey(newId('run'), 'a', 1), campaignKey(newId('campaign'), newId('contact'))];
  for (const { callerKey } of keys) expect(IDEMPOTENCY_KEY.test(callerKey)).toBe(false);
});

test('steps, visits and runs have keys of their own', () => {
  const run = newId('run');
  const keys = [
    journeyKey(run, 'a', 1),
    journeyKey(run, 'a', 2),
    journeyKey(run, 'a:1', 2),
    journeyKey(newId('run'), 'a', 1),
  ];
  expect(new Set(keys.map(({ callerKey }) => callerKey)).size).toBe(4);
  expect(new Set(keys.map(({ requestHash }) => requestHash)).size).toBe(4);
  expect(journeyKey(run, 'a', 1)).toEqual(keys[0]);
});
