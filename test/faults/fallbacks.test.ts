import { afterEach, describe, expect, test } from 'vitest';
import { cancel, force } from '../../shared/domain/api/cancel-and-force.ts';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { recipientOn } from '../support/channel-plans.ts';
import { calmDown, coinsOn, deliverReport, reportOf } from '../support/channel-plans-live.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  advanceFallbackPortsOf,
  cancelAndForcePortsOf,
  sendQueuedPortsOf,
  submitPortsOf,
} from '../support/world-queued.ts';

const OPENING = 10_000;
const WAIT_MS = 60_000;
/** Chains of three: every channel stands in one, before another. */
const FALLBACKS = [
  ['whatsapp', 'email', 'sms'],
  ['rcs', 'push', 'instagram'],
  ['push', 'whatsapp', 'rcs'],
] as const satisfies readonly (readonly Channel[])[];

const world = await use(startWorld('live'));

describe('a chain', () => {
  afterEach(() => {
    calmDown(world);
    world.workItems.length = 0;
  });

  /** Accepted, and still to leave; at once, or at a moment (ms). */
  const accept = async (channels: readonly Channel[], at = 0) => {
    const actor = await world.organization(OPENING);
    const [first, ...steps] = channels.map((channel) => ({ channel, to: recipientOn(channel) }));
    if (!first) throw new Error('a chain of nothing');
    const scheduled = at > 0 ? { scheduledAt: new Date(at).toISOString() } : {};
    const body = { ...first, ...scheduled, text: 'Oi', fallback: steps, fallback_after: WAIT_MS };
    const sent = await sendV1(submitPortsOf(world), actor, 'key', body);
    if (isRefusal(sent)) throw new Error(sent.details.detail);
    return { actor, id: sent.id };
  };
  const begin = async (channels: readonly Channel[]) => {
    const begun = await accept(channels);
    await leaves(begun.id);
    return begun;
  };
  /** Meets quiet hours until a moment (ms). */
  const deferred = (id: Id<'message'>, until: number) =>
    sendQueued({ ...sendQueuedPortsOf(world), earliestSendAt: async () => until }, id);
  /** Its messages while its wait lasts, and just after it. */
  const aroundTheWait = async (actor: Actor, id: Id<'message'>) => {
    world.now += WAIT_MS - 1;
    await steps(id);
    const before = await messagesOf(actor);
    world.now += 1;
    await steps(id);
    return [before.length, (await messagesOf(actor)).length];
  };
  /** Twice at once and again: a queue repeats. */
  const leaves = async (id: Id<'message'>) => {
    await Promise.all([sendQueued(sendQueuedPortsOf(world), id), sendQueued(sendQueuedPortsOf(world), id)]);
    await sendQueued(sendQueuedPortsOf(world), id);
  };
  const steps = async (id: Id<'message'>) => {
    await Promise.all([
      advanceFallback(advanceFallbackPortsOf(world), id),
      advanceFallback(advanceFallbackPortsOf(world), id),
    ]);
    await advanceFallback(advanceFallbackPortsOf(world), id);
  };
  const delivered = (id: Id<'message'>) => deliverReport(world, reportOf(id, 'delivered'));
  const messagesOf = async ({ organizationId }: Actor) =>
    (await checkMoney(world.table, organizationId, { quiet: false })).messages;
  /** The message of its last hop. */
  const lastOf = async (actor: Actor) => {
    const found = (await messagesOf(actor)).toSorted((a, b) => a.createdAt - b.createdAt);
    return parseId('message', found.at(-1)?.id);
  };
  /** All that was sent is these channels' messages, each billed at its own rate, and nothing else. */
  const billed = async ({ organizationId }: Actor, channels: readonly Channel[]) => {
    const { balance, messages } = await checkMoney(world.table, organizationId);
    const prices = await Promise.all(
      channels.map(async (channel) => [channel, await coinsOn(world, channel)] as const),
    );
    const captured = messages.filter(({ hold }) => hold === 'captured').toSorted((a, b) => a.createdAt - b.createdAt);
    expect(captured.map(({ channel, coins }) => [channel, coins])).toEqual(prices);
    expect(balance).toBe(OPENING - prices.reduce((sum, [, coins]) => sum + coins, 0));
    expect(world.provider.dispatched.map(({ messageId }) => messageId)).toEqual(captured.map(({ id }) => id));
  };
  /** Whatever is still due is worked off, and nothing comes of it. */
  const nothingMore = async (id: Id<'message'>) => {
    world.now += 10 * WAIT_MS;
    await steps(id);
    for (const item of world.workItems.splice(0).filter(({ kind }) => kind === 'send_message'))
      await leaves(PARSE_KEY.message(item));
  };

  test.each(FALLBACKS)(
    'of %s, %s and %s that nobody receives sends each once, at its own rate',
    async (...channels) => {
      const { actor, id } = await begin(channels);
      for (const _ of channels) {
        world.now += WAIT_MS;
        await steps(id);
        await leaves(await lastOf(actor));
      }
      await nothingMore(id);
      await billed(actor, channels);
      const told = (await messagesOf(actor)).toSorted((a, b) => a.createdAt - b.createdAt);
      const next = (at: number) => `hop=${at + 1} channel=${channels[at + 1]} leaves as ${told[at + 1]?.id}`;
      expect(
        told.map(({ decisions }) => decisions.filter(({ kind }) => kind === 'fallback').map(({ detail }) => detail)),
      ).toEqual(channels.map((_, at) => (at + 1 < channels.length ? [next(at)] : [])));
    },
  );

  test.each(FALLBACKS)(
    'of %s, %s and %s ends with a delivery, however late it is, before its next step',
    async (...channels) => {
      const { actor, id } = await begin(channels);
      world.now += WAIT_MS + 1;
      await delivered(id);
      await nothingMore(id);
      await billed(actor, channels.slice(0, 1));
    },
  );

  test.each(FALLBACKS)(
    'of %s, %s and %s whose second was cancelled sends it never: a late delivery of the first wakes nothing',
    async (...channels) => {
      const { actor, id } = await begin(channels);
      world.now += WAIT_MS;
      await steps(id);
      const second = await lastOf(actor);
      expect(await cancel(cancelAndForcePortsOf(world), actor, second)).toMatchObject({
        channel: channels[1],
        fallbackId: id,
      });
      await delivered(id);
      await leaves(second);
      await nothingMore(id);
      await billed(actor, channels.slice(0, 1));
    },
  );

  test.each(FALLBACKS)(
    'of %s, %s and %s whose first arrives after the second left pays for both, and the third never leaves',
    async (...channels) => {
      const { actor, id } = await begin(channels);
      world.now += WAIT_MS;
      await steps(id);
      const second = await lastOf(actor);
      await leaves(second);
      await delivered(id);
      await delivered(second);
      await nothingMore(id);
      await billed(actor, channels.slice(0, 2));
    },
  );

  test.each(FALLBACKS)(
    'of %s, %s and %s waits for a deferred message from the moment that it left',
    async (...channels) => {
      const { actor, id } = await accept(channels);
      const morning = world.now + 5 * WAIT_MS;
      await deferred(id, morning);
      world.now += WAIT_MS;
      await steps(id);
      world.now = morning;
      await leaves(id);
      expect(await aroundTheWait(actor, id)).toEqual([1, 2]);
    },
  );

  test.each(FALLBACKS)(
    'of %s, %s and %s waits for a forced message from the moment that it left',
    async (...channels) => {
      const { actor, id } = await accept(channels, world.now + 20 * WAIT_MS);
      world.workItems.length = 0;
      expect(await force(cancelAndForcePortsOf(world), actor, id)).toMatchObject({ force: true });
      expect(world.workItems.map(({ kind }) => kind)).toEqual(['send_message', 'fallback']);
      expect((await world.table.get(KEYS.fallback(id)))?.dueAt).toBe(world.now);
      await leaves(id);
      expect(await aroundTheWait(actor, id)).toEqual([1, 2]);
    },
  );

  test.each(FALLBACKS)(
    'of %s, %s and %s whose second was deferred gives it back when the first arrives meanwhile',
    async (...channels) => {
      const { actor, id } = await begin(channels);
      world.now += WAIT_MS;
      await steps(id);
      const second = await lastOf(actor);
      await deferred(second, world.now + 5 * WAIT_MS);
      await delivered(id);
      world.now += 5 * WAIT_MS;
      await leaves(second);
      await nothingMore(id);
      await billed(actor, channels.slice(0, 1));
    },
  );

  test('is kept as long as its first message may be scheduled', async () => {
    const at = world.now + 89 * 24 * 3600_000;
    const { id } = await accept(FALLBACKS[0], at);
    expect(Number((await world.table.get(KEYS.fallback(id)))?.ttl) * 1000).toBeGreaterThan(at + WAIT_MS);
  });

  test.each(FALLBACKS)('of %s, %s and %s whose step and delivery meet takes one of both', async (...channels) => {
    const { actor, id } = await begin(channels);
    world.now += WAIT_MS;
    await Promise.all([steps(id), delivered(id)]);
    const begun = (await messagesOf(actor)).length;
    for (const item of world.workItems.splice(0).filter(({ kind }) => kind === 'send_message'))
      await leaves(PARSE_KEY.message(item));
    if (begun > 1) await delivered(await lastOf(actor));
    await nothingMore(id);
    await billed(actor, channels.slice(0, begun));
    expect(begun).toBeLessThanOrEqual(2);
  });
});
