import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { CHANNELS, channelOf } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId, parseId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { ReportedStatus } from '../../shared/domain/message/provider-port.ts';
import {
  applyReceipt,
  applySandboxReport,
  type PendingReceipt,
  receiptFingerprint,
} from '../../shared/domain/sending/apply-receipt.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { monthNames } from '../../shared/storage/wallet/volumes.ts';
import { accepted } from '../support/accepted.ts';
import { reportsOf } from '../support/channel-plans.ts';
import { coinsOn, deliverReport, reportOf, sendOn } from '../support/channel-sends.ts';
import { checkMoney } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_261_121;
/** Orders of reports per channel; the code is the same on each, over the channel's own statuses. */
const RUNS = 25;

const world = await use(startWorld('live'));
afterEach(world.reset);
const deliver = (report: PendingReceipt['event']) => deliverReport(world, report);
const read = async (id: Id<'message'>) => (await world.ports.messageStore.read(id)) as MessageRecord;

describe('a receipt', () => {
  const sent = async () => {
    const actor = await world.organization(10_000);
    const { id } = accepted(await world.sms(actor, 'key', { metadata: { pedido: 7 } }));
    return { actor, id };
  };

  test.each([
    ['delivered', undefined, 'sms.delivered'],
    ['undelivered', 'carrier_rejected', 'sms.undelivered'],
    ['failed', 'invalid_number', 'sms.failed'],
  ] as const)(
    'of %s sets the status and its time, and raises the event with the metadata unchanged',
    async (status, reason, type) => {
      const { actor, id } = await sent();
      world.workItems.length = 0;
      world.now += 4_000;
      await deliver(reportOf(id, status, reason ? { reason } : {}));
      const message = await read(id);
      expect(message).toMatchObject({
        status,
        ...(reason ? { reason } : {}),
        providerReceipt: { status: status.toUpperCase() },
      });
      expect(status === 'delivered' ? message.deliveredAt : message.failedAt).toBe(world.now);
      const events = await world.raised();
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

  test('is never dated before the acceptance, whatever the provider’s clock says', async () => {
    const { id } = await sent();
    const { sentAt = 0 } = await read(id);
    await deliver(reportOf(id, 'delivered', { at: sentAt - 600_000 }));
    expect((await read(id)).deliveredAt).toBe(sentAt);
  });

  test('is never dated in the future, whatever the provider’s clock says', async () => {
    const { id } = await sent();
    await deliver(reportOf(id, 'delivered', { at: world.now + 600_000 }));
    expect((await read(id)).deliveredAt).toBe(world.now);
  });
});

/** Reports that still count after a final one, in their order: an e-mail may bounce after its delivery, and only a delivered one is complained about. */
const LATER: Readonly<Record<Channel, readonly ReportedStatus[]>> = {
  sms: [],
  rcs: ['read'],
  email: ['bounced', 'complained'],
  whatsapp: ['read'],
  instagram: ['read'],
  push: [],
};

/** The statuses that reports in this order must give a message, one after another. */
const walk = (channel: Channel, statuses: readonly ReportedStatus[]): ReportedStatus[] => {
  const place = (status: ReportedStatus) => LATER[channel].indexOf(status);
  const steps: ReportedStatus[] = [];
  for (const status of statuses) {
    const last = steps.at(-1);
    if (status !== 'sent' && (last === undefined || place(status) > place(last))) steps.push(status);
  }
  return steps;
};

describe.each(CHANNELS.filter((each) => !channelOf(each).fansOut))('a receipt on %s', async (channel) => {
  const [send, reports] = [sendOn(channel), reportsOf(channel)];
  const price = await coinsOn(world, channel);

  const sent = async () => {
    const actor = await world.organization(10_000);
    const { id } = (await send(world, actor, 'key')) as { id: Id<'message'> };
    world.workItems.length = 0;
    return { actor, id };
  };
  /** The channel's own event; a failure has one even where the channel declares none. */
  const eventOf = (status: ReportedStatus) =>
    channelOf(channel).eventOf[status] ?? (status === 'failed' ? 'message.failed' : []);
  const charged = async ({ organizationId }: Actor) =>
    expect(await checkMoney(world.table, organizationId)).toMatchObject({ balance: 10_000 - price });

  test('repeated, and in any order with others, leaves the status of the first final one, with one event per status', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...reports), { minLength: 2, maxLength: 6 }), async (statuses) => {
        const { actor, id } = await sent();
        for (const status of statuses) await deliver(reportOf(id, status));
        const steps = walk(channel, statuses);
        expect((await read(id)).status).toBe(steps.at(-1) ?? 'sent');
        expect((await world.raised()).map(({ type }) => type)).toEqual(steps.flatMap(eventOf));
        expect(await world.ports.pendingReceipts(id)).toEqual([]);
        await charged(actor);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test('among 50 concurrent ones of different statuses leaves one final status, with at most one event per type', async () => {
    const { actor, id } = await sent();
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        deliver(reportOf(id, reports[at % reports.length] ?? 'delivered')).catch(() => {}),
      ),
    );
    for (const { fingerprint } of await world.ports.pendingReceipts(id))
      await applyReceipt(world.ports, id, fingerprint);
    expect((await read(id)).status).not.toBe('sent');
    const types = (await world.raised()).map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    expect(types.length).toBeLessThanOrEqual(1 + LATER[channel].length);
    await charged(actor);
  });

  test('that arrives before its message is settled is stored, and applied after it', async () => {
    const actor = await world.organization(10_000);
    const accept = world.provider.hold();
    const sending = send(world, actor, 'key');
    await expect.poll(() => world.provider.dispatched.at(-1)?.messageId, PATIENCE).toBeDefined();
    const id = parseId('message', world.provider.dispatched.at(-1)?.messageId);
    await expect.poll(async () => (await read(id))?.status, PATIENCE).toBe('sending');
    await deliver(reportOf(id, 'delivered'));
    expect((await read(id)).status).toBe('sending');
    accept();
    expect(await sending).toMatchObject({ status: 'sent' });
    await applyReceipt(world.ports, id, receiptFingerprint(reportOf(id, 'delivered')));
    expect((await read(id)).status).toBe('delivered');
    await charged(actor);
  });

  test('proves the acceptance where the provider gave no certain answer and has no status query', async () => {
    const actor = await world.organization(10_000);
    world.provider.hasStatusQuery = false;
    world.provider.script = [{ kind: 'unknown', detail: 'no answer' }];
    await send(world, actor, 'key');
    const id = parseId('message', world.provider.dispatched.at(-1)?.messageId);
    await deliver(reportOf(id, 'delivered'));
    world.now += 6_000;
    await recoverSend(world.ports, id);
    await applyReceipt(world.ports, id, receiptFingerprint(reportOf(id, 'delivered')));
    expect(await read(id)).toMatchObject({ status: 'delivered', hold: 'captured' });
    expect(await send(world, actor, 'key')).toMatchObject({ replayed: true });
    await charged(actor);
  });
});

