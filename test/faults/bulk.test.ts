import { beforeEach, describe, expect, test } from 'vitest';
import type { Chunk } from '../../shared/domain/bulk/chunk.ts';
import { settleEscrow } from '../../shared/domain/bulk/escrow.ts';
import { sendChunk } from '../../shared/domain/bulk/send-chunk.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { bandAt, type PriceTable } from '../../shared/domain/pricing/prices.ts';
import { accepted, type BulkWorld, keyed, many, refresh, sentExactly, withBulk } from '../support/bulk-world.ts';
import { FAULTS, type Fault } from '../support/fault-proxy.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import type { World } from '../support/world.ts';

const SMS = 800;
const BANDS: PriceTable = [
  {
    channel: 'sms',
    route: 'premium',
    unit: 'segment',
    bands: [
      { upTo: 60, coins: 800 },
      { upTo: 150, coins: 600 },
      { upTo: null, coins: 500 },
    ],
  },
];

let world: World;
let bulk: BulkWorld;
withBulk((...given) => {
  [world, bulk] = given;
});
beforeEach(() => refresh(world));

const money = (actor: Actor, quiet = true) => checkMoney(world.table, actor.organizationId, { quiet });
const chunksOf = async (batchId: Id<'batch'>): Promise<Chunk[]> => {
  const found: Chunk[] = [];
  for (let number = 0; ; number++) {
    const chunk = await bulk.store.readChunk(batchId, number);
    if (!chunk) return found;
    found.push(chunk);
  }
};
/** The fault meets the transactions from the first to the last of these places. */
const onTransactions = (fault: Fault, first: number, last: number): void => {
  let seen = 0;
  world.proxy.plan(({ action }) => {
    if (action !== 'TransactWriteItems') return undefined;
    const place = seen++;
    return place >= first && place <= last ? fault : undefined;
  });
};
const sentOnce = (actor: Actor, count: number) => sentExactly(world, actor, count);

describe('a chunk', { timeout: 180_000 }, () => {
  test.each([
    ['its answer is lost', FAULTS.loseAnswer, 1],
    ['all of its answers are lost', FAULTS.loseAnswer, 4],
    ['it meets a conflict', FAULTS.conflict(100), 2],
    ['the table is throttled', FAULTS.throttle, 2],
    ['the table fails', FAULTS.internal, 2],
    ['the connection breaks', FAULTS.drop, 2],
  ])('is in once when %s', async (_, fault, last) => {
    const actor = await world.organization(1_000_000);
    onTransactions(fault, 0, last);
    expect(accepted(await bulk.send(actor, keyed(110)))).toMatchObject({ accepted: 110, rejected: 0 });
    world.proxy.plan(undefined);
    await bulk.settle();
    await sentOnce(actor, 110);
  });

  test('that never got in is refused as unavailable, and the others go on', async () => {
    const actor = await world.organization(1_000_000);
    onTransactions(FAULTS.drop, 0, 4);
    const answer = accepted(await bulk.send(actor, keyed(110)));
    expect(new Set(answer.errors.map(({ code }) => code))).toEqual(new Set(['unavailable']));
    expect(answer.accepted + answer.rejected).toBe(110);
    expect(answer.accepted).toBeGreaterThan(0);
    world.proxy.plan(undefined);
    expect(accepted(await bulk.send(actor, keyed(110)))).toMatchObject({ accepted: 110 });
    await bulk.settle();
    await sentOnce(actor, 110);
  });

  test('cut short by a crash converges when the batch is repeated with its keys', async () => {
    for (const after of [0, 1, 2]) {
      const actor = await world.organization(1_000_000);
      world.provider.dispatched.length = 0;
      let left = after;
      const crash = bulk.send(actor, keyed(210), 'permissive', {
        reserveChunk: async (reservation) => {
          if (left-- <= 0) throw new RangeError('the process is gone');
          return bulk.store.reserveChunk(reservation);
        },
      });
      await expect(crash).rejects.toThrow('the process is gone');
      await money(actor, false);
      const again = accepted(await bulk.send(actor, keyed(210)));
      expect(again).toMatchObject({ accepted: 210, rejected: 0 });
      await bulk.settle();
      await sentOnce(actor, 210);
      expect(await messagesOf(world.table, actor.organizationId)).toHaveLength(210);
    }
  });

  test('of two batches with the same keys at the same time is in once', async () => {
    const actor = await world.organization(10_000_000);
    const answers = await Promise.all([1, 2, 3, 4].map(() => bulk.send(actor, keyed(120))));
    for (const answer of answers) expect(accepted(answer)).toMatchObject({ accepted: 120, rejected: 0 });
    await bulk.settle();
    await sentOnce(actor, 120);
  });
});

