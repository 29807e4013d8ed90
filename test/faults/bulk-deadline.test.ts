import { beforeEach, describe, expect, test } from 'vitest';
import { BULK_MODES } from '../../shared/domain/bulk/accept.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { findReplay } from '../../shared/domain/sending/idempotency.ts';
import { accepted } from '../support/accepted.ts';
import { keyed, many, useBulk } from '../support/bulk-world.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';

/** More than one chunk. */
const COUNT = 150;
/** Longer than a request reserves messages, and longer than it may take as a whole, in ms. */
const SLOW_MS = 20_000;
const TOO_SLOW_MS = 30_000;
const OPENING = 1_000_000;

const { world, bulk } = await useBulk();
beforeEach(() => {
  world.reset();
  world.proxy.plan(undefined);
});

/** The first transactions take too long, or all of them. */
const slow = (transactions = Number.POSITIVE_INFINITY, ms = SLOW_MS) => {
  let left = transactions;
  world.proxy.plan((call) => {
    if (call.action === 'TransactWriteItems' && left-- > 0) world.now += ms;
    return undefined;
  });
};

/** The response to a single send with the key and the body of the batch's first message. */
const singleSend = async ({ organizationId }: Actor) => {
  const [{ idempotencyKey = '' } = {}] = keyed(1);
  const record = await world.ports.idempotencyRecord(organizationId, idempotencyKey, world.now);
  return record && findReplay(world.ports, record, record);
};

describe.each(BULK_MODES)('a bulk send that runs out of its time, %s', { timeout: 180_000 }, (mode) => {
  test('is refused as a whole with 503: when it is answered nothing is held, and nothing is sent afterwards', async () => {
    const actor = await world.organization(OPENING);
    slow(1);
    expect(await bulk.send(actor, keyed(COUNT), mode)).toMatchObject({
      name: 'SERVICE_UNAVAILABLE',
      details: { retryAfterSeconds: expect.any(Number) },
    });
    world.proxy.plan(undefined);
    const { balance, held, messages } = await bulk.money(actor);
    expect({ balance, held }).toEqual({ balance: OPENING, held: 0 });
    expect(messages.filter(({ hold }) => hold !== 'released')).toEqual([]);
    await bulk.settle();
    expect(world.provider.dispatched).toEqual([]);
  });

  test('frees its keys: a repeat is accepted as a whole and sends each message once', async () => {
    const actor = await world.organization(OPENING);
    slow(1);
    await bulk.send(actor, keyed(COUNT), mode);
    world.proxy.plan(undefined);
    expect(await bulk.send(actor, keyed(COUNT), mode)).toMatchObject({ accepted: COUNT, rejected: 0 });
    await bulk.settle();
    await bulk.sentOnce(actor, COUNT);
  });

  test('is rolled back in exactly two transactions for each that reserved it', async () => {
    const actor = await world.organization(OPENING);
    let reserved = 0;
    let transactions = 0;
    world.proxy.plan(({ action }) => {
      if (action === 'TransactWriteItems') transactions++;
      return undefined;
    });
    await bulk.send(actor, keyed(COUNT), mode, {
      decideBatch: async (batch, others) => {
        reserved = transactions;
        await bulk.store.decideBatch({ ...batch, state: 'rejected' }, others);
        return false;
      },
    });
    expect(reserved).toBeGreaterThan(2);
    expect(transactions - reserved).toBe(2 * reserved);
  });

  test('leaves to the queue what it has no time to undo; those keys are refused until then, never counted as accepted', async () => {
    const actor = await world.organization(OPENING);
    slow(1, TOO_SLOW_MS);
    expect(await bulk.send(actor, keyed(COUNT), mode)).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    world.proxy.plan(undefined);
    expect((await bulk.money(actor, false)).held).toBeGreaterThan(0);
    expect(await singleSend(actor)).toMatchObject({ name: 'CONFLICT', details: { meta: { code: 'EM_ANDAMENTO' } } });
    const meanwhile = accepted(await bulk.send(actor, keyed(3)));
    expect(meanwhile).toMatchObject({ accepted: 0, rejected: 3 });
    expect(new Set(meanwhile.errors.map(({ code }) => code))).toEqual(new Set(['conflict']));
    await bulk.work();
    expect(await bulk.money(actor)).toMatchObject({ balance: OPENING, held: 0 });
    expect(world.provider.dispatched).toEqual([]);
    expect(await bulk.send(actor, keyed(COUNT), mode)).toMatchObject({ accepted: COUNT, rejected: 0 });
    expect(await singleSend(actor)).toMatchObject({ replayed: true });
    await bulk.settle();
    await bulk.sentOnce(actor, COUNT);
  });

  test('is accepted anyway if it fits one transaction, so that small batches succeed however slow', async () => {
    const actor = await world.organization(OPENING);
    slow();
    const answer = await bulk.send(
      actor,
      keyed(40),
      mode,
      {},
      {
        consentFaults: async (tenant, plans) => {
          world.now += SLOW_MS;
          return bulk.ports.consentFaults(tenant, plans);
        },
      },
    );
    expect(answer).toMatchObject({ accepted: 40, rejected: 0 });
    world.proxy.plan(undefined);
    await bulk.settle();
    await bulk.sentOnce(actor, 40);
  });
});

