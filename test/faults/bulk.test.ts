import { beforeEach, describe, expect, test } from 'vitest';
import type { Chunk } from '../../shared/domain/bulk/chunk.ts';
import { settleEscrow } from '../../shared/domain/bulk/escrow.ts';
import { DECISION_TIMEOUT_MS } from '../../shared/domain/bulk/ports.ts';
import { sendChunk } from '../../shared/domain/bulk/send-chunk.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { bandAt } from '../../shared/domain/pricing/prices.ts';
import { accepted } from '../support/accepted.ts';
import { keyed, many, useBulk } from '../support/bulk-world.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';

const SMS = 800;
const BANDS = premiumPrices([60, 800], [150, 600], [null, 500]);

const { world, bulk } = await useBulk();
beforeEach(world.reset);

const { money, sentOnce } = bulk;
const chunksOf = async (batchId: Id<'batch'>): Promise<Chunk[]> => {
  const found: Chunk[] = [];
  for (let number = 0; ; number++) {
    const chunk = await bulk.store.readChunk(batchId, number);
    if (!chunk) return found;
    found.push(chunk);
  }
};

describe('a chunk', { timeout: 180_000 }, () => {
  test.each([
    ['its answer is lost', FAULTS.loseAnswer, 1],
    ['all of its answers are lost', FAULTS.loseAnswer, 4],
    ['it meets a conflict', FAULTS.conflict(100), 2],
    ['the table is throttled', FAULTS.throttle, 2],
    ['the table fails', FAULTS.internal, 2],
    ['the connection breaks', FAULTS.drop, 2],
  ])('is reserved once when %s', async (_, fault, last) => {
    const actor = await world.organization();
    world.proxy.plan(onTransactions(fault, { last }));
    expect(accepted(await bulk.send(actor, keyed(110)))).toMatchObject({ accepted: 110, rejected: 0 });
    world.proxy.plan(undefined);
    await bulk.settle();
    await sentOnce(actor, 110);
  });

  test('of a batch that a crash cut short keeps its keys while the batch may be decided, and is then accepted by a repeat', async () => {
    for (const after of [0, 1, 2]) {
      const actor = await world.organization();
      world.provider.dispatched.length = 0;
      let left = after;
      const crash = bulk.send(actor, keyed(210), 'permissive', {
        reserveChunk: async (reservation) => {
          if (left-- <= 0) throw new RangeError('the process is gone');
          return bulk.store.reserveChunk(reservation);
        },
      });
      await expect(crash).rejects.toThrow('the process is gone');
      await bulk.work();
      await money(actor, false);
      world.now += DECISION_TIMEOUT_MS + 1;
      await bulk.dispatch();
      expect(world.provider.dispatched).toEqual([]);
      const again = accepted(await bulk.send(actor, keyed(210)));
      expect(again).toMatchObject({ accepted: 210, rejected: 0 });
      await bulk.settle();
      await sentOnce(actor, 210);
    }
  });

  test('of concurrent batches with the same keys is sent once; the others get a conflict for it, and a later repeat is accepted', async () => {
    const actor = await world.organization(10_000_000);
    const answers = await Promise.all([1, 2, 3, 4].map(() => bulk.send(actor, keyed(120))));
    for (const answer of answers) {
      const { errors, total, rejected, ...counts } = accepted(answer);
      expect({ total, rejected, accepted: counts.accepted }).toEqual({
        total: 120,
        rejected: errors.length,
        accepted: 120 - errors.length,
      });
      expect(errors.filter(({ code }) => code !== 'conflict')).toEqual([]);
    }
    expect(accepted(await bulk.send(actor, keyed(120)))).toMatchObject({ accepted: 120, rejected: 0 });
    await bulk.settle();
    await sentOnce(actor, 120);
  });
});

describe('money', { timeout: 180_000 }, () => {
  test('20 concurrent bulks that want the last coins accept as many messages as they cover', async () => {
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

  test('a band edge inside a chunk prices each message at its own position, despite concurrent sends', async () => {
    world.prices = BANDS;
    const actor = await world.organization();
    const sizes = [37, 50, 64, 29, 11];
    const mixed = (count: number) => many(count, (at) => ({ text: 'a'.repeat(at % 3 === 0 ? 200 : 10) }));
    await Promise.all(sizes.map((count) => bulk.send(actor, mixed(count))));
    const messages = await bulk.messages(actor);
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
  });

  test('an escrow closes exactly once under 20 closers, answers lost among them', async () => {
    const actor = await world.organization();
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
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 3 }));
    await Promise.all(Array.from({ length: 20 }, () => settleEscrow(bulk.chunks, chunk)));
    world.proxy.plan(undefined);
    const { balance, entries } = await money(actor);
    expect(balance).toBe(asCoins(1_000_000 - 45 * SMS));
    expect(entries.filter(({ kind }) => kind === 'release')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'capture')).toHaveLength(1);
  });

  test('the contracted SMS per second limit what is accepted in a second', async () => {
    world.smsPerSecond = 30;
    const actor = await world.organization();
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
  test('killed in the middle resumes where it was, and a redrive sends nothing again', async () => {
    const actor = await world.organization();
    const { batchId } = accepted(await bulk.send(actor, many(90)));
    let sends = 0;
    world.provider.script = many(90).map(() => ({ messageId }) => {
      if (++sends === 40) throw new Error('killed');
      return { kind: 'accepted', providerMessageId: `p-${messageId}` };
    });
    const [item] = world.workItems.splice(0);
    if (!item) throw new Error('there is work');
    await expect(bulk.workOn(item)).rejects.toThrow('killed');
    await money(actor, false);
    await bulk.workOn(item);
    await bulk.settle();
    const ledger = await money(actor);
    expect(world.provider.dispatched).toHaveLength(90);
    expect(ledger.messages.filter(({ hold }) => hold === 'captured')).toHaveLength(89);
    expect(ledger.messages.find(({ hold }) => hold === 'released')).toMatchObject({ reason: 'abandoned' });
    for (let turn = 0; turn < 3; turn++)
      await Promise.all([bulk.workOn(item), bulk.workOn({ ...item, kind: 'close_escrow' })]);
    expect(world.provider.dispatched).toHaveLength(90);
    expect((await money(actor)).balance).toBe(ledger.balance);
    expect((await chunksOf(batchId)).map(({ state }) => state)).toEqual(['closed']);
  });

  test('that receives its queue messages three times concurrently sends each message once', async () => {
    const actor = await world.organization();
    accepted(await bulk.send(actor, many(90)));
    const workItems = world.workItems.splice(0);
    await Promise.all([...workItems, ...workItems, ...workItems].map(bulk.workOn));
    await bulk.settle();
    await sentOnce(actor, 90);
  });

  test('whose queue messages are all lost is found by the due index', async () => {
    const actor = await world.organization();
    accepted(await bulk.send(actor, many(200)));
    world.workItems.length = 0;
    world.now += DECISION_TIMEOUT_MS + 1;
    await bulk.dispatch();
    await sentOnce(actor, 200);
  });

  test('skips a cancelled message, whose coins are refunded', async () => {
    const actor = await world.organization();
    accepted(await bulk.send(actor, many(10)));
    const [first] = await bulk.messages(actor);
    await bulk.one.cancel(actor, parseId('message', first?.id));
    await money(actor, false);
    await bulk.settle();
    await sentOnce(actor, 9);
    expect((await money(actor)).balance).toBe(1_000_000 - 9 * SMS);
  });
});