describe('money', { timeout: 180_000 }, () => {
  test('20 bulks for the last coins take what is there and never more', async () => {
    const covered = 333;
    const actor = await world.organization(covered * SMS + SMS - 1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => bulk.send(actor, many(50))));
    const took = answers.reduce((sum, answer) => sum + accepted(answer).accepted, 0);
    expect(took).toBe(covered);
    const codes = answers.flatMap((answer) => accepted(answer).errors.map(({ code }) => code));
    expect(codes).toHaveLength(20 * 50 - covered);
    expect(new Set(codes)).toEqual(new Set(['insufficient_funds']));
    await bulk.settle();
    await sentOnce(actor, covered);
    expect((await money(actor)).balance).toBe(SMS - 1);
  });

  test('a band edge inside a chunk prices each message at its own position, whatever runs beside it', async () => {
    const before = world.prices;
    world.prices = BANDS;
    const actor = await world.organization(1_000_000);
    const sizes = [37, 50, 64, 29, 11];
    await Promise.all(
      sizes.map((count) =>
        bulk.send(
          actor,
          many(count, (at) => ({ text: 'a'.repeat(at % 3 === 0 ? 200 : 10) })),
        ),
      ),
    );
    const messages = await messagesOf(world.table, actor.organizationId);
    expect(messages).toHaveLength(sizes.reduce((sum, count) => sum + count, 0));
    const units = messages.reduce((sum, message) => sum + message.units, 0);
    expect(units).toBeGreaterThan(150);
    const [row] = BANDS;
    if (!row) throw new Error('there is a row');
    let model = 0;
    for (let position = 1; position <= units; position++) model += bandAt(row, position).coins;
    expect(messages.reduce((sum, { coins }) => sum + coins, 0)).toBe(model);
    await bulk.settle();
    await sentOnce(actor, messages.length);
    world.prices = before;
  });

  test('an escrow closes exactly once under 20 closers, answers lost among them', async () => {
    const actor = await world.organization(1_000_000);
    world.provider.script = many(60).map((_, at) =>
      at % 4 === 0
        ? { kind: 'refused', cause: 'recipient', detail: '404' }
        : { kind: 'accepted', providerMessageId: `p-${at}` },
    );
    const { batchId } = accepted(await bulk.send(actor, many(60)));
    const store = { ...bulk.store, settleEscrow: async () => true };
    await sendChunk({ ...bulk.chunks, store }, batchId, 0);
    const [chunk] = await chunksOf(batchId);
    if (!chunk) throw new Error('there is a chunk');
    expect(chunk.state).toBe('waiting');
    await money(actor, false);
    let seen = 0;
    world.proxy.plan(({ action }) =>
      action === 'TransactWriteItems' && seen++ % 3 === 0 ? FAULTS.loseAnswer : undefined,
    );
    await Promise.all(Array.from({ length: 20 }, () => settleEscrow(bulk.chunks, chunk)));
    world.proxy.plan(undefined);
    const books = await money(actor);
    expect(books.balance).toBe(asCoins(1_000_000 - 45 * SMS));
    expect(books.entries.filter(({ kind }) => kind === 'release')).toHaveLength(1);
    expect(books.entries.filter(({ kind }) => kind === 'capture')).toHaveLength(1);
  });

  test('the contracted SMS per second bound what is accepted in a second', async () => {
    world.smsPerSecond = 30;
    const actor = await world.organization(1_000_000);
    const first = accepted(await bulk.send(actor, many(50)));
    expect(first).toMatchObject({ accepted: 30, rejected: 20 });
    expect(first.errors[0]).toMatchObject({ index: 30, code: 'rate_limited' });
    expect(accepted(await bulk.send(actor, many(5)))).toMatchObject({ accepted: 0, rejected: 5 });
    world.now += 1_000;
    expect(accepted(await bulk.send(actor, many(20)))).toMatchObject({ accepted: 20 });
    await bulk.settle();
    await sentOnce(actor, 50);
  });
});

describe('the consumer of chunks', { timeout: 180_000 }, () => {
  test('killed in the middle goes on where it was, and a redrive of all of it sends nothing again', async () => {
    const actor = await world.organization(1_000_000);
    const { batchId } = accepted(await bulk.send(actor, many(90)));
    let sends = 0;
    world.provider.script = many(90).map(() => ({ messageId }) => {
      if (++sends === 40) throw new Error('killed');
      world.provider.accepted.add(messageId);
      return { kind: 'accepted', providerMessageId: `p-${messageId}` };
    });
    const [item] = world.workItems.splice(0);
    if (!item) throw new Error('there is work');
    await expect(bulk.workOn(item)).rejects.toThrow('killed');
    await money(actor, false);
    await bulk.workOn(item);
    await bulk.settle();
    const books = await money(actor);
    expect(world.provider.dispatched).toHaveLength(90);
    expect(books.messages.filter(({ hold }) => hold === 'captured')).toHaveLength(89);
    expect(books.messages.find(({ hold }) => hold === 'released')).toMatchObject({ reason: 'abandoned' });
    for (let turn = 0; turn < 3; turn++)
      await Promise.all([bulk.workOn(item), bulk.workOn({ ...item, kind: 'close_escrow' })]);
    expect(world.provider.dispatched).toHaveLength(90);
    expect((await money(actor)).balance).toBe(books.balance);
    expect((await chunksOf(batchId)).map(({ state }) => state)).toEqual(['closed']);
  });

  test('doubled, at the same time, sends each message once', async () => {
    const actor = await world.organization(1_000_000);
    accepted(await bulk.send(actor, many(90)));
    const workItems = world.workItems.splice(0);
    await Promise.all([...workItems, ...workItems, ...workItems].map(bulk.workOn));
    await bulk.settle();
    await sentOnce(actor, 90);
  });

  test('whose hints are all lost is found by the due index', async () => {
    const actor = await world.organization(1_000_000);
    accepted(await bulk.send(actor, many(200)));
    world.workItems.length = 0;
    world.now += 10_000;
    await bulk.dispatch();
    await sentOnce(actor, 200);
  });

  test('meets a cancelled message and leaves it; what it held comes back', async () => {
    const actor = await world.organization(1_000_000);
    accepted(await bulk.send(actor, many(10)));
    const [first] = await messagesOf(world.table, actor.organizationId);
    await bulk.one.cancel(actor, parseId('message', first?.id));
    await money(actor, false);
    await bulk.settle();
    await sentOnce(actor, 9);
    expect((await money(actor)).balance).toBe(1_000_000 - 9 * SMS);
  });
});
