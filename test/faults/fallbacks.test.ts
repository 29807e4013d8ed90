import { afterEach, describe, expect, test } from 'vitest';
import { cancel, force } from '../../shared/domain/api/cancel-and-force.ts';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from '../support/accepted.ts';
import { recipientOn } from '../support/channel-plans.ts';
import { coinsOn, deliverReport, reportOf } from '../support/channel-sends.ts';
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
/**
 * Messages with two fallbacks each: every channel whose providers report deliveries later is in one, before another. A push ends its fallback at
 * its acceptance (test/flows/push-person.test.ts).
 */
const FALLBACKS = [
  ['whatsapp', 'email', 'sms'],
  ['rcs', 'instagram', 'push'],
  ['instagram', 'whatsapp', 'rcs'],
] as const satisfies readonly (readonly Channel[])[];
const PATHS = FALLBACKS.map((channels) => ({ channels, path: channels.join(', ') }));

const world = await use(startWorld('live'));
afterEach(world.reset);

/** Accepts a message with its fallback; scheduled where there is a moment (ms). */
const accept = async (channels: readonly Channel[], at = 0) => {
  const actor = await world.organization(OPENING);
  const [first, ...fallback] = channels.map((channel) => ({ channel, to: recipientOn(channel) }));
  if (!first) throw new Error('a fallback without channels');
  const scheduled = at > 0 ? { scheduledAt: isoTime(at) } : {};
  const body = { ...first, ...scheduled, text: 'Oi', fallback, fallback_after: WAIT_MS };
  return { actor, id: accepted(await sendV1(submitPortsOf(world), actor, 'key', body)).id };
};
/** Twice at once and again, as a queue repeats. */
const repeatedly = async (work: () => Promise<unknown>) => {
  await Promise.all([work(), work()]);
  await work();
};
const send = (id: Id<'message'>) => repeatedly(() => sendQueued(sendQueuedPortsOf(world), id));
const advance = (id: Id<'message'>) => repeatedly(() => advanceFallback(advanceFallbackPortsOf(world), id));
const acceptAndSend = async (channels: readonly Channel[]) => {
  const sent = await accept(channels);
  await send(sent.id);
  return sent;
};
/** The message meets quiet hours until a moment (ms). */
const defer = (id: Id<'message'>, until: number) =>
  sendQueued({ ...sendQueuedPortsOf(world), earliestSendAt: async () => until }, id);
const delivered = (id: Id<'message'>) => deliverReport(world, reportOf(id, 'delivered'));
const messagesOf = async ({ organizationId }: Actor) =>
  (await checkMoney(world.table, organizationId, { quiet: false })).messages.toSorted(
    (a, b) => a.createdAt - b.createdAt,
  );
const lastOf = async (actor: Actor) => parseId('message', (await messagesOf(actor)).at(-1)?.id);
/** Lets the wait pass; the message of the step that is taken then. */
const nextStep = async (actor: Actor, id: Id<'message'>) => {
  world.now += WAIT_MS;
  await advance(id);
  return lastOf(actor);
};
/** The number of messages just before the end of the wait, and after it. */
const aroundTheWait = async (actor: Actor, id: Id<'message'>) => {
  world.now += WAIT_MS - 1;
  await advance(id);
  const before = (await messagesOf(actor)).length;
  world.now += 1;
  await advance(id);
  return [before, (await messagesOf(actor)).length];
};
const sendEnqueued = async () => {
  for (const item of world.workItems.splice(0).filter(({ kind }) => kind === 'send_message'))
    await send(PARSE_KEY.message(item));
};
/** Works off whatever is still due: exactly these channels' messages were sent, each billed at its own price. */
const expectBilled = async ({ organizationId }: Actor, id: Id<'message'>, channels: readonly Channel[]) => {
  world.now += 10 * WAIT_MS;
  await advance(id);
  await sendEnqueued();
  const { balance, messages } = await checkMoney(world.table, organizationId);
  const prices = await Promise.all(channels.map(async (channel) => [channel, await coinsOn(world, channel)] as const));
  const captured = messages.filter(({ hold }) => hold === 'captured').toSorted((a, b) => a.createdAt - b.createdAt);
  expect(captured.map(({ channel, coins }) => [channel, coins])).toEqual(prices);
  expect(balance).toBe(OPENING - prices.reduce((sum, [, coins]) => sum + coins, 0));
  expect(world.provider.dispatched.map(({ messageId }) => messageId)).toEqual(captured.map(({ id }) => id));
};

