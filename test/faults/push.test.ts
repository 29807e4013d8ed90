import { beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import type { PushRequest } from '../../shared/domain/push-messages/audience-message.ts';
import { sendPush } from '../../shared/domain/push-messages/create.ts';
import { PUSH_SHARDS } from '../../shared/storage/table-indexes.ts';
import { messageIdOf, reachable, usePush } from '../push/world.ts';
import { operatorAct } from '../support/audit.ts';
import { FAULTS, type FaultPlan } from '../support/fault-proxy.ts';

const EACH = 10;
const OPENING = 1_000_000;
const request: PushRequest = { title: 'Oi', body: 'Oi', platforms: ['ios'] };

const { world, push } = await usePush();
beforeEach(() => {
  world.now += 3_600_000;
});

/** From the `first` on, every write of these actions meets this fault. */
const breakingFrom = (
  actions: readonly string[],
  first: number,
  fault: (typeof FAULTS)['drop' | 'loseAnswer'],
): FaultPlan => {
  let seen = 0;
  return ({ action, body }) => {
    if (!actions.includes(action) || !/PDSP#|PSH#|IDEM#/.test(body)) return undefined;
    return seen++ >= first ? fault : undefined;
  };
};
const tokensSent = () => push.transport.sent.map(({ device }) => device.token);
type Actor = Parameters<typeof push.post>[0];
/** So many devices were sent to, each once, and so many of them are billed. */
const expectSent = async (actor: Actor, sent: number, billed = sent): Promise<void> => {
  expect(push.transport.sent).toHaveLength(sent);
  expect(new Set(tokensSent()).size).toBe(sent);
  await push.checkLedger(actor, billed * EACH, OPENING);
};
/** Works off what is due: each of these devices has one dispatch and was sent to once. */
const expectAllSent = async (
  actor: Actor,
  id: ReturnType<typeof messageIdOf>,
  ids: readonly string[],
): Promise<void> => {
  await push.drain();
  const dispatches = await push.dispatchesOf(id);
  expect(dispatches.map(({ tokenId }) => tokenId).sort()).toEqual([...ids].sort());
  await expectSent(actor, ids.length);
};
const refusalOf = (answer: unknown) =>
  answer as { readonly name?: string; readonly details?: { readonly meta?: object } };

describe('a push message whose process ends while it creates it', () => {
  // 300 devices are in all 16 shards, a chunk in each, which is one write; the last write is the message's. With 1,800 devices a chunk
  // takes more than one write: some devices of a chunk are written without it.
  test.each([
    [0, 300],
    [1, 300],
    [7, 300],
    [16, 300],
    [9, 1_800],
  ])(
    'after %i writes is not visible, and the repeated request queues each of %i devices once',
    async (place, devices) => {
      const { actor, ids } = await push.organization(OPENING, reachable(devices));
      world.proxy.plan(
        breakingFrom(['BatchWriteItem', 'PutItem', 'UpdateItem', 'TransactWriteItems'], place + 1, FAULTS.drop),
      );
      await expect(push.post(actor, 'key')).rejects.toThrow(Unavailable);
      world.proxy.plan(undefined);
      expect(push.workItems).toEqual([]);
      await push.checkLedger(actor, 0, OPENING);
      // The first attempt keeps the key for as long as it may still be at work.
      expect(refusalOf(await push.post(actor, 'key'))).toMatchObject({ name: 'CONFLICT' });
      world.now += 60_000;
      const id = messageIdOf(await push.post(actor, 'key'));
      await expectAllSent(actor, id, ids);
      expect(await push.post(actor, 'key')).toMatchObject({
        id,
        replayed: true,
        metrics: { reach: devices, delivered: 0 },
      });
    },
    60_000,
  );

  test('is one message also when the answer to the commit is lost', async () => {
    const { actor } = await push.organization(OPENING, reachable(40));
    let lost = 0;
    world.proxy.plan(({ action, body }) =>
      action === 'TransactWriteItems' && body.includes('IDEM#') && lost++ === 0 ? FAULTS.loseAnswer : undefined,
    );
    const id = messageIdOf(await push.post(actor, 'key'));
    expect(lost).toBeGreaterThan(1);
    await push.drain();
    expect(messageIdOf(await push.post(actor, 'key'))).toBe(id);
    await expectSent(actor, 40);
  });

  test('at its time limit answers 503 with Retry-After, and the same request resumes from what was written', async () => {
    const { actor, ids } = await push.organization(OPENING, reachable(300));
    const { creation } = push.create;
    let written = 0;
    const putChunk: typeof creation.putChunk = async (...given) => {
      // Every fifth chunk takes until the attempt's time is over.
      if (++written % 5 === 0) world.now += 20_000;
      return creation.putChunk(...given);
    };
    const attempt = () => sendPush({ ...push.create, creation: { ...creation, putChunk } }, actor, 'key', request);
    const answers = [await attempt()];
    for (; answers.length < PUSH_SHARDS && !('id' in (answers.at(-1) ?? {})); ) answers.push(await attempt());
    const refused = answers.slice(0, -1);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused)
      expect(answer).toMatchObject({ name: 'SERVICE_UNAVAILABLE', details: { retryAfterSeconds: 1 } });
    // A chunk of each shard, each written once: every attempt resumed.
    expect(written).toBe(PUSH_SHARDS);
    await expectAllSent(actor, messageIdOf(answers.at(-1)), ids);
  });

  test('late, after another attempt claimed the key, adds no device', async () => {
    const { actor, app } = await push.organization(OPENING, reachable(60));
    const { creation } = push.create;
    let overtaken: unknown;
    const slow = {
      ...push.create,
      creation: {
        ...creation,
        commit: async (...given: Parameters<typeof creation.commit>) => {
          // Its time is over before it commits: another attempt creates the message, and devices are new meanwhile.
          world.now += 60_000;
          await push.devices(actor, app, reachable(80));
          overtaken ??= await push.post(actor, 'key');
          return creation.commit(...given);
        },
      },
    };
    const late = await sendPush(slow, actor, 'key', request);
    expect(refusalOf(late)).toMatchObject({ name: 'CONFLICT', details: { meta: { code: 'EM_ANDAMENTO' } } });
    await push.drain();
    const dispatches = await push.dispatchesOf(messageIdOf(overtaken));
    await expectSent(actor, dispatches.length);
  });
});

describe('one Idempotency-Key', () => {
  test('used 20 times concurrently creates one message; the other responses are replays or 409', async () => {
    const { actor } = await push.organization(OPENING, reachable(30));
    const answers = await Promise.all(Array.from({ length: 20 }, () => push.post(actor, 'key')));
    const ids = new Set(answers.flatMap((answer) => ('id' in answer ? [answer.id] : [])));
    expect(ids.size).toBe(1);
    for (const answer of answers)
      if (!('id' in answer))
        expect(refusalOf(answer)).toMatchObject({ name: 'CONFLICT', details: { meta: { code: 'EM_ANDAMENTO' } } });
    await push.drain();
    await expectSent(actor, 30);
  });

  test('used with another body is refused, also while the first request is under way', async () => {
    const { actor } = await push.organization(OPENING, reachable(5));
    const [first, other] = await Promise.all([push.post(actor, 'key'), push.post(actor, 'key', { title: 'Outro' })]);
    expect([first, other].filter((answer) => 'id' in answer)).toHaveLength(1);
    expect(refusalOf(await push.post(actor, 'key', { body: 'Outro' }))).toMatchObject({ name: 'CONFLICT' });
  });
});

describe('money', () => {
  test('that does not cover every device refuses the message, holds nothing and frees the key', async () => {
    const { actor, app } = await push.organization(95, reachable(10));
    expect(refusalOf(await push.post(actor, 'key'))).toMatchObject({ name: 'PAYMENT_REQUIRED' });
    expect(push.workItems).toEqual([]);
    await push.checkLedger(actor, 0, 95);
    await push.apps.remove(actor.organizationId, app.id, operatorAct(actor.organizationId));
    expect(await push.post(actor, 'key')).toMatchObject({ metrics: { reach: 0 }, replayed: false });
  });

  test('10 concurrent sends that want the last coins accept as many as they cover', async () => {
    const { actor } = await push.organization(4 * 5 * EACH, reachable(5));
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => push.post(actor, `key-${at}`)));
    expect(answers.filter((answer) => 'id' in answer)).toHaveLength(4);
    await push.drain();
    await push.checkLedger(actor, 4 * 5 * EACH, 4 * 5 * EACH);
  });

  test('is charged for accepted devices only, and refunded for the rest, whatever repeats', async () => {
    const { actor } = await push.organization(OPENING, [...reachable(60), ...Array.from({ length: 40 }, () => '0006')]);
    const id = messageIdOf(await push.post(actor, 'key'));
    const workItems = [...push.workItems];
    await push.drain();
    for (const item of workItems) await push.work(item);
    await push.rescheduleDrain(id);
    await expectSent(actor, 100, 60);
  });
});

