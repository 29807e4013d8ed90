import { expect, test } from 'vitest';
import { sharedRead } from '../../shared/storage/client/shared-read.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { turns } from '../smpp/kit.ts';

/** Reads that end when the test lets them, and that are numbered in the order in which they begin. */
const heldReads = () => {
  const table = {} as Table;
  const started: { readonly end: () => void; readonly fail: () => void }[] = [];
  const read = () =>
    new Promise<number>((resolve, reject) => {
      const number = started.length;
      started.push({ end: () => resolve(number), fail: () => reject(new Error('the table failed')) });
    });
  return { started, ask: (name = 'name', of = table) => sharedRead(of, name, read) };
};

test('those who ask while a read runs share the next one, and never the result of one that began before they asked', async () => {
  const { started, ask } = heldReads();
  const first = ask();
  await turns();
  const others = Promise.all([ask(), ask(), ask()]);
  await turns();
  expect(started).toHaveLength(1);
  started[0]?.end();
  expect(await first).toBe(0);
  await turns();
  started[1]?.end();
  expect(await others).toEqual([1, 1, 1]);
  const later = ask();
  await turns();
  started[2]?.end();
  expect(await later).toBe(2);
  expect(started).toHaveLength(3);
});

test('reads of other names and of other tables are their own', async () => {
  const { started, ask } = heldReads();
  const all = Promise.all([ask(), ask('other'), ask('name', {} as Table)]);
  await turns();
  expect(started).toHaveLength(3);
  for (const { end } of started) end();
  expect(await all).toEqual([0, 1, 2]);
});

test('a read that fails fails for those who share it, and the next one is a read of its own', async () => {
  const { started, ask } = heldReads();
  const failing = Promise.allSettled([ask(), ask()]);
  await turns();
  started[0]?.fail();
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = ask();
  await turns();
  started[1]?.end();
  expect(await next).toBe(1);
});
