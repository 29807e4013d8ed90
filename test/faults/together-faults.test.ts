import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { Reservation } from '../../shared/domain/sending/message-store.ts';
import { eventsOfStatus } from '../../shared/domain/tracking/events.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { mayJoin } from '../../shared/storage/messages/reserve-batch.ts';
import { listShardOf } from '../../shared/storage/table-indexes.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { counted, gatheringPorts, recordsOf, type Sending, sendConcurrently, submitAt, times } from './together-kit.ts';

const PRICE = 100;
const MANY = 12;

const world = await use(startWorld('live'));
const ports = gatheringPorts(world);
beforeEach(() => {
  world.reset();
  world.prices = premiumPrices([null, PRICE]);
});

const send = (actor: Actor, all: readonly Sending[]) => sendConcurrently(ports, actor, all);
const sendMany = (actor: Actor) =>
  send(
    actor,
    times(MANY, () => ({})),
  );
const check = ({ organizationId }: Actor) => checkMoney(world.table, organizationId, { quiet: true });

describe('the result of one of them', () => {
  test('is its own: that its hold was released meanwhile does not keep the others from being captured', async () => {
    const actor = await world.organization(10_000);
    let late: string | undefined;
    // All are settled at the same moment, after that.
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    world.provider.script = times(MANY, (at) => async ({ messageId }) => {
      if (at === 3) {
        late = messageId;
        await world.table.write({ update: KEYS.message(messageId), set: { fence: 2 } });
        release();
      }
      await isReleased;
      return { kind: 'accepted', providerMessageId: `p-${messageId}` };
    });
    expect(counted(await sendMany(actor))).toEqual({ [PRICE]: MANY - 1, DEPENDENCY_FAILED: 1 });
    const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
    for (const { id, hold } of messages) expect(hold).toBe(id === late ? 'open' : 'captured');
  });

  test.each([
    ['whose answer was lost', FAULTS.loseAnswer, { first: 0, last: 0 }],
    ['of which every other answer is lost', FAULTS.loseAnswer, { last: 8, every: 2 }],
    ['that the table throttles', FAULTS.throttle, { first: 0, last: 2 }],
    ['that the table did not take five times', FAULTS.drop, { first: 0, last: 5 }],
    ['by which they are captured and that the table did not take five times', FAULTS.drop, { first: 1, last: 5 }],
    ['that meets others', FAULTS.conflict(MANY * 4 + 1), { first: 0, last: 3 }],
  ] as const)('in a transaction %s is decided once, as alone', async (_, fault, when) => {
    const actor = await world.organization(1_000_000);
    // Of a wallet that was seen the first attempt succeeds: it is committed, whatever becomes of its answer.
    expect(await send(actor, [{}])).toEqual([PRICE]);
    world.proxy.plan(onTransactions(fault, when));
    expect(await sendMany(actor)).toEqual(times(MANY, () => PRICE));
    world.proxy.plan(undefined);
    const { messages, balance } = await check(actor);
    expect([messages.length, balance]).toEqual([MANY + 1, 1_000_000 - (MANY + 1) * PRICE]);
    expect(new Set(world.provider.dispatched.map(({ messageId }) => messageId)).size).toBe(MANY + 1);
    expect(world.provider.dispatched).toHaveLength(MANY + 1);
  });
});

describe('messages without a key', () => {
  test.each([
    ['together', () => ports],
    ['alone', () => world.ports],
  ])('are sent once each, %s, and leave no record of a key, though the first answers are lost', async (_, through) => {
    const actor = await world.organization(1_000_000);
    const first = await submitAt(world, through(), actor, MANY);
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 3 }));
    const outcomes = [first, ...(await Promise.all(times(MANY, (at) => submitAt(world, through(), actor, at))))];
    world.proxy.plan(undefined);
    expect(outcomes.map(({ kind }) => kind)).toEqual(times(MANY + 1, () => 'sent'));
    const { messages, balance } = await check(actor);
    expect(balance).toBe(1_000_000 - (MANY + 1) * PRICE);
    expect(messages.map(({ id }) => id).toSorted()).toEqual(
      outcomes.map((one) => (one.kind === 'sent' ? one.messageId : '')).toSorted(),
    );
    expect(await recordsOf(world, actor, messages)).toEqual(times(MANY + 1, () => undefined));
  });
});

describe('a reservation that may join others', () => {
  const reservationOf = async (): Promise<Reservation> => {
    const actor = await world.organization(10_000);
    const requested: Reservation[] = [];
    const reserve: typeof ports.messageStore.reserve = (one) => {
      requested.push(one);
      return world.ports.messageStore.reserve(one);
    };
    await sendConcurrently({ ...ports, messageStore: { ...ports.messageStore, reserve } }, actor, [{}]);
    return requested[0] ?? expect.fail();
  };

  test('is what writes only its own rows: not what replaces, waits with a body, has fallbacks, counts, names a contact or has links', async () => {
    const plain = await reservationOf();
    expect(mayJoin(plain)).toBe(true);
    const more = { original: {}, body: '', fallback: {}, transition: {}, count: {}, links: [{}] };
    for (const [name, value] of Object.entries(more))
      expect(mayJoin({ ...plain, [name]: value } as Reservation), name).toBe(false);
    expect(mayJoin({ ...plain, consent: { ...plain.consent, contactId: newId('contact') } })).toBe(false);
  });
});

describe('a settlement', () => {
  test('that raises an event is stored with it, alone', async () => {
    const actor = await world.organization(10_000);
    const settle: typeof ports.messageStore.settle = (message, settlement) => {
      const events = eventsOfStatus({ ...message, reason: 'expired' }, 'failed', world.now);
      return ports.messageStore.settle(message, { ...settlement, events });
    };
    await sendConcurrently({ ...ports, messageStore: { ...ports.messageStore, settle } }, actor, [{}, {}]);
    expect((await world.raised()).filter(({ type }) => type === 'sms.failed')).toHaveLength(2);
    await check(actor);
  });

  test('that comes after the hour of its message was counted marks that', async () => {
    const actor = await world.organization(10_000);
    let late: { readonly id: Id<'message'>; readonly createdAt: number } | undefined;
    const settle: typeof ports.messageStore.settle = (message, settlement) => {
      late = { ...message, createdAt: message.createdAt - 3 * 3_600_000 };
      return ports.messageStore.settle({ ...message, ...late }, settlement);
    };
    await sendConcurrently({ ...ports, messageStore: { ...ports.messageStore, settle } }, actor, [{}]);
    const { id, createdAt } = late ?? expect.fail();
    const key = KEYS.lateChange(actor.organizationId, 'sms', 'hour', isoTime(createdAt), id, listShardOf(0));
    expect(await world.table.get(key)).toBeDefined();
  });
});