describe('a permissive bulk send', { timeout: 180_000 }, () => {
  test('lets no message leave before all of its messages are decided', async () => {
    const actor = await world.organization(OPENING);
    const early: number[] = [];
    const look = async () => {
      await bulk.work();
      early.push(world.provider.dispatched.length);
    };
    const answer = await bulk.send(actor, many(250), 'permissive', {
      reserveChunk: async (reservation) => {
        await look();
        return bulk.store.reserveChunk(reservation);
      },
      decideBatch: async (batch, others) => {
        await look();
        return bulk.store.decideBatch(batch, others);
      },
    });
    expect(accepted(answer)).toMatchObject({ accepted: 250 });
    expect(new Set(early)).toEqual(new Set([0]));
    await bulk.settle();
    await bulk.sentOnce(actor, 250);
  });

  test.each([
    ['at its first chunk', 0],
    ['at a later chunk', 1],
  ])('whose store is unavailable %s is refused as a whole, and holds nothing', async (_, first) => {
    const actor = await world.organization(OPENING);
    world.proxy.plan(onTransactions(FAULTS.drop, { first, last: first + 4 }));
    expect(await bulk.send(actor, keyed(COUNT))).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    world.proxy.plan(undefined);
    expect(await bulk.money(actor)).toMatchObject({ balance: OPENING, held: 0 });
    expect(accepted(await bulk.send(actor, keyed(COUNT)))).toMatchObject({ accepted: COUNT, rejected: 0 });
    await bulk.settle();
    await bulk.sentOnce(actor, COUNT);
  });

  test('whose volume cannot be read at a later chunk is refused as a whole, and holds nothing', async () => {
    const actor = await world.organization(OPENING);
    let reads = 0;
    const answer = await bulk.send(
      actor,
      keyed(COUNT),
      'permissive',
      {},
      {
        volume: async (...requested) => {
          if (++reads > 2) throw new Unavailable('no answer');
          return bulk.ports.volume(...requested);
        },
      },
    );
    expect(answer).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    expect(await bulk.money(actor)).toMatchObject({ balance: OPENING, held: 0 });
  });

  test('keeps the refusals of single messages in its answer: the opted-out, the priced out, the unpaid', async () => {
    const actor = await world.organization(100 * 800);
    const messages = many(COUNT, (at) => (at === 7 ? { maxCoins: 1 } : {}));
    const { errors, ...answer } = accepted(await bulk.send(actor, messages));
    expect(answer).toMatchObject({ total: COUNT, accepted: 100, rejected: COUNT - 100 });
    expect(errors[0]).toMatchObject({ index: 7, code: 'precondition_failed' });
    expect(new Set(errors.slice(1).map(({ code }) => code))).toEqual(new Set(['insufficient_funds']));
    await bulk.settle();
    await bulk.sentOnce(actor, 100);
  });
});
