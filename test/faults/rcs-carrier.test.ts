import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { sendRcs } from '../../shared/domain/api/send-rcs.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { advances, type MessageRecord, type MessageStatus } from '../../shared/domain/message/message.ts';
import { applyReceipt, applySettled, receiptFingerprint } from '../../shared/domain/sending/apply-receipt.ts';
import { accepted } from '../support/accepted.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { checkMoney } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_261_126;
const RUNS = 60;
const CREDIT = 10_000;
/** A fallback text that is an SMS cheaper than the RCS message, and one that is dearer. */
const CHEAPER = { text: '🙂', coins: { rcs: 1_200, sms: 800 }, held: 1_200 };
const DEARER = { text: 'x'.repeat(161), coins: { rcs: 1_200, sms: 1_600 }, held: 1_600 };
const FALLBACKS = [CHEAPER, DEARER] as const;
type Fallback = (typeof FALLBACKS)[number];
type Carrier = 'rcs' | 'sms';

const world = await use(startWorld('live'));
afterEach(world.reset);
const read = async (id: Id<'message'>) => (await world.ports.messageStore.read(id)) as MessageRecord;

const send = (actor: Actor, { text }: Fallback) =>
  sendRcs(world.ports, actor, 'key', {
    to: '+5511987654321',
    content: { text: 'Seu pedido saiu.' },
    route: 'easy_rcs',
    fallback: { text },
  });
const sent = async (fallback: Fallback) => {
  const actor = await world.organization(CREDIT);
  const { id } = accepted(await send(actor, fallback));
  world.workItems.length = 0;
  return { actor, id };
};

/** A report as providers write them: each kind has a status of the provider's own. */
const report = (id: Id<'message'>, status: 'sent' | 'delivered' | 'read' | 'failed', via?: Carrier) => {
  const plain = reportOf(id, status, via ? { via } : {});
  return { ...plain, receipt: { ...plain.receipt, status: `${status} ${via ?? ''}` } } as typeof plain;
};
/** The refunds in the ledger, after the money invariants were checked. */
const refundsOf = async ({ organizationId }: Actor, { held }: Fallback) => {
  const { balance, entries } = await checkMoney(world.table, organizationId);
  const refunds = entries.filter(({ kind, held: back }) => kind === 'release' && back === 0).map(({ coins }) => coins);
  expect(balance).toBe(CREDIT - held + refunds.reduce((sum, coins) => sum + coins, 0));
  return refunds;
};

