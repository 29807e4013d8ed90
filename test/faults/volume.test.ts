import { beforeEach, describe, expect, test } from 'vitest';
import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { planSms } from '../../shared/domain/channels/sms/plan.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { requestKey } from '../../shared/domain/sending/idempotency.ts';
import { pricePlan } from '../../shared/domain/sending/plan.ts';
import { reserveMessage } from '../../shared/domain/sending/reserve.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { readVolume } from '../../shared/storage/wallet/volumes.ts';
import { accepted } from '../support/accepted.ts';
import { many, useBulk } from '../support/bulk-world.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { cancelAndForcePortsOf, eligibilityPortsOf, plannerOf } from '../support/world-queued.ts';

const { world, bulk } = await useBulk();
const REFUSED = { kind: 'refused', cause: 'recipient', detail: '404' } as const;
const request = { to: '+5511987654321', body: 'Oi', route: 'premium' } as const;

/** Two units of the first band, three of the second, the rest of the third. */
const BANDS = premiumPrices([2, 100], [5, 70], [null, 40]);

beforeEach(() => {
  world.reset();
  world.prices = BANDS;
});

const volume = ({ organizationId }: Actor) => readVolume(world.live, organizationId, 'sms', '202603');
let keys = 0;
const queued = async (actor: Actor): Promise<MessageRecord> => {
  const { plan } = accepted(await pricePlan(world.ports, actor, request, await planSms(world.ports, actor, request)));
  const key = requestKey(`queued-${keys++}`, 'sms.send', request);
  const initial = { status: 'queued', at: world.now + 3_600_000 } as const;
  return accepted(await reserveMessage(world.ports, actor, { plan, key, initial })).message;
};
const send = async (actor: Actor) => accepted(await world.sms(actor)).billing.coins;
const refused = (actor: Actor) => {
  world.provider.script = [REFUSED];
  return world.sms(actor);
};

describe('the position of a message', () => {
  test('that the provider refused is reused by the next message, at its price', async () => {
    const actor = await world.organization();
    const queuedFirst = await queued(actor);
    expect(await send(actor)).toBe(100);
    expect(await send(actor)).toBe(70);
    await cancel(cancelAndForcePortsOf(world), actor, queuedFirst.id);
    expect(await volume(actor)).toEqual({ taken: 3, free: [{ from: 1, units: 1 }] });
    await refused(actor);
    expect(await volume(actor)).toEqual({ taken: 3, free: [{ from: 1, units: 1 }] });
    expect([await send(actor), await send(actor), await send(actor), await send(actor)]).toEqual([100, 70, 70, 40]);
    await checkMoney(world.table, actor.organizationId);
  });

  test('is paid for by what is left of the wallet, though this process saw the month in a dearer band', async () => {
    const actor = await world.organization(2 * 100 + 70);
    expect([await send(actor), await send(actor)]).toEqual([100, 100]);
    let quotes = 0;
    const stale: typeof world.ports = {
      ...world.ports,
      volume: async (...of) => (quotes++ === 0 ? { taken: 1, free: [] } : world.ports.volume(...of)),
    };
    expect(accepted(await sendSms(stale, actor, 'last', request)).billing.coins).toBe(70);
    expect(await world.sms(actor)).toMatchObject({ name: 'PAYMENT_REQUIRED' });
    expect((await checkMoney(world.table, actor.organizationId)).balance).toBe(0);
  });

  test('that is replaced goes with its coins, in the transaction that reserves the new one', async () => {
    const actor = await world.organization();
    const original = await queued(actor);
    expect([await send(actor), await send(actor)]).toEqual([100, 70]);
    const ports = {
      ...world.ports,
      ...eligibilityPortsOf(world),
      plan: plannerOf(world),
      readMessage: (organizationId: Actor['organizationId'], id: MessageRecord['id']) =>
        readMessage(world.table, organizationId, id),
      isUndecided: cancelAndForcePortsOf(world).isUndecided,
      enqueueSend: () => undefined,
    };
    const { message } = accepted(await resend(ports, actor, original.id, {}, undefined));
    expect(message.coins).toBe(70);
    expect(await volume(actor)).toEqual({ taken: 4, free: [{ from: 1, units: 1 }] });
    expect(await send(actor)).toBe(100);
  });

  test('is reused by one of many concurrent messages', async () => {
    const actor = await world.organization();
    const first = await Promise.all([queued(actor), queued(actor)]);
    for (let at = 0; at < 3; at++) expect(await send(actor)).toBe(70);
    for (const { id } of first) await cancel(cancelAndForcePortsOf(world), actor, id);
    const sends = await Promise.all(Array.from({ length: 8 }, () => send(actor)));
    expect(sends.sort((a, b) => a - b)).toEqual([...Array(6).fill(40), 100, 100]);
    await checkMoney(world.table, actor.organizationId);
  });

  test('in a batch is returned with the coins of its chunk, once', async () => {
    world.prices = premiumPrices([10, 100], [null, 40]);
    const actor = await world.organization(100_000);
    world.provider.script = [...Array(6).fill(REFUSED), ...Array(14).fill({ kind: 'accepted', id: undefined })].slice(
      0,
      6,
    );
    accepted(await bulk.send(actor, many(20)));
    await bulk.settle();
    const { taken, free } = await volume(actor);
    expect(taken - free.reduce((sum, { units }) => sum + units, 0)).toBe(14);
    const captured = (await bulk.money(actor, true)).messages.filter(({ hold }) => hold === 'captured');
    const before = captured.reduce((sum, { coins }) => sum + coins, 0);
    const more: number[] = [];
    for (let at = 0; at < 6; at++) more.push(await send(actor));
    expect(before + more.reduce((sum, coins) => sum + coins, 0)).toBe(10 * 100 + 10 * 40);
    await bulk.money(actor, true);
  });
});
