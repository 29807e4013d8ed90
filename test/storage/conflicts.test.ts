import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { withRetries } from '../../shared/storage/client/retries.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { conflictPatience, inScope } from '../../shared/wiring/process/scope.ts';

const cancelled = (code: string): Error =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'None' }, { Code: code }],
  });
const conflict = () => cancelled('TransactionConflict');
const named = (name: string): Error => Object.assign(new Error('refused'), { name });
const throttle = () => named('ThrottlingException');
const KEY = { pk: 'a', sk: 'b' };

/** A call that fails so many times. */
const failing = (times: number, fault: () => Error) => {
  let calls = 0;
  return vi.fn(async () => {
    if (calls++ < times) throw fault();
    return 'done';
  });
};

describe('a write that conflicts with others', () => {
  test.each([
    ['a transaction of others', conflict],
    ['a transaction, alone', () => named('TransactionConflictException')],
    ['its own first try', () => named('TransactionInProgressException')],
  ])('%s, is tried until it is its turn, for as long as its caller can wait', async (_, fault) => {
    const busy = failing(7, fault);
    expect(await withRetries(busy, () => 1)).toBe('done');
    expect(busy).toHaveBeenCalledTimes(8);
  });

  test('is abandoned after five more attempts once its caller can wait no longer, and after five without a waiting caller', async () => {
    const left = [1, 1, 1];
    const busy = failing(100, conflict);
    await expect(withRetries(busy, () => left.shift() ?? 0)).rejects.toThrow(Unavailable);
    expect(busy).toHaveBeenCalledTimes(3 + 5);
    const alone = failing(100, conflict);
    await expect(withRetries(alone)).rejects.toThrow(Unavailable);
    expect(alone).toHaveBeenCalledTimes(5);
  });

  test('does not count earlier conflicts as attempts for other faults', async () => {
    const faults = [...Array(6).fill(conflict), throttle, throttle, conflict, throttle, throttle];
    const busy = vi.fn(async () => {
      const fault = faults.shift();
      if (fault) throw fault();
      return 'done';
    });
    expect(await withRetries(busy, () => 1)).toBe('done');
  });
});

describe('a throttled call', () => {
  test.each([
    ['alone', throttle],
    ['in a transaction', () => cancelled('ThrottlingError')],
    ['with items of a batch unprocessed', () => named('ProvisionedThroughputExceededException')],
  ])('%s, is tried ten times over seconds while its caller waits, and five times otherwise', async (_, fault) => {
    const pauses: number[] = [];
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    const real = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
      pauses.push(ms);
      return real(work, 0);
    }) as never);
    onTestFinished(() => void vi.restoreAllMocks());
    const throttled = failing(100, fault);
    await expect(withRetries(throttled, () => 1)).rejects.toThrow(Unavailable);
    expect(throttled).toHaveBeenCalledTimes(10);
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(5_000);
    const alone = failing(100, fault);
    await expect(withRetries(alone)).rejects.toThrow(Unavailable);
    expect(alone).toHaveBeenCalledTimes(5);
  });

  test.each([
    ['a read', (table: Table) => table.get(KEY)],
    ['reads in a batch', (table: Table) => table.getMany([KEY])],
    ['a query', (table: Table) => table.query({ partition: 'a' })],
    ['puts in a batch', (table: Table) => table.putMany([KEY])],
    ['a write', (table: Table) => table.write({ put: KEY })],
    ['a transaction', (table: Table) => table.transact([{ put: KEY }])],
  ])('has the patience of its table: %s', async (_, call) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const send = failing(9, throttle);
    await call(new Table({ send } as never, 'table', () => 1));
    expect(send).toHaveBeenCalledTimes(10);
  });

  test('is tried no longer once its caller cannot wait', async () => {
    const left = [1, 1, 1, 1, 1];
    const throttled = failing(100, throttle);
    await expect(withRetries(throttled, () => left.shift() ?? 0)).rejects.toThrow(Unavailable);
    expect(throttled).toHaveBeenCalledTimes(6);
  });

  test('has no more time than others after a fault of another kind: five tries', async () => {
    const broken = failing(100, () => named('InternalServerError'));
    await expect(withRetries(broken, () => 1)).rejects.toThrow(Unavailable);
    expect(broken).toHaveBeenCalledTimes(5);
  });
});

describe('the patience of an invocation', () => {
  test('leaves time for a provider: 16 of 28 s for its first calls, 3 s for one that comes late, and none beyond its end', async () => {
    const left = (lastsMs: number | undefined, sinceMs: number) =>
      inScope(async () => conflictPatience(performance.now() + sinceMs) / 1000, lastsMs);
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await left(28_000, 0)).toBeCloseTo(28 * 0.57, 0);
    expect(await left(28_000, 20_000)).toBeCloseTo(23, 0);
    expect(await left(28_000, 27_000)).toBeCloseTo(26.5, 0);
    expect(await left(1_000, 0)).toBeLessThan(0);
    expect(await left(undefined, 0)).toBeLessThan(0);
  });

  test('runs out with the invocation, and there is none outside of one', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(conflictPatience(performance.now())).toBe(0);
    const spent = await inScope(async () => {
      const before = conflictPatience(0);
      vi.advanceTimersByTime(30);
      return before - conflictPatience(0);
    }, 10_000);
    expect(spent).toBe(30);
  });
});
