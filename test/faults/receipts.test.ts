import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import type { MessageRecord } from '../../shared/domain/messages/message.ts';
import {
  applyReceipt,
  applySandboxOutcome,
  type ParkedReceipt,
  receiptFingerprint,
} from '../../shared/domain/messages/receipts.ts';
import { resolveSend } from '../../shared/domain/messages/resolve.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { outbox } from '../../shared/storage/outbox.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';

const SEED = 20_261_121;
const STATUSES = ['sent', 'delivered', 'failed', 'undelivered'] as const;

describe('a receipt', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
  });
  afterAll(() => world.close());

  const sent = async (): Promise<{ actor: Actor; id: string }> => {
    const actor = await world.organization(10_000);
    const answer = await sendSms(world.ports, actor, 'key', {
      to: '+5511987654321',
      body: 'Oi',
      route: 'premium',
      metadata: { pedido: 7 },
    });
    return { actor, id: (answer as { id: string }).id };
  };
  const receipt = (
    messageId: string,
    status: ParkedReceipt['event']['status'],
    more: Partial<ParkedReceipt['event']> = {},
  ): ParkedReceipt['event'] => ({
    kind: 'receipt',
    messageId,
    providerMessageId: `p-${messageId}`,
    status,
    receipt: { id: `p-${messageId}`, type: 'api_message', to: '+5511987654321', status: status.toUpperCase() },
    ...more,
  });
  const deliver = async (event: ParkedReceipt['event']) => {
    const parked = await world.ports.park(event.messageId ?? '', event, world.now);
    await applyReceipt(world.ports, parked.messageId, parked.fingerprint);
  };
  const read = async (id: string) => (await world.ports.journal.read(id)) as MessageRecord;
  const eventsRaised = async () => {
    const ids = world.hints.splice(0).filter(({ kind }) => kind === 'publish_event');
    const read = await Promise.all(ids.map(({ pk }) => outbox(world.table).read(pk.slice(4))));
    return read.map((found) => found?.event);
  };

  test.each([
    ['delivered', undefined, 'sms.delivered'],
    ['undelivered', 'carrier_rejected', 'sms.undelivered'],
    ['failed', 'invalid_number', 'sms.failed'],
  ] as const)(
    'of %s moves the message there, stamps it and raises its event with the metadata unchanged',
    async (status, reason, type) => {
      const { actor, id } = await sent();
      world.hints.length = 0;
      world.now += 4_000;
      await deliver(receipt(id, status, reason ? { reason } : {}));
      const message = await read(id);
      expect(message).toMatchObject({
        status,
        ...(reason ? { reason } : {}),
        providerReceipt: { status: status.toUpperCase() },
      });
      expect(status === 'delivered' ? message.deliveredAt : message.failedAt).toBe(world.now);
      const events = await eventsRaised();
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        type,
        organizationId: actor.organizationId,
        env: 'live',
        data: { id, status, to: '+55119****4321', metadata: { pedido: 7 } },
      });
      expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - 800 });
    },
  );

  test('twice, and in any order with others, ends at the first final status, with one event', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STATUSES), { minLength: 2, maxLength: 6 }), async (statuses) => {
        const { id } = await sent();
        world.hints.length = 0;
        for (const status of statuses) await deliver(receipt(id, status));
        const first = statuses.find((status) => status !== 'sent');
        expect((await read(id)).status).toBe(first ?? 'sent');
        const events = (await eventsRaised()).map((event) => event?.type);
        expect(events).toEqual(first ? [`sms.${first}`] : []);
        expect(await world.ports.parkedReceipts(id)).toEqual([]);
      }),
      { seed: SEED, numRuns: 40 },
    );
  });

  test('50 at once of different kinds end in one final status, with one event', async () => {
    const { id } = await sent();
    world.hints.length = 0;
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => deliver(receipt(id, STATUSES[at % 4] ?? 'sent')).catch(() => {})),
    );
    for (const { fingerprint } of await world.ports.parkedReceipts(id))
      await applyReceipt(world.ports, id, fingerprint);
    expect((await read(id)).status).not.toBe('sent');
    expect(await eventsRaised()).toHaveLength(1);
  });

  test('that comes before its message is settled waits, and is applied after it', async () => {
    const actor = await world.organization(10_000);
    let accept = () => {};
    world.provider.dispatched.length = 0;
    world.provider.script = [
      ({ messageId }) =>
        new Promise((resolve) => (accept = () => resolve({ kind: 'accepted', providerMessageId: `p-${messageId}` }))),
    ];
    const sending = sendSms(world.ports, actor, 'key', { to: '+5511987654321', body: 'Oi', route: 'premium' });
    await expect.poll(() => world.provider.dispatched.at(-1)?.messageId).toBeDefined();
    const id = world.provider.dispatched.at(-1)?.messageId ?? '';
    await expect.poll(async () => (await read(id))?.status).toBe('sending');
    await deliver(receipt(id, 'delivered'));
    expect((await read(id)).status).toBe('sending');
    accept();
    expect(await sending).toMatchObject({ status: 'sent' });
    await applyReceipt(world.ports, id, receiptFingerprint(receipt(id, 'delivered')));
    expect((await read(id)).status).toBe('delivered');
  });

  test('proves acceptance where the provider gave no certain answer and cannot be asked', async () => {
    const actor = await world.organization(10_000);
    world.provider.askable = false;
    world.provider.script = [{ kind: 'unknown', detail: 'no answer' }];
    await sendSms(world.ports, actor, 'key', { to: '+5511987654321', body: 'Oi', route: 'premium' });
    const id = world.provider.dispatched.at(-1)?.messageId ?? '';
    await deliver(receipt(id, 'delivered'));
    world.now += 6_000;
    await resolveSend(world.ports, id);
    await applyReceipt(world.ports, id, receiptFingerprint(receipt(id, 'delivered')));
    world.provider.askable = true;
    expect(await read(id)).toMatchObject({ status: 'delivered', hold: 'captured' });
    expect(
      await sendSms(world.ports, actor, 'key', { to: '+5511987654321', body: 'Oi', route: 'premium' }),
    ).toMatchObject({ replayed: true });
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - 800 });
  });

  test('never stands before the acceptance, whatever the provider’s clock says', async () => {
    const { id } = await sent();
    const { sentAt = 0 } = await read(id);
    await deliver(receipt(id, 'delivered', { at: sentAt - 600_000 }));
    expect((await read(id)).deliveredAt).toBe(sentAt);
  });
});

