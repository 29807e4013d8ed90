import { expect, test } from 'vitest';
import { coalescedRead, coalescedTransact } from '../../shared/storage/client/coalescer.ts';
import type { WriteOp } from '../../shared/storage/client/expressions.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));

let rows = 0;
const freshKey = () => ({ pk: `COALESCED#${++rows}`, sk: 'ROW' });
const put = (key = freshKey()): Extract<WriteOp, { put: object }> => ({
  put: { ...key, n: 1 },
  when: { text: 'attribute_not_exists(#pk)' },
});
const callsOf = (action: string) => world.proxy.calls.get(action) ?? 0;

test('concurrent writes go in one transaction, and each gets its outcome', async () => {
  const before = callsOf('TransactWriteItems');
  const writes = Array.from({ length: 30 }, () => put());
  const outcomes = await Promise.all(writes.map((write) => coalescedTransact(world.table, [write])));
  expect(outcomes.every(({ ok }) => ok)).toBe(true);
  expect(callsOf('TransactWriteItems') - before).toBe(1);
  const found = await Promise.all(writes.map((write) => coalescedRead(world.table, [write.put])));
  expect(found.flat().every((row) => row?.n === 1)).toBe(true);
});

test('a failed condition cancels its own request alone, and returns the stored row', async () => {
  const taken = put();
  await world.table.write(taken);
  const [sibling, others] = [put(), [put(), put()]];
  const [ok, failed, alsoOk] = await Promise.all([
    coalescedTransact(world.table, others),
    coalescedTransact(world.table, [sibling, taken]),
    coalescedTransact(world.table, [put()]),
  ]);
  expect([ok, alsoOk]).toEqual([{ ok: true }, { ok: true }]);
  expect(failed).toMatchObject({
    ok: false,
    reasons: [{ conditionFailed: false }, { conditionFailed: true, row: { n: 1 } }],
  });
  expect(await world.table.get(sibling.put)).toBeUndefined();
  const keys = others.map((write) => write.put);
  expect(await coalescedRead(world.table, keys)).toMatchObject([{ n: 1 }, { n: 1 }]);
});

test('a single write that no other joins is no transaction, and has the same outcomes', async () => {
  const write = put();
  const check = { check: write.put, when: { text: 'attribute_exists(#pk)' } };
  const outcomes: unknown[] = [];
  const calls = await world.proxy.callsOf(async () => {
    for (const one of [write, write, check]) outcomes.push(await coalescedTransact(world.table, [one]));
  });
  // A check is possible in a transaction only.
  expect(calls).toEqual({ PutItem: 2, TransactWriteItems: 1 });
  const failed = { ok: false, reasons: [{ conditionFailed: true, row: { n: 1 } }] };
  expect(outcomes).toMatchObject([{ ok: true }, failed, { ok: true }]);
});

test('an invalid write fails its own caller alone', async () => {
  const text = put();
  await world.table.write({ put: { ...text.put, n: 'no number' } });
  const [refused, done] = await Promise.allSettled([
    coalescedTransact(world.table, [{ update: text.put, add: { n: 1 } }]),
    coalescedTransact(world.table, [put()]),
  ]);
  expect(refused.status).toBe('rejected');
  expect(done).toEqual({ status: 'fulfilled', value: { ok: true } });
});

test('writes to one row take effect one after another', async () => {
  const { put: row } = put();
  await world.table.write({ put: { ...row, n: 0 } });
  const add: WriteOp = { update: row, add: { n: 1 } };
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => coalescedTransact(world.table, [add])));
  expect(outcomes.every(({ ok }) => ok)).toBe(true);
  expect(await world.table.get(row)).toMatchObject({ n: 20 });
});

test('concurrent reads go in one call, keep their order, and fail together when the table fails', async () => {
  const writes = Array.from({ length: 3 }, () => put());
  for (const write of writes) await world.table.write(write);
  const [a, b, c] = writes.map((write) => write.put);
  if (!a || !b || !c) throw new Error('three rows');
  const before = callsOf('BatchGetItem');
  const found = await Promise.all([[c, a], [freshKey(), b], [a]].map((keys) => coalescedRead(world.table, keys)));
  expect(found.map((rowsOf) => rowsOf.map((row) => row?.pk))).toEqual([[c.pk, a.pk], [undefined, b.pk], [a.pk]]);
  expect(callsOf('BatchGetItem') - before).toBe(1);
  world.proxy.plan(() => FAULTS.throttle);
  const lost = await Promise.allSettled([coalescedRead(world.table, [a]), coalescedTransact(world.table, [put()])]);
  world.proxy.plan(undefined);
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await coalescedRead(world.table, [a])).toMatchObject([{ n: 1 }]);
});
