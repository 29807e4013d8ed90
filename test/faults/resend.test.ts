import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { leave } from '../../shared/domain/messages/leave.ts';
import type { MessageRecord } from '../../shared/domain/messages/message.ts';
import { cancel, force } from '../../shared/domain/messages/operate.ts';
import type { Planner, Planners } from '../../shared/domain/messages/plan.ts';
import { type Correction, type ResendPorts, resend } from '../../shared/domain/messages/resend.ts';
import { reserveMessage } from '../../shared/domain/messages/send.ts';
import { unifiedStatus } from '../../shared/domain/messages/views.ts';
import { planSms, type SmsRequest } from '../../shared/domain/sms/send.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';
import { hint, leavePortsOf, operatePortsOf, standingOf } from '../support/world-queued.ts';

const RACE = 200;
const TO = '+5511987654321';
const nameOf = (outcome: object) => (isRefusal(outcome) ? outcome.name : 'done');
const tally = (outcomes: readonly object[]) => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[nameOf(outcome)] = (counts[nameOf(outcome)] ?? 0) + 1;
  return counts;
};

describe('a queued message', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
  });
  afterAll(() => world.close());

  const planSmsOf = (fields: Partial<SmsRequest> = {}) => ({
    to: TO,
    body: 'Oi',
    route: 'premium' as const,
    ...fields,
  });
  const planSmsFor: Planner = (tenant, { to, text, route, contactId, metadata }, ...keyed) => {
    const said = planSmsOf({ to, body: text ?? '', route: route as SmsRequest['route'] });
    return planSms(world.ports, tenant, { ...said, contactId, metadata }, ...keyed);
  };
  const hintSend = (id: string) => hint(world, 'send_message', id);
  const read = (organizationId: string, id: string) => readMessage(world.table, organizationId, id);
  const resendPorts = (): ResendPorts => ({
    ...world.ports,
    ...standingOf(world),
    planners: { sms: planSmsFor } as Planners,
    readMessage: read,
    isUndecided: operatePorts().isUndecided,
    hintSend,
  });
  const operatePorts = () => operatePortsOf(world);
  const leavePorts = () => leavePortsOf(world);

  let keys = 0;
  const queued = async (actor: Actor, at = world.now): Promise<MessageRecord> => {
    const key = `queued-${keys++}`;
    const made = await planSms(world.ports, actor, planSmsOf(), key, key);
    if (isRefusal(made)) throw new Error(made.details.detail);
    const sent = await reserveMessage(world.ports, actor, made.plan, { status: 'queued', at });
    if (isRefusal(sent)) throw new Error(sent.details.detail);
    return sent.message;
  };
  const failed = async (actor: Actor): Promise<MessageRecord> => {
    const message = await queued(actor);
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    await leave(leavePorts(), message.id);
    return (await read(actor.organizationId, message.id)) as MessageRecord;
  };
  const again = (actor: Actor, id: string, correction: Correction = {}, key?: string) =>
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
      await leave(leavePorts(), original.id);
      await leave(leavePorts(), fresh?.id ?? '');
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
        ...Array.from({ length: 4 }, () => leave(leavePorts(), original.id)),
      ]);
      if (!isRefusal(outcome)) await leave(leavePorts(), outcome.message.id);
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
        outcomes = await many(() => cancel(operatePorts(), actor, message.id));
      };
      const leaves = async () => {
        await Promise.all(Array.from({ length: 20 }, () => leave(leavePorts(), message.id)));
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
    expect(tally([await again(actor, first.id), await cancel(operatePorts(), actor, first.id)])).toEqual({
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
    await leave(leavePorts(), message.id);
    expect((await read(actor.organizationId, message.id))?.status).toBe('queued');
    world.hints.length = 0;
    expect(await force(operatePorts(), actor, message.id)).toMatchObject({ force: true, status: 'queued' });
    expect(world.hints).toEqual([{ kind: 'send_message', pk: `MSG#${message.id}`, sk: 'MSG' }]);
    const shut = { ...leavePorts(), mayLeaveAt: async () => world.now + 3_600_000 };
    await leave(shut, message.id);
    expect(await read(actor.organizationId, message.id)).toMatchObject({ status: 'sent', force: true });
    expect(nameOf(await force(operatePorts(), actor, message.id))).toBe('CONFLICT');
    expect(nameOf(await cancel(operatePorts(), actor, message.id))).toBe('CONFLICT');
    await checkMoney(world.table, actor.organizationId);
  });
});
