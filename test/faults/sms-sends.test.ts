import { afterEach, describe, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import type { SmsRequest } from '../../shared/domain/channels/sms/request.ts';
import { readVolume } from '../../shared/storage/wallet/volumes.ts';
import { calmDown, outcomeOf, tally } from '../support/channel-plans-live.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const request: SmsRequest = { to: '+5511987654321', body: 'Seu pedido saiu para entrega.', route: 'premium' };
const PRICE = 800;

const world = await use(startWorld('live'));

describe('an SMS', () => {
  afterEach(() => calmDown(world));

  test('across band edges at once: the prices are those of disjoint positions of the month', async () => {
    world.prices = [
      {
        channel: 'sms',
        route: 'premium',
        unit: 'segment',
        bands: [
          { upTo: 7, coins: 100 },
          { upTo: 16, coins: 90 },
          { upTo: null, coins: 70 },
        ],
      },
    ];
    const actor = await world.organization(100_000);
    const long = 'a'.repeat(400);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        outcomeOf(sendSms(world.ports, actor, `k${at}`, { ...request, body: long })),
      ),
    );
    expect(tally(outcomes)).toEqual({ sent: 12 });
    expect(await readVolume(world.live, actor.organizationId, 'sms', '202603')).toBe(36);
    const books = await checkMoney(world.table, actor.organizationId);
    expect(100_000 - books.balance).toBe(7 * 100 + 9 * 90 + 20 * 70);
  });

  test('above the account’s contracted rate is 429 before any message is created', async () => {
    world.smsPerSecond = 3;
    const actor = await world.organization(100_000);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) => outcomeOf(sendSms(world.ports, actor, `c${at}`, request))),
    );
    expect(tally(outcomes)).toEqual({ RATE_LIMITED: 7, sent: 3 });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 100_000 - 3 * PRICE,
      messages: { length: 3 },
    });
    world.now += 1_000;
    expect(await sendSms(world.ports, actor, 'next-second', request)).toMatchObject({ status: 'sent' });
  });

  test('refused on one route leaves by the next provider, whose name stands before it is called', async () => {
    const actor = await world.organization(10_000);
    const first = {
      ...world.provider,
      name: 'twilio' as const,
      send: async () => ({ kind: 'refused' as const, cause: 'throttled' as const, detail: '429' }),
      readCallback: world.provider.readCallback,
    };
    const before = world.candidates;
    world.candidates = () => ({ kind: 'ready', providers: [first, world.provider] });
    expect(await sendSms(world.ports, actor, 'key', request)).toMatchObject({ provider: 'infobip', status: 'sent' });
    world.candidates = before;
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - PRICE });
  });

  test('keeps metadata as it came, whatever its keys are called', async () => {
    const actor = await world.organization(10_000);
    const metadata = { constructor: 'x', toString: 'y', valueOf: 1, hasOwnProperty: true };
    expect(await sendSms(world.ports, actor, 'key', { ...request, metadata })).toMatchObject({
      status: 'sent',
      metadata,
    });
    expect((await checkMoney(world.table, actor.organizationId)).messages[0]?.metadata).toEqual(metadata);
  });

  test('with more links than one transaction holds is refused, and with as many as are allowed is sent', async () => {
    const actor = await world.organization(1_000_000);
    const body = (links: number) => Array.from({ length: links }, (_, at) => `https://a.example/${at}`).join(' ');
    expect(await sendSms(world.ports, actor, 'k51', { ...request, body: body(51), trackLinks: true })).toMatchObject({
      name: 'VALIDATION_ERROR',
    });
    expect(await sendSms(world.ports, actor, 'k50', { ...request, body: body(50), trackLinks: true })).toMatchObject({
      status: 'sent',
    });
    expect(
      JSON.stringify(world.provider.dispatched[0]?.content).match(/https:\/\/messaging\.example\/r\/l\w{9}/g),
    ).toHaveLength(50);
    await checkMoney(world.table, actor.organizationId);
  });
});