describe('a sender that ends in the middle of a chunk', () => {
  test('leaves the devices that it had claimed unpaid and never sent again, and the rest is sent once', async () => {
    const { actor } = await push.organization(OPENING, reachable(2_400));
    const id = messageIdOf(await push.post(actor, 'key'));
    let calls = 0;
    // Its settlement never arrives, as if the process were gone.
    world.proxy.plan(({ action, body }) =>
      action === 'TransactWriteItems' && body.includes('PDSP#') && calls++ < 5 ? FAULTS.drop : undefined,
    );
    const [message] = push.workItems.splice(0);
    if (!message) throw new Error('nothing is due');
    await push.work(message);
    const [chunk, ...others] = push.workItems.splice(0);
    if (!chunk) throw new Error('no chunk is due');
    await expect(push.work(chunk)).rejects.toThrow(Unavailable);
    const handedOver = push.transport.sent.length;
    expect(handedOver).toBeGreaterThan(0);
    world.proxy.plan(undefined);
    for (const other of others) await push.work(other);
    await push.rescheduleDrain(id);
    const dispatches = await push.dispatchesOf(id);
    const lost = dispatches.filter(({ reason }) => reason === 'indeterminate');
    expect(lost).toHaveLength(handedOver);
    expect(dispatches.filter(({ status }) => status === 'delivered')).toHaveLength(2_400 - handedOver);
    await expectSent(actor, 2_400, 2_400 - handedOver);
  }, 180_000);

  test('because its time is over enqueues the rest, and each device is sent once', async () => {
    const { actor } = await push.organization(OPENING, reachable(1_000));
    messageIdOf(await push.post(actor, 'key'));
    push.transport.script = (_, nth) => {
      if (nth === 0) world.now += 18_000;
      return undefined;
    };
    await push.drain();
    await expectSent(actor, 1_000);
  }, 180_000);

  test('and writes after another sender claimed the chunk changes nothing', async () => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const id = messageIdOf(await push.post(actor, 'key'));
    push.transport.script = async () => {
      push.transport.script = () => undefined;
      // It pauses here, beyond its lease; another sender resolves what it had claimed.
      await push.rescheduleDrain(id);
      return undefined;
    };
    await push.drain();
    expect(await push.dispatchesOf(id)).toMatchObject([{ status: 'failed', reason: 'indeterminate' }]);
    await expectSent(actor, 1, 0);
  });
});