describe('the sandbox', async () => {
  const world = await use(startWorld('test'));

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
      const answer = accepted(await world.sms(actor, 'key', { to: `+551199999${ending}`, route: 'otp' }));
      expect(answer).toMatchObject({ status: 'sent', provider: 'sandbox_provider', env: 'test' });
      const enqueued = world.workItems.splice(0).filter(({ kind }) => kind === 'sandbox_outcome');
      expect(enqueued).toHaveLength(type ? 1 : 0);
      for (let turn = 0; turn < 3; turn++) await applySandboxReport(world.ports, answer.id);
      const message = await world.ports.messageStore.read(answer.id);
      expect(message?.status).toBe(status);
      expect(message?.reason).toBe(reason);
      expect((await world.raised()).map((event) => event.type)).toEqual(type ? [type] : []);
      expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 10_000 - 900 });
    },
  );

  test('refuses ending 0114 synchronously for lack of the provider’s credit: 503, nothing charged, no event', async () => {
    const actor = await world.organization();
    const answer = await world.sms(actor, 'key', { to: '+5511999990114', route: 'otp' });
    expect(answer).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    expect(world.workItems.splice(0)).toEqual([]);
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({
      balance: 1_000_000,
      messages: [{ status: 'failed' }],
    });
  });

  test('has the price of the live month’s band, and never changes the month’s volume', async () => {
    const actor = await world.organization(10_000_000);
    const price = async () =>
      accepted(await world.sms(actor, newId('request'), { to: '+5511999990005' })).billing.coins;
    const update = KEYS.wallet(actor.organizationId);
    const { taken } = monthNames('sms', '202603');
    expect(await price()).toBe(800);
    await world.live.write({ update, set: { [taken]: 99_999 } });
    world.now += 10_000;
    expect(await price()).toBe(800);
    await world.live.write({ update, set: { [taken]: 100_000 } });
    expect(await price()).toBe(700);
    expect(await price()).toBe(700);
    expect((await world.live.get(update))?.[taken]).toBe(100_000);
  });
});
