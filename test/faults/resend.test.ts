import { describe, expect, test } from 'vitest';
import { cancel, force } from '../../shared/domain/api/cancel-and-force.ts';
import { type Correction, type ResendPorts, resend } from '../../shared/domain/api/resend.ts';
import { planSms } from '../../shared/domain/channels/sms/plan.ts';
import type { SmsRequest } from '../../shared/domain/channels/sms/request.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { requestKey } from '../../shared/domain/sending/idempotency.ts';
import { pricePlan } from '../../shared/domain/sending/plan.ts';
import { reserveMessage } from '../../shared/domain/sending/reserve.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { unifiedStatus } from '../../shared/domain/tracking/views.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { cancelAndForcePortsOf, enqueue, plannerOf, sendQueuedPortsOf, standingOf } from '../support/world-queued.ts';

const RACE = 200;
const TO = '+5511987654321';
const nameOf = (outcome: object) => (isRefusal(outcome) ? outcome.name : 'done');
const tally = (outcomes: readonly object[]) => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[nameOf(outcome)] = (counts[nameOf(outcome)] ?? 0) + 1;
  return counts;
};

const world = await use(startWorld('live'));

describe('a queued message', () => {
  const planSmsOf = (fields: Partial<SmsRequest> = {}) => ({
    to: TO,
    body: 'Oi',
    route: 'premium' as const,
    ...fields,
  });
  const enqueueSend = (id: Id<'message'>) => enqueue(world, 'send_message', id);
  const read = (organizationId: Id<'organization'>, id: Id<'message'>) => readMessage(world.table, organizationId, id);
  const resendPorts = (): ResendPorts => ({
    ...world.ports,
    ...standingOf(world),
    plan: plannerOf(world),
    readMessage: read,
    isUndecided: cancelAndForcePorts().isUndecided,
    enqueueSend,
  });
  const cancelAndForcePorts = () => cancelAndForcePortsOf(world);
  const sendQueuedPorts = () => sendQueuedPortsOf(world);

  let keys = 0;
  const queued = async (actor: Actor, at = world.now): Promise<MessageRecord> => {
    const request = planSmsOf();
    const made = await pricePlan(world.ports, request, await planSms(world.ports, actor, request));
    if (isRefusal(made)) throw new Error(made.details.detail);
    const key = requestKey(`queued-${keys++}`, 'sms.send', request);
    const sent = await reserveMessage(world.ports, actor, { plan: made.plan, key, initial: { status: 'queued', at } });
    if (isRefusal(sent)) throw new Error(sent.details.detail);
    return sent.message;
  };
  const failed = async (actor: Actor): Promise<MessageRecord> => {
    const message = await queued(actor);
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    await sendQueued(sendQueuedPorts(), message.id);
    return (await read(actor.organizationId, message.id)) as MessageRecord;
  };
  const again = (actor: Actor, id: Id<'message'>, correction: Correction = {}, key?: string) =>
    resend(resendPorts(), actor, id, correction, key);
  const many = <T>(work: (at: number) => Promise<T>) => Promise.all(Array.from({ length: RACE }, (_, at) => work(at)));

  test.each([
    ['queued', queued],
    ['failed', failed],
  ] as const)(
    'that is %s, sent anew by 200 at once, is replaced by one message alone',
    { timeout: 120_000 },
    async (_, make) => {
      const actor = await world.organization(1_000_000);
      const original = await make(actor);
      const outcomes = await many(() => again(actor, original.id));
      expect(tally(outcomes)).toEqual({ done: 1, CONFLICT: RACE - 1 });
      const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
      expect(messages).toHaveLength(2);
      const [old, fresh] = [original.id, undefined].map((id) =>
        messages.find((each) => (id ? each.id === id : each.replaces === original.id)),
      );
      expect(old).toMatchObject({ status: original.status, hold: 'released', replacedBy: fresh?.id });
      expect(old && unifiedStatus(old)).toBe('archived');
      expect(fresh).toMatchObject({ status: 'queued', hold: 'open', replaces: original.id });
      await sendQueued(sendQueuedPorts(), original.id);
      await sendQueued(sendQueuedPorts(), parseId('message', fresh?.id));
      expect(
        (await checkMoney(world.table, actor.organizationId)).messages.filter(({ sentAt }) => sentAt),
      ).toHaveLength(1);
    },
  );

  test('that is sent anew while its sender takes it leaves once: as it was, or as the new one', {
    timeout: 120_000,
  }, async () => {
    for (let round = 0; round < 40; round++) {
      const actor = await world.organization(1_000_000);
      const original = await queued(actor);
      const before = world.provider.dispatched.length;
      const [outcome] = await Promise.all([
        again(actor, original.id),
        ...Array.from({ length: 4 }, () => sendQueued(sendQueuedPorts(), original.id)),
      ]);
      if (!isRefusal(outcome)) await sendQueued(sendQueuedPorts(), outcome.message.id);
      const { messages } = await checkMoney(world.table, actor.organizationId);
      const sentNow = world.provider.dispatched.slice(before).map(({ messageId }) => messageId);
      expect(sentNow).toEqual([isRefusal(outcome) ? original.id : outcome.message.id]);
      expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(1);
    }
  });

  test('that 200 cancel while 20 senders take it is sent and charged, or cancelled and refunded: never both', {
    timeout: 120_000,
  }, async () => {
    for (let round = 0; round < 6; round++) {
      const actor = await world.organization(1_000_000);
      const message = await queued(actor);
      const before = world.provider.dispatched.length;
      let outcomes: object[] = [];
      const cancels = async () => {
        outcomes = await many(() => cancel(cancelAndForcePorts(), actor, message.id));
      };
      const leaves = async () => {
        await Promise.all(Array.from({ length: 20 }, () => sendQueued(sendQueuedPorts(), message.id)));
      };
      // Each begins first in its turn, so that both win.
      await Promise.all(round % 2 ? [cancels(), leaves()] : [leaves(), cancels()]);
      const { messages, balance } = await checkMoney(world.table, actor.organizationId);
      const sentNow = world.provider.dispatched.length - before;
      expect(sentNow).toBeLessThanOrEqual(1);
      expect((tally(outcomes).done ?? 0) > 0).toBe(sentNow === 0);
      expect(outcomes.filter((outcome) => isRefusal(outcome) && outcome.name !== 'CONFLICT')).toEqual([]);
      expect(messages[0]).toMatchObject(
        sentNow === 1
          ? { status: 'sent', hold: 'captured' }
          : { status: 'failed', reason: 'cancelled', hold: 'released' },
      );
      expect(balance).toBe(1_000_000 - (sentNow === 1 ? message.coins : 0));
    }
  });

  test('that is sent anew is one message also when the answer of the commit is lost', async () => {
    const actor = await world.organization(1_000_000);
    const original = await queued(actor);
    const nth = world.proxy.calls.get('TransactWriteItems') ?? 0;
    world.proxy.plan((call) =>
      call.action === 'TransactWriteItems' && call.nth === nth ? FAULTS.loseAnswer : undefined,
    );
    const outcome = await again(actor, original.id);
    world.proxy.plan(undefined);
    expect(nameOf(outcome)).toBe('done');
    const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
    expect(messages.map(({ hold }) => hold).sort()).toEqual(['open', 'released']);
  });

  test('that is sent anew needs of the wallet only what the new price is above its own hold', async () => {
    const price = (await queued(await world.organization(1_000_000))).coins;
    const actor = await world.organization(price);
    const original = await queued(actor);
    expect(tally([await again(actor, original.id, { payload: { text: 'a'.repeat(200) } })])).toEqual({
      PAYMENT_REQUIRED: 1,
    });
    expect(await read(actor.organizationId, original.id)).toEqual(original);
    const outcome = await again(actor, original.id, { payload: { text: 'Oi de novo' }, metadata: { pedido: 7 } });
    expect(outcome).toMatchObject({ message: { content: { text: 'Oi de novo' }, metadata: { pedido: 7 } } });
    const { balance, held } = await checkMoney(world.table, actor.organizationId, { quiet: false });
    expect({ balance, held }).toEqual({ balance: 0, held: price });
  });

  test('that failed keeps its status for its channel, and its first error for good', async () => {
    const actor = await world.organization(1_000_000);
    const first = await failed(actor);
    const second = (await again(actor, first.id)) as { message: MessageRecord };
    expect(await read(actor.organizationId, first.id)).toMatchObject({
      status: 'failed',
      originalError: first.lastError,
      lastError: `Replaced by ${second.message.id}.`,
      archivedAt: world.now,
    });
    expect(tally([await again(actor, first.id), await cancel(cancelAndForcePorts(), actor, first.id)])).toEqual({
      CONFLICT: 2,
    });
  });

  test('that is sent anew by 200 under one key is one message, and every other answer is its replay or 409', {
    timeout: 120_000,
  }, async () => {
    const actor = await world.organization(1_000_000);
    const original = await failed(actor);
    const outcomes = await many(() => again(actor, original.id, { to: '+5511987650000' }, 'again'));
    const stood = outcomes.filter((outcome) => !isRefusal(outcome));
    expect(new Set(stood.map((outcome) => 'message' in outcome && outcome.message.id)).size).toBe(1);
    expect(stood.filter((outcome) => 'replayed' in outcome && !outcome.replayed)).toHaveLength(1);
    expect(Object.keys(tally(outcomes)).every((name) => name === 'done' || name === 'CONFLICT')).toBe(true);
    expect(await again(actor, original.id, { to: '+5511987650000' }, 'again')).toMatchObject({ replayed: true });
    expect(nameOf(await again(actor, original.id, { to: TO }, 'again'))).toBe('CONFLICT');
    expect((await checkMoney(world.table, actor.organizationId, { quiet: false })).messages).toHaveLength(2);
  });

  test('that is forced leaves at once, before its moment; one that left cannot be forced', async () => {
    const actor = await world.organization(1_000_000);
    const message = await queued(actor, world.now + 3_600_000);
    await sendQueued(sendQueuedPorts(), message.id);
    expect((await read(actor.organizationId, message.id))?.status).toBe('queued');
    world.workItems.length = 0;
    expect(await force(cancelAndForcePorts(), actor, message.id)).toMatchObject({ force: true, status: 'queued' });
    expect(world.workItems).toEqual([{ kind: 'send_message', pk: `MSG#${message.id}`, sk: 'MSG' }]);
    const shut = { ...sendQueuedPorts(), earliestSendAt: async () => world.now + 3_600_000 };
    await sendQueued(shut, message.id);
    expect(await read(actor.organizationId, message.id)).toMatchObject({ status: 'sent', force: true });
    expect(nameOf(await force(cancelAndForcePorts(), actor, message.id))).toBe('CONFLICT');
    expect(nameOf(await cancel(cancelAndForcePorts(), actor, message.id))).toBe('CONFLICT');
    await checkMoney(world.table, actor.organizationId);
  });
});
