import { describe, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { checkMoney } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SKEWS_MS = [-600_000, -31_000, 31_000, 600_000];

const world = await use(startWorld('live'));

describe('clocks that differ by ten minutes', () => {
  test.each(SKEWS_MS)('(recovery %i ms off) settle a message once: whichever raises its fence first', async (skew) => {
    const actor = await world.organization(10_000);
    world.provider.dispatched.length = 0;
    const accept = world.provider.hold();
    const sending = world.sms(actor, 'key');
    await expect.poll(() => world.provider.dispatched.length, PATIENCE).toBe(1);
    const id = parseId('message', world.provider.dispatched[0]?.messageId);
    const skewed = { ...world.ports, clock: () => world.now + skew };
    await Promise.all([recoverSend(skewed, id), recoverSend(skewed, id)]);
    accept();
    const answer = await sending;
    const { messages, balance } = await checkMoney(world.table, actor.organizationId);
    const early = skew > 30_000;
    expect(messages[0]).toMatchObject({ hold: early ? 'released' : 'captured' });
    expect(balance).toBe(early ? 10_000 : 9_200);
    expect(answer).toMatchObject(early ? { name: 'DEPENDENCY_FAILED' } : { status: 'sent' });
  });

  test('never free a key early: a repeat is a replay', async () => {
    const actor = await world.organization(10_000);
    const request = { to: '+5511987654321', body: 'Oi', route: 'premium' as const };
    await sendSms(world.ports, actor, 'key', request);
    for (const skew of SKEWS_MS) {
      const skewed = { ...world.ports, clock: () => world.now + skew };
      expect(await sendSms(skewed, actor, 'key', request)).toMatchObject({ replayed: true });
    }
    expect(await checkMoney(world.table, actor.organizationId)).toMatchObject({ balance: 9_200 });
  });
});
