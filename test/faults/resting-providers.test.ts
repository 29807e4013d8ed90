import { afterEach, describe, expect, test } from 'vitest';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const OPENING = 10_000;
const world = await use(startWorld('live'));

describe('while every provider of its route is failing', () => {
  afterEach(world.reset);
  const rest = () => {
    world.candidates = () => ({ kind: 'ready', providers: [world.provider], restMs: 12_300 });
  };

  test('a send is 503 with the wait and stores nothing; an earlier one is still answered by its key', async () => {
    const actor = await world.organization(OPENING);
    const first = accepted(await world.sms(actor, 'first'));
    rest();
    expect(await world.sms(actor, 'first')).toMatchObject({ id: first.id, replayed: true });
    expect(await world.sms(actor, 'second')).toMatchObject({
      name: 'SERVICE_UNAVAILABLE',
      details: { retryAfterSeconds: 13 },
    });
    const { messages, balance } = await checkMoney(world.table, actor.organizationId);
    expect([messages.length, OPENING - balance, world.provider.dispatched.length]).toEqual([1, first.billing.coins, 1]);
  });

  test('a queued message stays queued, records why in its timeline, and is sent once a provider may be tried', async () => {
    const actor = await world.organization(OPENING);
    const body = { channel: 'sms' as const, to: '+5511987654321', text: 'Oi' };
    const { id } = accepted(await sendV1(submitPortsOf(world), actor, 'key', body));
    rest();
    await sendQueued(sendQueuedPortsOf(world), id);
    expect(await world.ports.messageStore.read(id)).toMatchObject({
      status: 'queued',
      hold: 'open',
      attempts: 0,
      deadline: world.now + 12_300,
      decisions: expect.arrayContaining([expect.objectContaining({ kind: 'deferred' })]),
    });
    expect(world.provider.dispatched).toEqual([]);
    world.now += 12_300;
    world.candidates = () => ({ kind: 'ready', providers: [world.provider] });
    await sendQueued(sendQueuedPortsOf(world), id);
    expect(await world.ports.messageStore.read(id)).toMatchObject({ status: 'sent', hold: 'captured' });
    await checkMoney(world.table, actor.organizationId);
  });
});