describe('a report of an RCS message', () => {
  test('that names the carrier without advancing the status records it, and refunds the difference once', async () => {
    const { actor, id } = await sent(CHEAPER);
    for (let turn = 0; turn < 3; turn++) await deliverReport(world, report(id, 'sent', 'sms'));
    const message = await read(id);
    expect(message).toMatchObject({ status: 'sent', via: 'sms', refunded: 400 });
    expect(message.decisions.map(({ detail }) => detail)).toContain('sent sms: carried by sms, still sent');
    expect(message.decisions.filter(({ coins }) => coins === 400)).toHaveLength(1);
    expect(await world.raised()).toEqual([]);
    await deliverReport(world, report(id, 'delivered', 'sms'));
    expect(await read(id)).toMatchObject({ status: 'delivered', via: 'sms', refunded: 400 });
    expect(await world.raised()).toMatchObject([{ type: 'rcs.delivered', data: { channel: 'sms' } }]);
    expect(await refundsOf(actor, CHEAPER)).toEqual([400]);
  });

  test.each([
    ['cheaper', 'sms', 'rcs', [400], CHEAPER],
    ['cheaper', 'rcs', 'sms', [], CHEAPER],
    ['dearer', 'sms', 'rcs', [], DEARER],
    ['dearer', 'rcs', 'sms', [400], DEARER],
  ] as const)(
    'of another carrier changes neither the carrier nor the price: with a %s SMS, %s and then %s',
    async (_, first, second, refunds, fallback) => {
      const { actor, id } = await sent(fallback);
      await deliverReport(world, report(id, 'sent', first));
      await deliverReport(world, report(id, 'delivered', second));
      await deliverReport(world, report(id, 'sent', second));
      expect(await read(id)).toMatchObject({ status: 'delivered', via: first });
      expect(await refundsOf(actor, fallback)).toEqual(refunds);
    },
  );

  test('that names a carrier after a final status without one records it', async () => {
    const { actor, id } = await sent(CHEAPER);
    await deliverReport(world, report(id, 'delivered'));
    expect((await read(id)).via).toBeUndefined();
    await deliverReport(world, report(id, 'sent', 'sms'));
    expect(await read(id)).toMatchObject({ status: 'delivered', via: 'sms', refunded: 400 });
    expect(await refundsOf(actor, CHEAPER)).toEqual([400]);
  });

  test('that names the carrier before its message is settled is not lost among others of the same status', async () => {
    const actor = await world.organization(CREDIT);
    const accept = world.provider.hold();
    const sending = send(actor, CHEAPER);
    await expect.poll(() => world.provider.dispatched.at(-1)?.messageId, PATIENCE).toBeDefined();
    const id = parseId('message', world.provider.dispatched.at(-1)?.messageId);
    await expect.poll(async () => (await read(id))?.status, PATIENCE).toBe('sending');
    const early = [report(id, 'sent', 'sms'), report(id, 'sent')];
    for (const each of early) await deliverReport(world, each);
    accept();
    await sending;
    for (const each of early) await applyReceipt(world.ports, id, receiptFingerprint(each));
    expect(await read(id)).toMatchObject({ status: 'sent', via: 'sms' });
    expect(await refundsOf(actor, CHEAPER)).toEqual([400]);
  });

  test('among 40 concurrent ones in one millisecond names one carrier, with at most one refund', async () => {
    for (const fallback of FALLBACKS) {
      const { actor, id } = await sent(fallback);
      const before = await read(id);
      const reports = Array.from({ length: 40 }, (_, at) =>
        report(id, 'sent', (['sms', 'rcs', undefined] as const)[at % 3]),
      );
      // All of them saw the message before any of them changed it.
      const results = await Promise.all(
        reports.map((each) => applySettled(world.ports, before, each).catch(() => false)),
      );
      for (const [at, each] of reports.entries()) if (!results[at]) await deliverReport(world, each);
      const { status, via } = await read(id);
      expect(status).toBe('sent');
      const back = fallback.held - fallback.coins[via ?? 'rcs'];
      expect(via).toBeDefined();
      expect(await refundsOf(actor, fallback)).toEqual(back > 0 ? [back] : []);
    }
  });
});

describe('a change of a message that another change overtook in the same millisecond', () => {
  test('does not refund again', async () => {
    const { actor, id } = await sent(CHEAPER);
    const before = await read(id);
    expect(before.updatedAt).toBe(world.now);
    await deliverReport(world, report(id, 'sent', 'sms'));
    expect(await applySettled(world.ports, before, report(id, 'delivered', 'sms'))).toBe(true);
    expect(await read(id)).toMatchObject({ status: 'delivered', via: 'sms', refunded: 400 });
    expect(await refundsOf(actor, CHEAPER)).toEqual([400]);
  });
});

const reports = fc.array(
  fc.record({
    status: fc.constantFrom('sent', 'delivered', 'read', 'failed' as const),
    via: fc.constantFrom('sms', 'rcs', undefined),
    minutes: fc.constantFrom(0, 1),
  }),
  { minLength: 1, maxLength: 7 },
);

test(`reports in any order, however often repeated, name the first carrier and refund once what it costs less (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...FALLBACKS), reports, async (fallback, history) => {
      const { actor, id } = await sent(fallback);
      let expected: { status: MessageStatus; via: Carrier | undefined; refunded: number } = {
        status: 'sent',
        via: undefined,
        refunded: 0,
      };
      for (const { status, via, minutes } of history) {
        world.now += minutes * 60_000;
        await deliverReport(world, report(id, status, via));
        const next = advances(expected.status, status) ? status : expected.status;
        const carrier = expected.via ?? via;
        // A message that failed was not sent as an SMS, unless a report says so.
        const known = carrier ?? (next === 'failed' ? 'rcs' : undefined);
        const back = known === undefined ? 0 : Math.max(0, fallback.held - fallback.coins[known]);
        expected = { status: next, via: carrier, refunded: expected.refunded || back };
        const message = await read(id);
        expect({ status: message.status, via: message.via, refunded: message.refunded ?? 0 }).toEqual(expected);
      }
      expect(await refundsOf(actor, fallback)).toEqual(expected.refunded > 0 ? [expected.refunded] : []);
    }),
    { seed: SEED, numRuns: RUNS },
  );
}, 120_000);
