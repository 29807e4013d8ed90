import { afterEach, describe, expect, test } from 'vitest';
import { CHANNELS, channelOf } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Refusal, Unavailable } from '../../shared/domain/core/errors.ts';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { ProviderAnswer } from '../../shared/domain/message/provider-port.ts';
import { applyReceipt } from '../../shared/domain/sending/apply-receipt.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { answersOn, type Ending, endingsOn, proofOn } from '../support/channel-answers.ts';
import { reportsOf } from '../support/channel-plans.ts';
import { coinsOn, outcomeOf, reportOf, sendOn, tally } from '../support/channel-sends.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { queuedMessage } from '../support/ids.ts';
import { checkMoney } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const OPENING = 10_000;
const CONCURRENCY = 200;
const DAY_MS = 24 * 3600 * 1000;
const UNKNOWN: ProviderAnswer = { kind: 'unknown', detail: 'no answer within 10 s' };

const world = await use(startWorld('live'));
afterEach(world.reset);

// A push is an attempt of each of its devices: test/push and test/faults/push.test.ts.
describe.each(CHANNELS.filter((each) => !channelOf(each).fansOut))('a send on %s', async (channel) => {
  const answers = answersOn(channel);
  const endings = endingsOn(channel);
  const price = await coinsOn(world, channel);

  const send = (actor: Actor, key = 'key', text?: string) => sendOn(channel)(world, actor, key, text);
  const money = ({ organizationId }: Actor, quiet = true) => checkMoney(world.table, organizationId, { quiet });
  /** Recovers the messages after a time, past their deadlines where none is given, as the dispatcher would. */
  const recover = async (actor: Actor, laterMs = 31_000) => {
    world.now += laterMs;
    for (const { id } of (await money(actor, false)).messages) await recoverSend(world.ports, id);
  };
  const recoverAll = async (actor: Actor) => {
    do await recover(actor);
    while ((await money(actor, false)).held > 0);
  };
  const charged = async (actor: Actor, times: number, opening = OPENING) =>
    expect((await money(actor)).balance).toBe(opening - times * price);
  const ends = async (actor: Actor, { charged: times, message, again }: Ending) => {
    const { balance, messages, entries } = await money(actor);
    expect({ balance, messages }).toMatchObject({ balance: OPENING - times * price, messages: [message] });
    expect(entries.filter(({ kind }) => kind === 'release')).toHaveLength(1 - times);
    const before = world.provider.dispatched.length;
    expect(await send(actor)).toMatchObject(again);
    expect(world.provider.dispatched.length - before).toBe(message.reason === 'abandoned' ? 1 : 0);
  };
  /** The provider's receipt of the one message, where the channel has receipts. */
  const prove = async () => {
    const messageId = parseId('message', world.provider.dispatched[0]?.messageId);
    const [report] = proofOn(channel) === 'receipt' ? reportsOf(channel) : [];
    if (report) await world.ports.addPendingReceipt(queuedMessage(messageId), reportOf(messageId, report), world.now);
  };
  /** A send whose provider has not answered yet. */
  const underWay = async () => {
    const actor = await world.organization(OPENING);
    const answer = world.provider.hold();
    const sending = send(actor);
    await expect.poll(() => world.provider.dispatched.length, PATIENCE).toBe(1);
    return { actor, answer, sending };
  };

  test(`with one key ${CONCURRENCY} times concurrently reaches the provider once; the others are replays or 409`, async () => {
    const actor = await world.organization(1_000_000);
    const outcomes = await Promise.all(Array.from({ length: CONCURRENCY }, () => outcomeOf(send(actor, 'one-key'))));
    expect(world.provider.dispatched).toHaveLength(1);
    expect(Object.keys(tally(outcomes)).filter((name) => name !== 'sent' && name !== 'CONFLICT')).toEqual([]);
    const again = await send(actor, 'one-key');
    expect(again).toMatchObject({ replayed: true, status: 'sent', id: world.provider.dispatched[0]?.messageId });
    await charged(actor, 1, 1_000_000);
  });

  test('with a key in flight and another body is a conflict; a repeat waits as long as the send has run, 1 to 10 s', async () => {
    const { actor, answer, sending } = await underWay();
    expect(await send(actor, 'key', 'Outro texto')).toMatchObject({ name: 'CONFLICT', details: {} });
    for (const [elapsedMs, seconds] of [
      [0, 1],
      [1_900, 2],
      [1_500, 4],
      [9_000, 10],
    ] as const) {
      world.now += elapsedMs;
      expect(await send(actor)).toMatchObject(answers.underWay(seconds));
    }
    answer();
    expect(await sending).toMatchObject({ replayed: false });
    await charged(actor, 1);
  });

  test('with a key of more than 24 hours ago is a new send, though the old row still exists', async () => {
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

  test(`${CONCURRENCY} times concurrently for the last coins is accepted once, and the others are refused for lack of funds`, async () => {
    const actor = await world.organization(price);
    const outcomes = await Promise.all(
      Array.from({ length: CONCURRENCY }, (_, at) => outcomeOf(send(actor, `key-${at}`))),
    );
    expect(tally(outcomes)).toEqual({ PAYMENT_REQUIRED: CONCURRENCY - 1, sent: 1 });
    await charged(actor, 1, price);
  });

  test('that crashed before the provider was called is refunded once; its key is free where that is certain', async () => {
    const { actor } = await underWay();
    await recover(actor, 29_999);
    expect((await money(actor, false)).held).toBe(price);
    await recover(actor, 1);
    await recoverAll(actor);
    await ends(actor, endings.notAccepted);
  });

  test('that crashed after the provider accepted is settled by what proves it: at most one debit, no second send', async () => {
    const { actor } = await underWay();
    world.provider.accepted.add(world.provider.dispatched[0]?.messageId ?? '');
    await prove();
    await recoverAll(actor);
    await ends(actor, endings.accepted);
    expect(world.provider.dispatched).toHaveLength(1);
  });

  // The first attempt may find another wallet than it last saw; then come the reservation and the settlement.
  test.each([0, 1, 2])(
    'whose commit %i succeeds although the response is lost ends as if it had arrived',
    async (which) => {
      const actor = await world.organization(OPENING);
      world.proxy.plan(onTransactions(FAULTS.loseAnswer, { first: which, last: which }));
      expect(await send(actor)).toMatchObject({ replayed: false, status: 'sent' });
      await charged(actor, 1);
      expect(world.provider.dispatched).toHaveLength(1);
    },
  );

  test.each([
    ['a conflict', FAULTS.conflict(5)],
    ['a throttle', FAULTS.throttle],
    ['a request throttle', FAULTS.throttleRequest],
    ['an internal error', FAULTS.internal],
    ['a dropped connection', FAULTS.drop],
  ])('that encounters %s once succeeds; one that always does is 503 and leaves no partial state', async (_, fault) => {
    const actor = await world.organization(OPENING);
    world.proxy.plan(onTransactions(fault, { last: 0 }));
    expect(await send(actor)).toMatchObject({ status: 'sent' });
    world.proxy.plan(onTransactions(fault));
    await expect(send(actor, 'other')).rejects.toThrow(Unavailable);
    world.proxy.plan(undefined);
    await charged(actor, 1);
    expect(await send(actor, 'other')).toMatchObject({ replayed: false });
    expect(world.provider.dispatched).toHaveLength(2);
  });

  test('whose settlement the table keeps refusing is 503, is sent once, and is charged at most once when it is recovered', async () => {
    const actor = await world.organization(OPENING);
    world.proxy.plan(({ action, body }) =>
      action === 'TransactWriteItems' && body.includes('captured') ? FAULTS.internal : undefined,
    );
    await expect(send(actor)).rejects.toThrow(Unavailable);
    expect(await send(actor)).toMatchObject(answers.underWay(1));
    world.proxy.plan(undefined);
    await prove();
    await recoverAll(actor);
    await ends(actor, endings.accepted);
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test('without a certain answer is never sent again automatically: it is charged by proof, else refunded once', async () => {
    const actor = await world.organization(OPENING);
    world.provider.script = [UNKNOWN];
    expect(await send(actor)).toMatchObject(answers.uncertain);
    expect(await send(actor)).toMatchObject(answers.underWay(1));
    await recover(actor, 5_000);
    await recoverAll(actor);
    expect(world.provider.dispatched).toHaveLength(1);
    await ends(actor, endings.notAccepted);
  });

  test('without a certain answer and a status query waits for a receipt, then ends indeterminate and is refunded once', async () => {
    const actor = await world.organization(OPENING);
    world.provider.hasStatusQuery = false;
    world.provider.script = [UNKNOWN];
    await send(actor);
    await recover(actor, 5_000);
    expect((await money(actor, false)).held).toBe(price);
    for (let turn = 0; turn < 6; turn++) await recover(actor, 15_000);
    expect(await money(actor)).toMatchObject({
      balance: OPENING,
      messages: [{ status: 'failed', reason: 'indeterminate' }],
    });
    expect(await send(actor)).toMatchObject(answers.indeterminate);
    expect(world.provider.dispatched).toHaveLength(1);
  });

  test('without a certain answer is not charged where the only receipt reports the refusal', async () => {
    const actor = await world.organization(OPENING);
    world.provider.script = [UNKNOWN];
    world.provider.hasStatusQuery = proofOn(channel) === 'status_query';
    await send(actor);
    const messageId = parseId('message', world.provider.dispatched[0]?.messageId);
    const report = reportOf(messageId, 'failed', { refused: true });
    const { fingerprint } = await world.ports.addPendingReceipt(queuedMessage(messageId), report, world.now);
    await recoverAll(actor);
    await applyReceipt(world.ports, messageId, fingerprint);
    expect(await money(actor)).toMatchObject({ balance: OPENING, messages: [{ status: 'failed', hold: 'released' }] });
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
    'that the provider refuses (%s) is %s, is readable as failed and costs nothing; its key is free if that was the answer',
    async (cause, name, retryAfterSeconds) => {
      const actor = await world.organization(OPENING);
      world.provider.script = [
        { kind: 'refused', cause, detail: 'E1', ...(cause === 'throttled' ? { retryAfterSeconds: 6.2 } : {}) },
      ];
      const refusal = (await send(actor)) as Partial<Refusal>;
      const { balance, messages } = await money(actor);
      expect({ balance, messages }).toMatchObject({ balance: OPENING, messages: [{ status: 'failed' }] });
      expect(refusal).toMatchObject(answers.refused(name, messages[0]?.id));
      expect(refusal.details?.retryAfterSeconds).toBe(answers.retryAfterSeconds(retryAfterSeconds));
      expect(messages[0]?.reason).toBe(channelOf(channel).reasonOf[cause]);
      expect(await send(actor)).toMatchObject(answers.afterRefusal);
    },
  );

  test('whose worker pauses past its deadline is resolved once: the fence keeps the worker from writing', async () => {
    const { actor, answer, sending } = await underWay();
    await recover(actor);
    answer();
    expect(await sending).toMatchObject(answers.overtaken);
    await recoverAll(actor);
    await ends(actor, endings.notAccepted);
  });

  test('with no provider set up is a 502 that names what is missing, and costs nothing', async () => {
    const actor = await world.organization(OPENING);
    world.candidates = () => ({ kind: 'none', missing: `no provider of ${channel} is set up` });
    const refusal = (await send(actor)) as Refusal;
    expect(refusal.name).toBe('DEPENDENCY_FAILED');
    expect(refusal.details.detail).toContain(`no provider of ${channel} is set up`);
    await charged(actor, 0);
  });
});
