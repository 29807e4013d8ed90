import { describe, expect, test } from 'vitest';
import { cancel, force } from '../../shared/domain/api/cancel-and-force.ts';
import { type Correction, type ResendPorts, resend } from '../../shared/domain/api/resend.ts';
import { planSms } from '../../shared/domain/channels/sms/plan.ts';
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
import { accepted } from '../support/accepted.ts';
import { tally } from '../support/channel-sends.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  cancelAndForcePortsOf,
  eligibilityPortsOf,
  enqueue,
  plannerOf,
  sendQueuedPortsOf,
} from '../support/world-queued.ts';

const RACE = 200;
const TO = '+5511987654321';
const nameOf = (outcome: object) => (isRefusal(outcome) ? outcome.name : 'done');
const tallyOf = (outcomes: readonly object[]) => tally(outcomes.map(nameOf));

const world = await use(startWorld('live'));

describe('a queued message', () => {
  const request = { to: TO, body: 'Oi', route: 'premium' } as const;
  const enqueueSend = ({ id }: { readonly id: Id<'message'> }) => enqueue(world, 'send_message', id);
  const read = (organizationId: Id<'organization'>, id: Id<'message'>) => readMessage(world.table, organizationId, id);
  const resendPorts = (): ResendPorts => ({
    ...world.ports,
    ...eligibilityPortsOf(world),
    plan: plannerOf(world),
    readMessage: read,
    isUndecided: operatorPorts.isUndecided,
    enqueueSend,
  });
  const operatorPorts = cancelAndForcePortsOf(world);
  const send = (id: Id<'message'>) => sendQueued(sendQueuedPortsOf(world), id);
  const money = ({ organizationId }: Actor, quiet = true) => checkMoney(world.table, organizationId, { quiet });

  let keys = 0;
  const queued = async (actor: Actor, at = world.now): Promise<MessageRecord> => {
    const { plan } = accepted(await pricePlan(world.ports, actor, request, await planSms(world.ports, actor, request)));
    const key = requestKey(`queued-${keys++}`, 'sms.send', request);
    const reserved = reserveMessage(world.ports, actor, { plan, key, initial: { status: 'queued', at } });
    return accepted(await reserved).message;
  };
  const failed = async (actor: Actor): Promise<MessageRecord> => {
    const message = await queued(actor);
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    await send(message.id);
    return (await read(actor.organizationId, message.id)) as MessageRecord;
  };
  const again = (actor: Actor, id: Id<'message'>, correction: Correction = {}, key?: string) =>
    resend(resendPorts(), actor, id, correction, key);
  const many = <T>(work: (at: number) => Promise<T>) => Promise.all(Array.from({ length: RACE }, (_, at) => work(at)));

  test.each([
    ['queued', queued],
    ['failed', failed],
  ] as const)(
    'that is %s and resent 200 times concurrently is replaced by one message',
    { timeout: 120_000 },
    async (_, make) => {
      const actor = await world.organization();
      const original = await make(actor);
      const outcomes = await many(() => again(actor, original.id));
      expect(tallyOf(outcomes)).toEqual({ done: 1, CONFLICT: RACE - 1 });
      const { messages } = await money(actor, false);
      expect(messages).toHaveLength(2);
      const [old, fresh] = [original.id, undefined].map((id) =>
        messages.find((each) => (id ? each.id === id : each.replaces === original.id)),
      );
      expect(old).toMatchObject({ status: original.status, hold: 'released', replacedBy: fresh?.id });
      expect(old && unifiedStatus(old)).toBe('archived');
      expect(fresh).toMatchObject({ status: 'queued', hold: 'open', replaces: original.id });
      await send(original.id);
      await send(parseId('message', fresh?.id));
      expect((await money(actor)).messages.filter(({ sentAt }) => sentAt)).toHaveLength(1);
    },
  );

  test('that is resent while it is being sent is sent once: as it was, or as the new one', {
    timeout: 180_000,
  }, async () => {
    for (let round = 0; round < 40; round++) {
      const actor = await world.organization();
      const original = await queued(actor);
      const before = world.provider.dispatched.length;
      const [outcome] = await Promise.all([
        again(actor, original.id),
        ...Array.from({ length: 4 }, () => send(original.id)),
      ]);
      if (!isRefusal(outcome)) await send(outcome.message.id);
      const { messages } = await money(actor);
      const sentNow = world.provider.dispatched.slice(before).map(({ messageId }) => messageId);
      expect(sentNow).toEqual([isRefusal(outcome) ? original.id : outcome.message.id]);
      expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(1);
    }
  });

  test('that is cancelled 200 times while 20 senders claim it is sent and charged, or cancelled and refunded: never both', {
    timeout: 180_000,
  }, async () => {
    for (let round = 0; round < 6; round++) {
      const actor = await world.organization();
      const message = await queued(actor);
      const before = world.provider.dispatched.length;
      let outcomes: object[] = [];
      const cancels = async () => {
        outcomes = await many(() => cancel(operatorPorts, actor, message.id));
      };
      const sends = () => Promise.all(Array.from({ length: 20 }, () => send(message.id)));
      // They begin in turns, so that both win.
      await Promise.all(round % 2 ? [cancels(), sends()] : [sends(), cancels()]);
      const { messages, balance } = await money(actor);
      const sentNow = world.provider.dispatched.length - before;
      expect(sentNow).toBeLessThanOrEqual(1);
      expect((tallyOf(outcomes).done ?? 0) > 0).toBe(sentNow === 0);
      expect(outcomes.filter((outcome) => isRefusal(outcome) && outcome.name !== 'CONFLICT')).toEqual([]);
      expect(messages[0]).toMatchObject(
        sentNow === 1
          ? { status: 'sent', hold: 'captured' }
          : { status: 'failed', reason: 'cancelled', hold: 'released' },
      );
      expect(balance).toBe(1_000_000 - (sentNow === 1 ? message.coins : 0));
    }
  });

  test('that is resent is one message also when the answer to the commit is lost', async () => {
    const actor = await world.organization();
    const original = await queued(actor);
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    const outcome = await again(actor, original.id);
    world.proxy.plan(undefined);
    expect(nameOf(outcome)).toBe('done');
    const { messages } = await money(actor, false);
    expect(messages.map(({ hold }) => hold).sort()).toEqual(['open', 'released']);
  });

  test('that is resent needs only the difference between the new price and its own hold', async () => {
    const price = (await queued(await world.organization())).coins;
    const actor = await world.organization(price);
    const original = await queued(actor);
    expect(tallyOf([await again(actor, original.id, { payload: { text: 'a'.repeat(200) } })])).toEqual({
      PAYMENT_REQUIRED: 1,
    });
    expect(await read(actor.organizationId, original.id)).toEqual(original);
    const outcome = await again(actor, original.id, { payload: { text: 'Oi de novo' }, metadata: { pedido: 7 } });
    expect(outcome).toMatchObject({ message: { content: { text: 'Oi de novo' }, metadata: { pedido: 7 } } });
    const { balance, held } = await money(actor, false);
    expect({ balance, held }).toEqual({ balance: 0, held: price });
  });

  test('that failed keeps its status for its channel, and its first error permanently', async () => {
    const actor = await world.organization();
    const first = await failed(actor);
    const second = (await again(actor, first.id)) as { message: MessageRecord };
    expect(await read(actor.organizationId, first.id)).toMatchObject({
      status: 'failed',
      originalError: first.lastError,
      lastError: `Replaced by ${second.message.id}.`,
      archivedAt: world.now,
    });
    expect(tallyOf([await again(actor, first.id), await cancel(operatorPorts, actor, first.id)])).toEqual({
      CONFLICT: 2,
    });
  });

  test('that is resent 200 times under one key is one message, and every other answer is its replay or 409', {
    timeout: 180_000,
  }, async () => {
    const actor = await world.organization();
    const original = await failed(actor);
    const outcomes = await many(() => again(actor, original.id, { to: '+5511987650000' }, 'again'));
    const done = outcomes.filter((outcome) => !isRefusal(outcome));
    expect(new Set(done.map((outcome) => 'message' in outcome && outcome.message.id)).size).toBe(1);
    expect(done.filter((outcome) => 'replayed' in outcome && !outcome.replayed)).toHaveLength(1);
    expect(Object.keys(tallyOf(outcomes)).every((name) => name === 'done' || name === 'CONFLICT')).toBe(true);
    expect(await again(actor, original.id, { to: '+5511987650000' }, 'again')).toMatchObject({ replayed: true });
    expect(nameOf(await again(actor, original.id, { to: TO }, 'again'))).toBe('CONFLICT');
    expect((await money(actor, false)).messages).toHaveLength(2);
  });

  test('that is forced is sent before its time and in quiet hours; one that was sent can be neither forced nor cancelled', async () => {
    const actor = await world.organization();
    const message = await queued(actor, world.now + 3_600_000);
    await send(message.id);
    expect((await read(actor.organizationId, message.id))?.status).toBe('queued');
    world.workItems.length = 0;
    expect(await force(operatorPorts, actor, message.id)).toMatchObject({ force: true, status: 'queued' });
    expect(world.workItems).toEqual([{ kind: 'send_message', pk: `MSG#${message.id}`, sk: 'MSG' }]);
    const quietHours = { ...sendQueuedPortsOf(world), earliestSendAt: async () => world.now + 3_600_000 };
    await sendQueued(quietHours, message.id);
    expect(await read(actor.organizationId, message.id)).toMatchObject({ status: 'sent', force: true });
    expect(nameOf(await force(operatorPorts, actor, message.id))).toBe('CONFLICT');
    expect(nameOf(await cancel(operatorPorts, actor, message.id))).toBe('CONFLICT');
    await money(actor);
  });
});
