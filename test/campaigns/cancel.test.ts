import { beforeEach, describe, expect, test } from 'vitest';
import { getCampaign } from '../../shared/domain/campaigns/campaigns.ts';
import { cancelCampaign, startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { PortionPorts } from '../../shared/domain/campaigns/ports.ts';
import { campaignView } from '../../shared/domain/campaigns/views.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { advanceFallbackPortsOf } from '../support/world-queued.ts';
import { campaignPortsOver, draftTo, workOff, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const ports = campaignPortsOver(world, world.table);

/** A campaign of one SMS with fallbacks by SMS, of which the first message failed. */
const failedOnce = async (actor: Actor, fallbacks = 1) => {
  const contacts = await writePeople(world, actor, [{}]);
  const fallback = Array.from({ length: fallbacks }, () => ({ channel: 'sms' as const, text: 'De novo' }));
  const message = { channel: 'sms' as const, text: 'Oi', fallback };
  const id = await draftTo(ports, actor, contacts, { message });
  accepted(await startCampaign(ports, actor, id));
  await workOff(world, ports, id);
  await bulk.dispatch();
  const [first] = await bulk.messages(actor);
  if (!first) throw new Error('nothing was sent');
  await deliverReport(world, reportOf(first.id, 'undelivered'));
  return { id, first: first.id };
};
const advance = (first: Id<'message'>) => advanceFallback(advanceFallbackPortsOf(world, bulk.ports.plan), first);
const cancelled = async (actor: Actor, id: Id<'campaign'>, over: Partial<PortionPorts> = {}) => {
  accepted(await cancelCampaign(ports, actor, id));
  await workOff(world, { ...ports, ...over }, id);
};
/** How its messages ended; what came of the campaign holds no coin. */
const endOf = async (actor: Actor, id: Id<'campaign'>) => {
  await bulk.money(actor);
  expect(await ports.figures({ id, ...actor })).toMatchObject({ coinsHeld: 0 });
  return (await bulk.messages(actor)).map(({ status, reason }) => reason ?? status).sort();
};

describe('the cancellation of a campaign', { timeout: 180_000 }, () => {
  test('leaves messages that were cancelled unsent in the total alone, cancelled one by one or with it; refused ones failed', async () => {
    const actor = await world.organization();
    const id = await draftTo(ports, actor, await writePeople(world, actor, [{}, {}, {}, {}]));
    accepted(await startCampaign(ports, actor, id));
    await workOff(world, ports, id);
    const [sent, refused, withdrawn] = await bulk.messages(actor);
    if (!sent || !refused || !withdrawn) throw new Error('messages are missing');
    const progress = async () => campaignView(accepted(await getCampaign(ports, actor, id))).progress;
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    for (const { id: due } of [refused, sent]) await bulk.workOn({ kind: 'send_message', ...KEYS.message(due) });
    accepted(await bulk.one.cancel(actor, withdrawn.id));
    expect(await progress()).toMatchObject({ total: 4, queued: 1, sent: 1, failed: 1, skipped: 0 });
    await cancelled(actor, id);
    expect(await progress()).toMatchObject({ total: 4, queued: 0, sent: 1, failed: 1, skipped: 0 });
  });

  test('cancels a fallback step that was created during the cancellation', async () => {
    const actor = await world.organization();
    const { id, first } = await failedOnce(actor);
    const endFallback: PortionPorts['endFallback'] = async (messageId) => {
      await advance(first);
      expect(await bulk.messages(actor)).toHaveLength(2);
      return ports.endFallback(messageId);
    };
    await cancelled(actor, id, { endFallback });
    expect(await endOf(actor, id)).toEqual(['cancelled', 'undelivered']);
  });

  test('lets no fallback be made after it', async () => {
    const actor = await world.organization();
    const { id, first } = await failedOnce(actor);
    const reserve = { ...advanceFallbackPortsOf(world, bulk.ports.plan) };
    const { messageStore } = reserve;
    const slow = {
      ...reserve,
      messageStore: {
        ...messageStore,
        reserve: async (...given: Parameters<typeof messageStore.reserve>) => {
          await cancelled(actor, id);
          return messageStore.reserve(...given);
        },
      },
    };
    await advanceFallback(slow, first);
    await advance(first);
    expect(await endOf(actor, id)).toEqual(['undelivered']);
  });

  test('cancels replacements of messages and of fallback steps, including those created during the cancellation', async () => {
    const actor = await world.organization();
    const { id, first } = await failedOnce(actor);
    accepted(await bulk.one.resend(actor, first));
    await advance(first);
    const waiting = async () =>
      (await bulk.messages(actor)).filter(({ hold, archivedAt }) => hold === 'open' && !archivedAt);
    expect(await waiting()).toHaveLength(2);
    const step = (await waiting()).find(({ fallbackId }) => fallbackId !== undefined);
    if (!step) throw new Error('the fallback was not made');
    let isReplaced = false;
    const cancelMessage: PortionPorts['cancelMessage'] = async (tenant, messageId) => {
      if (messageId === step.id && !isReplaced) {
        isReplaced = true;
        accepted(await bulk.one.resend(actor, step.id));
      }
      return ports.cancelMessage(tenant, messageId);
    };
    await cancelled(actor, id, { cancelMessage });
    expect(isReplaced).toBe(true);
    expect(await waiting()).toEqual([]);
    await endOf(actor, id);
  });

  test('cancels replacements of failed fallback steps, even if another step followed', async () => {
    const actor = await world.organization();
    const { id, first } = await failedOnce(actor, 2);
    await advance(first);
    const step = (await bulk.messages(actor)).find((one) => one.id !== first);
    if (!step) throw new Error('the fallback was not made');
    await bulk.dispatch();
    await deliverReport(world, reportOf(step.id, 'undelivered'));
    await advance(first);
    accepted(await bulk.one.resend(actor, step.id));
    await cancelled(actor, id);
    expect(await endOf(actor, id)).toEqual(['cancelled', 'cancelled', 'undelivered', 'undelivered']);
  });
});
