import { afterEach, describe, expect, test } from 'vitest';
import { readVolume } from '../../shared/storage/wallet/volumes.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { outcomeOf, tally } from '../support/channel-sends.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const PRICE = 800;

const world = await use(startWorld('live'));

describe('an SMS', () => {
  afterEach(world.reset);

  test('concurrent sends across band edges are priced by disjoint positions of the month', async () => {
    world.prices = premiumPrices([7, 100], [16, 90], [null, 70]);
    const actor = await world.organization(100_000);
    const body = 'a'.repeat(400);
    const sends = Array.from({ length: 12 }, (_, at) => outcomeOf(world.sms(actor, `k${at}`, { body })));
    expect(tally(await Promise.all(sends))).toEqual({ sent: 12 });
    expect(await readVolume(world.live, actor.organizationId, 'sms', '202603')).toEqual({ taken: 36, free: [] });
    const { balance } = await checkMoney(world.table, actor.organizationId);
    expect(100_000 - balance).toBe(7 * 100 + 9 * 90 + 20 * 70);
  });

  test('above the account’s contracted rate is 429 before any message is created', async () => {
    world.smsPerSecond = 3;
    const actor = await world.organization(100_000);
    const sends = Array.from({ length: 10 }, (_, at) => outcomeOf(world.sms(actor, `c${at}`)));
    expect(tally(await Promise.all(sends))).toEqual({ RATE_LIMITED: 7, sent: 3 });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 100_000 - 3 * PRICE,
      messages: { length: 3 },
    });
    world.now += 1_000;
    expect(await world.sms(actor, 'next-second')).toMatchObject({ status: 'sent' });
  });

  test('that one provider refuses is sent by the next', async () => {
    const actor = await world.organization(10_000);
    const first = {
      ...world.provider,
      name: 'twilio' as const,
      send: async () => ({ kind: 'refused' as const, cause: 'throttled' as const, detail: '429' }),
    };
    world.candidates = () => ({ kind: 'ready', providers: [first, world.provider] });
    expect(await world.sms(actor)).toMatchObject({ provider: 'infobip', status: 'sent' });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - PRICE });
  });

  test('keeps its metadata unchanged, whatever the keys are called', async () => {
    const actor = await world.organization(10_000);
    const metadata = { constructor: 'x', toString: 'y', valueOf: 1, hasOwnProperty: true };
    expect(await world.sms(actor, 'key', { metadata })).toMatchObject({ status: 'sent', metadata });
    expect((await checkMoney(world.table, actor.organizationId)).messages[0]?.metadata).toEqual(metadata);
  });

  test('with more links than one transaction holds is refused, and with as many as are allowed is sent', async () => {
    const actor = await world.organization();
    const send = (links: number) => {
      const body = Array.from({ length: links }, (_, at) => `https://a.example/${at}`).join(' ');
      return world.sms(actor, `k${links}`, { body, trackLinks: true });
    };
    expect(await send(51)).toMatchObject({ name: 'VALIDATION_ERROR' });
    expect(await send(50)).toMatchObject({ status: 'sent' });
    expect(
      JSON.stringify(world.provider.dispatched[0]?.content).match(/https:\/\/messaging\.example\/r\/l\w{9}/g),
    ).toHaveLength(50);
    await checkMoney(world.table, actor.organizationId);
  });
});
