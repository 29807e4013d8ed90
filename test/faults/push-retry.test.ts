import { beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { sendPush } from '../../shared/domain/push-messages/create.ts';
import type { CreatePushPorts } from '../../shared/domain/push-messages/ports.ts';
import { messageIdOf, type PushWorld, reachable, usePush } from '../push/world.ts';
import { FAULTS, type ProxiedCall } from '../support/fault-proxy.ts';

const EACH = 10;
const OPENING = 1_000_000;
const DEVICES = 40;

const { world, push } = await usePush();
beforeEach(() => {
  world.now += 3_600_000;
});

/** The same request now creates the message, once; its devices are sent to and billed once. */
const expectCreated = async (actor: Parameters<PushWorld['post']>[0], ids: readonly string[]): Promise<void> => {
  const answer = await push.post(actor, 'key');
  expect(answer).toMatchObject({ replayed: false, metrics: { reach: DEVICES } });
  await push.drain();
  const dispatches = await push.dispatchesOf(messageIdOf(answer));
  expect(dispatches.map(({ tokenId }) => tokenId).sort()).toEqual([...ids].sort());
  expect(push.transport.sent).toHaveLength(DEVICES);
  await push.checkLedger(actor, DEVICES * EACH, OPENING);
};

describe('a push message that failed because of our own fault (503) can be created by the same request immediately', () => {
  test.each([
    ['the devices are read', ({ action, body }: ProxiedCall) => action === 'Query' && body.includes('PTOKS#')],
    [
      'the rows are written',
      ({ action, body }: ProxiedCall) => action === 'TransactWriteItems' && body.includes('PDSP#'),
    ],
    ['it is committed', ({ action, body }: ProxiedCall) => action === 'TransactWriteItems' && body.includes('IDEM#')],
    [
      'the balance is read',
      ({ action, body }: ProxiedCall) => action !== 'TransactWriteItems' && body.includes('WALLET#'),
    ],
    ['the apps are read', ({ action, body }: ProxiedCall) => action === 'Query' && body.includes('PAPPS#')],
  ])('when %s', async (_, matches) => {
    const { actor, ids } = await push.organization(OPENING, reachable(DEVICES));
    let met = 0;
    world.proxy.plan((call) => (matches(call) && ++met > 0 ? FAULTS.drop : undefined));
    await expect(push.post(actor, 'key')).rejects.toThrow(Unavailable);
    expect(met).toBeGreaterThan(0);
    world.proxy.plan(undefined);
    await push.checkLedger(actor, 0, OPENING);
    await expectCreated(actor, ids);
  });

  test('when its price is read', async () => {
    const { actor, ids } = await push.organization(OPENING, reachable(DEVICES));
    const prices = () => Promise.reject(new Unavailable('The prices could not be read.'));
    const unpriced: CreatePushPorts = { ...push.create, prices };
    const request = { title: 'Oi', body: 'Oi', platforms: ['ios'] } as const;
    await expect(sendPush(unpriced, actor, 'key', request)).rejects.toThrow(Unavailable);
    await expectCreated(actor, ids);
  });
});

test('a commit that succeeded but whose answer was lost is replayed by the same request', async () => {
  const { actor } = await push.organization(OPENING, reachable(DEVICES));
  const { creation } = push.create;
  const commit: typeof creation.commit = async (...given) => {
    await creation.commit(...given);
    throw new Unavailable('The answer never came.');
  };
  const request = { title: 'Oi', body: 'Oi', platforms: ['ios'] } as const;
  const lost = sendPush({ ...push.create, creation: { ...creation, commit } }, actor, 'key', request);
  await expect(lost).rejects.toThrow(Unavailable);
  const answer = await push.post(actor, 'key');
  expect(answer).toMatchObject({ replayed: true, metrics: { reach: DEVICES } });
  await push.rescheduleDrain(messageIdOf(answer));
  expect(push.transport.sent).toHaveLength(DEVICES);
  await push.checkLedger(actor, DEVICES * EACH, OPENING);
});

describe('a key’s claim whose answer is lost is known by its repeat', () => {
  const losesClaims = (count: number) => {
    let claims = 0;
    world.proxy.plan(({ action, body }) =>
      action === 'PutItem' && body.includes('IDEM#') && claims++ < count ? FAULTS.loseAnswer : undefined,
    );
    return () => claims;
  };

  test('and its message is created, once', async () => {
    const { actor, ids } = await push.organization(OPENING, reachable(DEVICES));
    const claims = losesClaims(1);
    await expectCreated(actor, ids);
    expect(claims()).toBeGreaterThan(1);
    world.proxy.plan(undefined);
  });

  test('and of two requests for one key that claim at once, one creates it, also if the answers of both are lost', async () => {
    const { actor, ids } = await push.organization(OPENING, reachable(DEVICES));
    losesClaims(2);
    const ends = await Promise.allSettled([push.post(actor, 'key'), push.post(actor, 'key')]);
    world.proxy.plan(undefined);
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    await push.drain();
    expect(push.transport.sent).toHaveLength(ids.length);
    await push.checkLedger(actor, DEVICES * EACH, OPENING);
  });
});