describe.each(PATHS)('a fallback over $path', ({ channels }) => {
  test('sends each message once, at its own price, when none is delivered', async () => {
    const { actor, id } = await acceptAndSend(channels);
    for (const _ of channels) await send(await nextStep(actor, id));
    await expectBilled(actor, id, channels);
    const messages = await messagesOf(actor);
    const next = (at: number) => `step=${at + 1} channel=${channels[at + 1]} sent as ${messages[at + 1]?.id}`;
    expect(
      messages.map(({ decisions }) => decisions.filter(({ kind }) => kind === 'fallback').map(({ detail }) => detail)),
    ).toEqual(channels.map((_, at) => (at + 1 < channels.length ? [next(at)] : [])));
  });

  test('ends with a delivery before its next step, however late it is', async () => {
    const { actor, id } = await acceptAndSend(channels);
    world.now += WAIT_MS + 1;
    await delivered(id);
    await expectBilled(actor, id, channels.slice(0, 1));
  });

  test('whose second message was cancelled never sends it, nor after a late delivery of the first', async () => {
    const { actor, id } = await acceptAndSend(channels);
    const second = await nextStep(actor, id);
    const cancelled = await cancel(cancelAndForcePortsOf(world), actor, second);
    expect(cancelled).toMatchObject({ channel: channels[1], fallbackId: id });
    await delivered(id);
    await send(second);
    await expectBilled(actor, id, channels.slice(0, 1));
  });

  test('whose first message is delivered after the second was sent bills both, and never sends the third', async () => {
    const { actor, id } = await acceptAndSend(channels);
    const second = await nextStep(actor, id);
    await send(second);
    await delivered(id);
    await delivered(second);
    await expectBilled(actor, id, channels.slice(0, 2));
  });

  test('begins its wait when a deferred message is sent', async () => {
    const { actor, id } = await accept(channels);
    const morning = world.now + 5 * WAIT_MS;
    await defer(id, morning);
    world.now += WAIT_MS;
    await advance(id);
    world.now = morning;
    await send(id);
    expect(await aroundTheWait(actor, id)).toEqual([1, 2]);
  });

  test('begins its wait when a forced message is sent', async () => {
    const { actor, id } = await accept(channels, world.now + 20 * WAIT_MS);
    world.workItems.length = 0;
    expect(await force(cancelAndForcePortsOf(world), actor, id)).toMatchObject({ force: true });
    expect(world.workItems.map(({ kind }) => kind)).toEqual(['send_message', 'fallback']);
    expect((await world.table.get(KEYS.fallback(id)))?.dueAt).toBe(world.now);
    await send(id);
    expect(await aroundTheWait(actor, id)).toEqual([1, 2]);
  });

  test('refunds a deferred second message when the first is delivered meanwhile', async () => {
    const { actor, id } = await acceptAndSend(channels);
    const second = await nextStep(actor, id);
    await defer(second, world.now + 5 * WAIT_MS);
    await delivered(id);
    world.now += 5 * WAIT_MS;
    await send(second);
    await expectBilled(actor, id, channels.slice(0, 1));
  });

  test('whose step races a delivery bills one or both, consistently', async () => {
    const { actor, id } = await acceptAndSend(channels);
    world.now += WAIT_MS;
    await Promise.all([advance(id), delivered(id)]);
    const started = (await messagesOf(actor)).length;
    await sendEnqueued();
    if (started > 1) await delivered(await lastOf(actor));
    await expectBilled(actor, id, channels.slice(0, started));
    expect(started).toBeLessThanOrEqual(2);
  });
});

test('a fallback is kept as long as its first message may be scheduled', async () => {
  const at = world.now + 89 * 24 * 3600_000;
  const { id } = await accept(FALLBACKS[0], at);
  expect(Number((await world.table.get(KEYS.fallback(id)))?.ttl) * 1000).toBeGreaterThan(at + WAIT_MS);
});

test('a step of a one-time password is as urgent as the password, on whatever route it goes', async () => {
  const ports = submitPortsOf(world);
  const plan: typeof ports.plan = async (...requested) => {
    const planned = await ports.plan(...requested);
    return isRefusal(planned) ? planned : { ...planned, plan: { ...planned.plan, route: 'otp' } };
  };
  const actor = await world.organization(OPENING);
  const fallback = [{ channel: 'whatsapp', to: recipientOn('whatsapp') }] as const;
  const body = { channel: 'sms', to: recipientOn('sms'), text: 'Oi', fallback, fallback_after: WAIT_MS } as const;
  const { id } = accepted(await sendV1({ ...ports, plan }, actor, 'key', body));
  await send(id);
  await nextStep(actor, id);
  const [first, step] = await messagesOf(actor);
  expect([first?.route, first?.priority]).toEqual(['otp', 'normal']);
  expect([step?.channel, step?.priority]).toEqual(['whatsapp', 'critical']);
  expect(step?.route).not.toBe('otp');
});
