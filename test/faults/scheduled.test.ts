import { describe, expect, test, vi } from 'vitest';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const DAYS_MS = 3 * 86_400_000;
const OPENING = 10_000;

const world = await use(startWorld('live'));

describe('a message that was scheduled days before', () => {
  /** Accepted now, and handed over at its moment to a provider whose answer is lost; when that was, in ms. */
  const leaveUnclear = async () => {
    const actor = await world.organization(OPENING);
    const scheduledAt = new Date(world.now + DAYS_MS).toISOString();
    const body = { channel: 'sms' as const, to: '+5511987654321', text: 'Oi', scheduledAt };
    const sent = await sendV1(submitPortsOf(world), actor, 'key', body);
    if (isRefusal(sent)) throw new Error(sent.details.detail);
    world.now += DAYS_MS;
    world.provider.script = [() => ({ kind: 'unknown', detail: 'lost' })];
    await sendQueued(sendQueuedPortsOf(world), sent.id);
    return { actor, id: sent.id, leftAt: world.now };
  };
  test('has all of its patience from when it left, where its provider cannot be asked', async () => {
    world.provider.askable = false;
    const { actor, id, leftAt } = await leaveUnclear();
    for (const after of [31_000, 62_000, 89_000]) {
      world.now = leftAt + after;
      await recoverSend(world.ports, id);
      expect(await world.ports.messageStore.read(id), `${after} ms`).toMatchObject({ hold: 'open', status: 'sending' });
    }
    world.now = leftAt + 120_000;
    await recoverSend(world.ports, id);
    const { messages, balance } = await checkMoney(world.table, actor.organizationId);
    expect([messages[0]?.reason, balance]).toEqual(['indeterminate', OPENING]);
    world.provider.askable = true;
  });

  test('is asked for as of when it left: how far a provider is behind counts from there', async () => {
    const { id, leftAt } = await leaveUnclear();
    const queryStatus = vi.spyOn(world.provider, 'queryStatus');
    world.now = leftAt + 31_000;
    await recoverSend(world.ports, id);
    expect(queryStatus.mock.calls).toEqual([[id, leftAt]]);
    queryStatus.mockRestore();
  });
});