describe('a push service', () => {
  test('that is busy is called again later, and each device is billed once', async () => {
    const { actor } = await push.organization(OPENING, reachable(30));
    push.transport.script = (_, nth) =>
      nth < 20 ? { kind: 'refused', cause: 'throttled', detail: 'busy', retryAfterSeconds: 40 } : undefined;
    const id = messageIdOf(await push.post(actor, 'key'));
    const before = world.now;
    await push.drain();
    expect(world.now - before).toBeGreaterThanOrEqual(40_000);
    expect(push.transport.sent).toHaveLength(50);
    expect(new Set(tokensSent()).size).toBe(30);
    expect(await push.send.sender.message(id)).toMatchObject({ status: 'sent' });
    await push.checkLedger(actor, 30 * EACH, OPENING);
  });

  test('that stays busy fails its devices after four attempts, unbilled', async () => {
    const { actor } = await push.organization(OPENING, reachable(3));
    push.transport.script = () => ({ kind: 'refused', cause: 'unavailable', detail: 'down' });
    const id = messageIdOf(await push.post(actor, 'key'));
    await push.drain();
    expect(push.transport.sent).toHaveLength(12);
    expect(await push.send.sender.message(id)).toMatchObject({ status: 'failed' });
    await push.checkLedger(actor, 0, OPENING);
  });

  test('whose answer is uncertain is not called again: the device failed, unbilled', async () => {
    const { actor } = await push.organization(OPENING, reachable(4));
    push.transport.script = (_, nth) => (nth === 0 ? { kind: 'unknown', detail: 'time-out' } : undefined);
    const id = messageIdOf(await push.post(actor, 'key'));
    await push.drain();
    expect((await push.dispatchesOf(id)).filter(({ reason }) => reason === 'indeterminate')).toHaveLength(1);
    await expectSent(actor, 4, 3);
  });
});

test('a push message that waits in its queue heeds a token that is retired and quiet hours that begin meanwhile', async () => {
  const { actor, ids } = await push.organization(OPENING, reachable(3));
  const id = messageIdOf(await push.post(actor, 'key'));
  await push.send.retire(actor.organizationId, ids.slice(0, 1), world.now);
  const until = world.now + 8 * 3_600_000;
  push.quiet.until = until;
  await push.drain();
  expect(world.now).toBeGreaterThanOrEqual(until);
  expect(await push.send.sender.message(id)).toMatchObject({ status: 'sent', quietDeferredTo: until });
  await expectSent(actor, 2);
});
