import { describe, expect, test, vi } from 'vitest';
import { batchConcurrent } from '../../shared/storage/client/batch-concurrent.ts';
import { addLogFields, inScope, logFields } from '../../shared/wiring/process/scope.ts';
import { turns } from '../smpp/kit.ts';

/** Work that ends when the test lets it, and remembers what it was given. */
const heldWork = (most = 3) => {
  const parts: { readonly items: readonly string[]; readonly end: () => void; readonly fail: () => void }[] = [];
  const ask = batchConcurrent(
    (items: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        const end = () => resolve(items.map((item) => item.toUpperCase()));
        parts.push({ items, end, fail: () => reject(new Error('failed')) });
      }),
    most,
  );
  return { ask, parts, started: () => parts.map(({ items }) => items.join('')) };
};

describe('gathered work', () => {
  test('starts immediately for a single call; calls made meanwhile are batched after it, up to the limit', async () => {
    const { ask, parts, started } = heldWork();
    const first = ask('key', 'a');
    await turns(1);
    expect(started()).toEqual(['a']);
    const others = Promise.all(['b', 'c', 'd', 'e'].map((item) => ask('key', item)));
    await turns();
    expect(started()).toEqual(['a']);
    parts[0]?.end();
    expect(await first).toBe('A');
    await turns();
    expect(started()).toEqual(['a', 'bcd']);
    parts[1]?.end();
    await turns();
    expect(started()).toEqual(['a', 'bcd', 'e']);
    parts[2]?.end();
    expect(await others).toEqual(['B', 'C', 'D', 'E']);
  });

  test('of one turn of the event loop is one batch, and that of another key waits for none', async () => {
    const { ask, parts, started } = heldWork();
    const all = Promise.all([ask('one', 'a'), ask('other', 'x'), ask('one', 'b')]);
    await turns();
    expect(started()).toEqual(['ab', 'x']);
    for (const { end } of parts) end();
    expect(await all).toEqual(['A', 'X', 'B']);
  });

  test('that fails, fails those that it was for; the next batch is processed all the same', async () => {
    const { ask, parts } = heldWork();
    const failing = Promise.allSettled([ask('key', 'a'), ask('key', 'b')]);
    await turns();
    const next = ask('key', 'c');
    parts[0]?.fail();
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turns();
    parts[1]?.end();
    expect(await next).toBe('C');
    await turns();
    const later = ask('key', 'd');
    await turns();
    parts[2]?.end();
    expect(await later).toBe('D');
  });

  test('that hangs holds those after it back for a moment only: the next batch begins beside it, once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { ask, parts, started } = heldWork();
    const all = Promise.all([ask('key', 'a'), turns(1).then(() => ask('key', 'b'))]);
    await turns();
    expect(started()).toEqual(['a']);
    vi.advanceTimersByTime(250);
    await turns();
    expect(started()).toEqual(['a', 'b']);
    const last = ask('key', 'c');
    parts[0]?.end();
    await turns();
    expect(started()).toEqual(['a', 'b']);
    parts[1]?.end();
    await turns();
    expect(started()).toEqual(['a', 'b', 'c']);
    parts[2]?.end();
    expect([await all, await last]).toEqual([['A', 'B'], 'C']);
    vi.useRealTimers();
  });

  test('runs in the invocation of its first item, not in that of the batch before', async () => {
    const ask = batchConcurrent(async (items: readonly string[]) => {
      await turns(2);
      return items.map(() => logFields().name);
    }, 2);
    const from = (name: string) =>
      inScope(async () => {
        addLogFields({ name });
        return ask('key', name);
      });
    expect(await Promise.all([from('a'), from('b'), from('c')])).toEqual(['a', 'a', 'c']);
  });
});
