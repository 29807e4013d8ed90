import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHANNELS, channelOf } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Refusal, Unavailable } from '../../shared/domain/core/errors.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { ProviderAnswer } from '../../shared/domain/message/provider-port.ts';
import { reportsOf } from '../support/channel-plans.ts';
import {
  calmDown,
  coinsOn,
  outcomeOf,
  reportOf,
  resolveAll,
  resolveUntilQuiet,
  sendOn,
  tally,
} from '../support/channel-plans-live.ts';
import { type Fate, fatesOn, proofOn, toldOn } from '../support/channel-plans-told.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const OPENING = 10_000;
const AT_ONCE = 200;
const DAY_MS = 24 * 3600 * 1000;
const UNKNOWN: ProviderAnswer = { kind: 'unknown', detail: 'no answer within 10 s' };

const world = await use(startWorld('live'));
afterEach(() => calmDown(world));

describe.each(CHANNELS)('a send on %s', (channel) => {
  const told = toldOn(channel);
  const fates = fatesOn(channel);
  let price: number;
  beforeAll(async () => {
    price = await coinsOn(world, channel);
  });

  const send = (actor: Actor, key = 'key', text?: string) => sendOn(channel)(world, actor, key, text);
  const books = ({ organizationId }: Actor, quiet = true) => checkMoney(world.table, organizationId, { quiet });
  const resolve = ({ organizationId }: Actor, laterMs?: number) => resolveAll(world, organizationId, laterMs);
  const charged = (actor: Actor, times: number, opening = OPENING) =>
    books(actor).then(({ balance }) => expect(balance).toBe(opening - times * price));
  const quiet = ({ organizationId }: Actor) => resolveUntilQuiet(world, organizationId);
  const ends = async (actor: Actor, { charged: times, message, again }: Fate) => {
    const { balance, messages, entries } = await books(actor);
    expect({ balance, messages }).toMatchObject({ balance: OPENING - times * price, messages: [message] });
    expect(entries.filter(({ kind }) => kind === 'release')).toHaveLength(1 - times);
    const before = world.provider.dispatched.length;
    expect(await send(actor)).toMatchObject(again);
    expect(world.provider.dispatched.length - before).toBe(message.reason === 'abandoned' ? 1 : 0);
  };
  /** A provider that answers when it is told to. */
  const held = () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    world.provider.script = [
      async ({ messageId }) => {
        await promise;
        return { kind: 'accepted', providerMessageId: `p-${messageId}` };
      },
    ];
    return release;
  };
  /** The provider's own word that it took the one message, where the channel has it. */
  const prove = async () => {
    const messageId = parseId('message', world.provider.dispatched[0]?.messageId);
    const [report] = proofOn(channel) === 'receipt' ? reportsOf(channel) : [];
    if (report) await world.ports.addPendingReceipt(messageId, reportOf(messageId, report), world.now);
  };
  const reachesProvider = () => expect.poll(() => world.provider.dispatched.length).toBe(1);

  test(`with one key ${AT_ONCE} times at once reaches the provider once; the others replay or are told to wait`, async () => {
    const actor = await world.organization(1_000_000);
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => outcomeOf(send(actor, 'one-key'))));
    expect(world.provider.dispatched).toHaveLength(1);
    expect(Object.keys(tally(outcomes)).filter((name) => name !== 'sent' && name !== 'CONFLICT')).toEqual([]);
    const again = await send(actor, 'one-key');
    expect(again).toMatchObject({ replayed: true, status: 'sent', id: world.provider.dispatched[0]?.messageId });
    await charged(actor, 1, 1_000_000);
  });

  test('with a key in flight and another body is a conflict', async () => {
    const actor = await world.organization(OPENING);
    const release = held();
    const first = send(actor);
    await reachesProvider();
    expect(await send(actor, 'key', 'Outro texto')).toMatchObject({ name: 'CONFLICT', details: {} });
    // Whoever asks waits as long as the send has run so far, 1 to 10 seconds.
    for (const [elapsedMs, seconds] of [
      [0, 1],
      [1_900, 2],
      [1_500, 4],
      [9_000, 10],
    ] as const) {
      world.now += elapsedMs;
      expect(await send(actor)).toMatchObject(told.underWay(seconds));
    }
    release();
    expect(await first).toMatchObject({ replayed: false });
    await charged(actor, 1);
  });

  test('with a key of more than 24 hours ago is a new send, though the old row still stands', async () => {
    const actor = await world.organization(OPENING);
    const first = (await send(actor)) as { id: string };
    world.now += DAY_MS - 1;
    expect(await send(actor)).toMatchObject({ replayed: true });
    world.now += 1;
    const second = (await send(actor)) as { id: string };
    expect(second).toMatchObject({ replayed: false });
    expect(second.id).not.toBe(first.id);
    await charged(actor, 2);
  });

  test(`${AT_ONCE} times at once for the last coins is accepted once and refused else for lack of funds`, async () => {
    const actor = await world.organization(price);
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => outcomeOf(send(actor, `key-${at}`))));
    expect(tally(outcomes)).toEqual({ PAYMENT_REQUIRED: AT_ONCE - 1, sent: 1 });
    await charged(actor, 1, price);
  });

  test('that crashed after it was reserved and before the provider was called is refunded once; its key is free where that is certain', async () => {
    const actor = await world.organization(OPENING);
    world.provider.script = [() => new Promise(() => {})];
    void send(actor);
    await reachesProvider();
    await resolve(actor, 29_999);
    expect((await books(actor, false)).held).toBe(price);
    await resolve(actor, 1);
    await quiet(actor);
    await ends(actor, fates.untaken);
  });

  test('that crashed after the provider accepted is settled by what proves it: at most one debit, no second send', async () => {
    const actor = await world.organization(OPENING);
    world.provider.script = [
      ({ messageId }) => {
        world.provider.accepted.add(messageId);
        return new Promise(() => {});
      },
    ];
    void send(actor);
    await reachesProvider();
    await prove();
    await quiet(actor);
    await ends(actor, fates.taken);
    expect(world.provider.dispatched).toHaveLength(1);
  });

  // The first try may meet a wallet that stands otherwise than it was last seen; then come the reservation and the settlement.
  test.each([0, 1, 2])('whose commit %i succeeds and whose answer is lost ends as if it had arrived', async (which) => {
    const actor = await world.organization(OPENING);
    const nth = (world.proxy.calls.get('TransactWriteItems') ?? 0) + which;
    world.proxy.plan((call) =>
      call.action === 'TransactWriteItems' && call.nth === nth ? FAULTS.loseAnswer : undefined,
    );
    expect(await send(actor)).toMatchObject({ replayed: false, status: 'sent' });
    await charged(actor, 1);
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test.each([
    ['a conflict', FAULTS.conflict(5)],
    ['a throttle', FAULTS.throttle],
    ['a request throttle', FAULTS.throttleRequest],
    ['an internal error', FAULTS.internal],
    ['a dropped connection', FAULTS.drop],
  ])(
    'that meets %s once is carried out; one that always meets it is 503 and leaves no partial state',
    async (_, fault) => {
      const actor = await world.organization(OPENING);
      let left = 1;
      world.proxy.plan((call) => (call.action === 'TransactWriteItems' && left-- > 0 ? fault : undefined));
      expect(await send(actor)).toMatchObject({ status: 'sent' });
      world.proxy.plan((call) => (call.action === 'TransactWriteItems' ? fault : undefined));
      await expect(send(actor, 'other')).rejects.toThrow(Unavailable);
      world.proxy.plan(undefined);
      await charged(actor, 1);
      expect(await send(actor, 'other')).toMatchObject({ replayed: false });
      expect(world.provider.dispatched).toHaveLength(2);
    },
  );

  test('whose settlement the table refuses for longer than it is tried fails so, is sent once, and is charged at most once by its resolver', async () => {
    const actor = await world.organization(OPENING);
    world.proxy.plan(({ action, body }) =>
      action === 'TransactWriteItems' && body.includes('captured') ? FAULTS.internal : undefined,
    );
    await expect(send(actor)).rejects.toThrow(Unavailable);
    expect(await send(actor)).toMatchObject(told.underWay(1));
    world.proxy.plan(undefined);
    await prove();
    await quiet(actor);
    await ends(actor, fates.taken);
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test('without a certain answer is never sent again by itself: what proves it decides, else it is refunded once', async () => {
    const actor = await world.organization(OPENING);
    world.provider.script = [UNKNOWN];
    expect(await send(actor)).toMatchObject(told.uncertain);
    expect(await send(actor)).toMatchObject(told.underWay(1));
    await resolve(actor, 5_000);
    await quiet(actor);
    expect(world.provider.dispatched).toHaveLength(1);
    await ends(actor, fates.untaken);
  });

  test('without a certain answer, and without an inquiry, waits for a receipt, is then indeterminate, refunded once, and says so', async () => {
    const actor = await world.organization(OPENING);
    world.provider.askable = false;
    world.provider.script = [UNKNOWN];
    await send(actor);
    await resolve(actor, 5_000);
    expect((await books(actor, false)).held).toBe(price);
    for (let turn = 0; turn < 6; turn++) await resolve(actor, 15_000);
    expect(await books(actor)).toMatchObject({
      balance: OPENING,
      messages: [{ status: 'failed', reason: 'indeterminate' }],
    });
    expect(await send(actor)).toMatchObject(told.indeterminate);
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test.each([
    ['throttled', 'RATE_LIMITED', 7],
    ['credit', 'SERVICE_UNAVAILABLE', 60],
    ['credentials', 'DEPENDENCY_FAILED', undefined],
    ['unavailable', 'DEPENDENCY_FAILED', undefined],
    ['recipient', 'VALIDATION_ERROR', undefined],
    ['content', 'VALIDATION_ERROR', undefined],
    ['blacklisted', 'VALIDATION_ERROR', undefined],
    ['sender', 'PRECONDITION_FAILED', undefined],
  ] as const)(
    'that the provider refuses (%s) is %s, is readable as failed, costs nothing and frees its key',
    async (cause, name, retryAfterSeconds) => {
      const actor = await world.organization(OPENING);
      world.provider.script = [
        { kind: 'refused', cause, detail: 'E1', ...(cause === 'throttled' ? { retryAfterSeconds: 6.2 } : {}) },
      ];
      const refusal = (await send(actor)) as Partial<Refusal>;
      const { balance, messages } = await books(actor);
      expect({ balance, messages }).toMatchObject({ balance: OPENING, messages: [{ status: 'failed' }] });
      expect(refusal).toMatchObject(told.refused(name, messages[0]?.id));
      expect(refusal.details?.retryAfterSeconds).toBe(told.retryAfterSeconds(retryAfterSeconds));
      expect(messages[0]?.reason).toBe(channelOf(channel).reasonOf[cause]);
      expect(await send(actor)).toMatchObject({ replayed: false, status: 'sent' });
    },
  );

  test('whose worker pauses past its deadline is resolved once: the sweeper’s fence shuts the worker out', async () => {
    const actor = await world.organization(OPENING);
    const wake = held();
    const paused = send(actor);
    await reachesProvider();
    await resolve(actor);
    wake();
    expect(await paused).toMatchObject(told.overtaken);
    await quiet(actor);
    await ends(actor, fates.untaken);
  });

  test('with no provider set up is 502 that names what is missing, and costs nothing', async () => {
    const actor = await world.organization(OPENING);
    const before = world.candidates;
    world.candidates = () => ({ kind: 'none', missing: `no provider of ${channel} is set up` });
    const refusal = (await send(actor)) as Refusal;
    world.candidates = before;
    expect(refusal.name).toBe('DEPENDENCY_FAILED');
    expect(refusal.details.detail).toContain(`no provider of ${channel} is set up`);
    await charged(actor, 0);
  });
});