describe('the sandbox', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('test');
  });
  afterAll(() => world.close());

  test.each([
    ['0005', 'delivered', undefined, 'sms.delivered'],
    ['0006', 'undelivered', 'carrier_rejected', 'sms.undelivered'],
    ['0008', 'failed', 'invalid_number', 'sms.failed'],
    ['0013', 'failed', 'expired', 'sms.failed'],
    ['0018', 'failed', 'blacklisted', 'sms.failed'],
    ['1234', 'delivered', undefined, 'sms.delivered'],
    ['0099', 'sent', undefined, undefined],
  ])(
    'plays ending %s as %s (%s), once, however often its work is redelivered',
    async (ending, status, reason, type) => {
      const actor = await world.organization(10_000);
      const answer = await sendSms(world.ports, actor, 'key', { to: `+551199999${ending}`, body: 'Oi', route: 'otp' });
      expect(answer).toMatchObject({ status: 'sent', provider: 'sandbox_provider', env: 'test' });
      const { id } = answer as { id: string };
      const hinted = world.hints.splice(0).filter(({ kind }) => kind === 'sandbox_outcome');
      expect(hinted).toHaveLength(type ? 1 : 0);
      for (let turn = 0; turn < 3; turn++) await applySandboxOutcome(world.ports, id);
      const message = await world.ports.journal.read(id);
      expect(message?.status).toBe(status);
      expect(message?.reason).toBe(reason);
      const events = world.hints.splice(0).filter(({ kind }) => kind === 'publish_event');
      expect(events).toHaveLength(type ? 1 : 0);
      if (events[0]) expect((await outbox(world.table).read(events[0].pk.slice(4)))?.event.type).toBe(type);
      expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - 900 });
    },
  );

  test('refuses ending 0114 synchronously for lack of the provider’s credit: 503, nothing charged, no event', async () => {
    const actor = await world.organization(1_000_000);
    const answer = await sendSms(world.ports, actor, 'key', { to: '+5511999990114', body: 'Oi', route: 'otp' });
    expect(answer).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    expect(world.hints.splice(0)).toEqual([]);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 1_000_000,
      messages: [{ status: 'failed' }],
    });
  });

  test('takes the price of the live month’s band, and never moves it', async () => {
    const actor = await world.organization(10_000_000);
    const price = async () =>
      (
        (await sendSms(world.ports, actor, `k${Math.random()}`, {
          to: '+5511999990005',
          body: 'Oi',
          route: 'premium',
        })) as { billing: { coins: number } }
      ).billing.coins;
    expect(await price()).toBe(800);
    await world.live.write({
      update: { pk: `VOLUME#${actor.organizationId}`, sk: 'sms#202603' },
      set: { segments: 99_999 },
    });
    world.now += 10_000;
    expect(await price()).toBe(800);
    await world.live.write({
      update: { pk: `VOLUME#${actor.organizationId}`, sk: 'sms#202603' },
      set: { segments: 100_000 },
    });
    expect(await price()).toBe(700);
    expect(await price()).toBe(700);
    expect((await world.live.get({ pk: `VOLUME#${actor.organizationId}`, sk: 'sms#202603' }))?.segments).toBe(100_000);
  });
});
