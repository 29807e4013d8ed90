import { describe, expect, test, vi } from 'vitest';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { accepted } from '../support/accepted.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const DAYS_MS = 3 * 86_400_000;
const OPENING = 10_000;

const world = await use(startWorld('live'));

describe('a message that was scheduled days before', () => {
  /** Accepted now, and sent at its time through a provider whose answer is lost; when that was, in ms. */
  const sendUncertainly = async () => {
    const actor = await world.organization(OPENING);
    const scheduledAt = new Date(world.now + DAYS_MS).toISOString();
    const body = { channel: 'sms' as const, to: '+5511987654321', text: 'Oi', scheduledAt };
    const sent = accepted(await sendV1(submitPortsOf(world), actor, 'key', body));
    world.now += DAYS_MS;
    world.provider.script = [() => ({ kind: 'unknown', detail: 'lost' })];
    await sendQueued(sendQueuedPortsOf(world), sent.id);
    return { actor, id: sent.id, sentAt: world.now };
  };

  test('is indeterminate two minutes after it was sent where its provider has no status query, and not before', async () => {
    world.provider.hasStatusQuery = false;
    const { actor, id, sentAt } = await sendUncertainly();
    for (const after of [31_000, 62_000, 89_000]) {
      world.now = sentAt + after;
      await recoverSend(world.ports, id);
      expect(await world.ports.messageStore.read(id), `${after} ms`).toMatchObject({ hold: 'open', status: 'sending' });
    }
    world.now = sentAt + 120_000;
    await recoverSend(world.ports, id);
    const { messages, balance } = await checkMoney(world.table, actor.organizationId);
    expect([messages[0]?.reason, balance]).toEqual(['indeterminate', OPENING]);
    world.provider.hasStatusQuery = true;
  });

  test('is queried with the time at which it was sent, from which a provider’s delay counts', async () => {
    const { id, sentAt } = await sendUncertainly();
    const queryStatus = vi.spyOn(world.provider, 'queryStatus');
    world.now = sentAt + 31_000;
    await recoverSend(world.ports, id);
    expect(queryStatus.mock.calls).toEqual([[id, sentAt]]);
    queryStatus.mockRestore();
  });
});
