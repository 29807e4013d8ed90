import { expect, test, vi } from 'vitest';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const HOUR_MS = 3_600_000;
const OPENING = 10_000;

const world = await use(startWorld('live', { inMemory: false }));

/** A message that is due now. */
const dueMessage = async () => {
  const actor = await world.organization(OPENING);
  const scheduledAt = new Date(world.now + HOUR_MS).toISOString();
  const body = { channel: 'sms' as const, to: '+5511987654321', text: 'Oi', scheduledAt };
  const { id } = accepted(await sendV1(submitPortsOf(world), actor, 'key', body));
  world.now += HOUR_MS;
  return { actor, id };
};

test('a claim whose answer is lost is known by its repeat, and its message is sent once', async () => {
  const { actor, id } = await dueMessage();
  const before = world.provider.dispatched.length;
  let claims = 0;
  world.proxy.plan(({ action, body }) =>
    action === 'UpdateItem' && body.includes(id) && claims++ === 0 ? FAULTS.loseAnswer : undefined,
  );
  await sendQueued(sendQueuedPortsOf(world), id);
  world.proxy.plan(undefined);
  expect(claims).toBeGreaterThan(1);
  expect(world.provider.dispatched.length - before).toBe(1);
  const { messages } = await checkMoney(world.table, actor.organizationId);
  expect(messages.map(({ hold }) => hold)).toEqual(['captured']);
});

test('of two workers that claim within the same millisecond, one sends, also if the answers of both are lost', async () => {
  const { actor, id } = await dueMessage();
  const before = world.provider.dispatched.length;
  let claims = 0;
  world.proxy.plan(({ action, body }) =>
    action === 'UpdateItem' && body.includes(id) && claims++ < 2 ? FAULTS.loseAnswer : undefined,
  );
  const ports = sendQueuedPortsOf(world);
  await Promise.all([sendQueued(ports, id), sendQueued(ports, id)]);
  world.proxy.plan(undefined);
  expect(world.provider.dispatched.length - before).toBe(1);
  const { messages } = await checkMoney(world.table, actor.organizationId);
  expect(messages.map(({ hold }) => hold)).toEqual(['captured']);
});

test('a recovery whose claim’s answer is lost recovers its message', async () => {
  const { actor, id } = await dueMessage();
  world.provider.script = [() => ({ kind: 'unknown', detail: 'lost' })];
  await sendQueued(sendQueuedPortsOf(world), id);
  world.now += 31_000;
  const { inquiries = 0 } = (await world.ports.messageStore.read(id)) ?? {};
  let claims = 0;
  world.proxy.plan(({ action, body }) =>
    action === 'UpdateItem' && body.includes(id) && claims++ === 0 ? FAULTS.loseAnswer : undefined,
  );
  const queryStatus = vi.spyOn(world.provider, 'queryStatus');
  await recoverSend(world.ports, id);
  world.proxy.plan(undefined);
  expect(claims).toBeGreaterThan(1);
  expect(queryStatus).toHaveBeenCalledOnce();
  queryStatus.mockRestore();
  expect(await world.ports.messageStore.read(id)).toMatchObject({ inquiries: inquiries + 1 });
  await checkMoney(world.table, actor.organizationId, { quiet: false });
});
