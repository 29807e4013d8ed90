import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { goOn } from '../../shared/domain/messages/chain.ts';
import { leave } from '../../shared/domain/messages/leave.ts';
import { cancel, force } from '../../shared/domain/messages/operate.ts';
import { sendOverview } from '../../shared/domain/messages/overview.ts';
import type { Channel } from '../../shared/domain/messages/provider.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { recipientOn } from '../support/channel-plans.ts';
import { calmDown, coinsOn, deliverReport, reportOf } from '../support/channel-plans-live.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';
import { chainPortsOf, leavePortsOf, operatePortsOf, submitPortsOf } from '../support/world-queued.ts';

const OPENING = 10_000;
const WAIT_MS = 60_000;
/** Chains of three: every channel stands in one, before another. */
const CHAINS = [
  ['whatsapp', 'email', 'sms'],
  ['rcs', 'push', 'instagram'],
  ['push', 'whatsapp', 'rcs'],
] as const satisfies readonly (readonly Channel[])[];

describe('a chain', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
  });
  afterAll(() => world.close());
  afterEach(() => {
    calmDown(world);
    world.hints.length = 0;
  });

  /** Accepted, and still to leave; at once, or at a moment (ms). */
  const accept = async (channels: readonly Channel[], at = 0) => {
    const actor = await world.organization(OPENING);
    const [first, ...hops] = channels.map((channel) => ({ channel, to: recipientOn(channel) }));
    if (!first) throw new Error('a chain of nothing');
    const scheduled = at > 0 ? { scheduledAt: new Date(at).toISOString() } : {};
    const body = { ...first, ...scheduled, text: 'Oi', fallback: hops, fallback_after: WAIT_MS };
    const sent = await sendOverview(submitPortsOf(world), actor, 'key', body);
    if (isRefusal(sent)) throw new Error(sent.details.detail);
    return { actor, id: sent.id };
  };
  const begin = async (channels: readonly Channel[]) => {
    const begun = await accept(channels);
    await leaves(begun.id);
    return begun;
  };
  /** Meets quiet hours until a moment (ms). */
  const deferred = (id: string, until: number) => leave({ ...leavePortsOf(world), mayLeaveAt: async () => until }, id);
  /** Its messages while its wait lasts, and just after it. */
  const aroundTheWait = async (actor: Actor, id: string) => {
    world.now += WAIT_MS - 1;
    await steps(id);
    const before = await messagesOf(actor);
    world.now += 1;
    await steps(id);
    return [before.length, (await messagesOf(actor)).length];
  };
  /** Twice at once and again: a queue repeats. */
  const leaves = async (id: string) => {
    await Promise.all([leave(leavePortsOf(world), id), leave(leavePortsOf(world), id)]);
    await leave(leavePortsOf(world), id);
  };
  const steps = async (id: string) => {
    await Promise.all([goOn(chainPortsOf(world), id), goOn(chainPortsOf(world), id)]);
    await goOn(chainPortsOf(world), id);
  };
  const delivered = (id: string) => deliverReport(world, reportOf(id, 'delivered'));
  const messagesOf = async ({ organizationId }: Actor) =>
    (await checkMoney(world.table, organizationId, { quiet: false })).messages;
  /** The message of its last hop. */
  const lastOf = async (actor: Actor) => {
    const found = (await messagesOf(actor)).toSorted((a, b) => a.createdAt - b.createdAt);
    return found.at(-1)?.id ?? '';
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
  const nothingMore = async (id: string) => {
    world.now += 10 * WAIT_MS;
    await steps(id);
    for (const { pk } of world.hints.splice(0).filter(({ kind }) => kind === 'send_message')) await leaves(pk.slice(4));
  };

  test.each(CHAINS)('of %s, %s and %s that nobody receives sends each once, at its own rate', async (...channels) => {
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
  });

  test.each(CHAINS)(
    'of %s, %s and %s ends with a delivery, however late it is, before its next step',
    async (...channels) => {
      const { actor, id } = await begin(channels);
      world.now += WAIT_MS + 1;
      await delivered(id);
      await nothingMore(id);
      await billed(actor, channels.slice(0, 1));
    },
  );

  test.each(CHAINS)(
    'of %s, %s and %s whose second was cancelled sends it never: a late delivery of the first wakes nothing',
    async (...channels) => {
      const { actor, id } = await begin(channels);
      world.now += WAIT_MS;
      await steps(id);
      const second = await lastOf(actor);
      expect(await cancel(operatePortsOf(world), actor, second)).toMatchObject({ channel: channels[1], chainId: id });
      await delivered(id);
      await leaves(second);
      await nothingMore(id);
      await billed(actor, channels.slice(0, 1));
    },
  );

  test.each(CHAINS)(
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

  test.each(CHAINS)(
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

  test.each(CHAINS)('of %s, %s and %s waits for a forced message from the moment that it left', async (...channels) => {
    const { actor, id } = await accept(channels, world.now + 20 * WAIT_MS);
    world.hints.length = 0;
    expect(await force(operatePortsOf(world), actor, id)).toMatchObject({ force: true });
    expect(world.hints.map(({ kind }) => kind)).toEqual(['send_message', 'fallback']);
    expect((await world.table.get(KEYS.chain(id)))?.dueAt).toBe(world.now);
    await leaves(id);
    expect(await aroundTheWait(actor, id)).toEqual([1, 2]);
  });

  test.each(CHAINS)(
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
    const { id } = await accept(CHAINS[0], at);
    expect(Number((await world.table.get(KEYS.chain(id)))?.ttl) * 1000).toBeGreaterThan(at + WAIT_MS);
  });

  test.each(CHAINS)('of %s, %s and %s whose step and delivery meet takes one of both', async (...channels) => {
    const { actor, id } = await begin(channels);
    world.now += WAIT_MS;
    await Promise.all([steps(id), delivered(id)]);
    const begun = (await messagesOf(actor)).length;
    for (const { pk } of world.hints.splice(0).filter(({ kind }) => kind === 'send_message')) await leaves(pk.slice(4));
    if (begun > 1) await delivered(await lastOf(actor));
    await nothingMore(id);
    await billed(actor, channels.slice(0, begun));
    expect(begun).toBeLessThanOrEqual(2);
  });
});
