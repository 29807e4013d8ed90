import { beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import type { Fault, ProxiedCall } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
beforeEach(() => world.proxy.plan(undefined));

const rowsOf = (name: string, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ pk: `${name}#${at}`, sk: 'ROW', at }));
const callsOf = async (action: string, work: () => Promise<unknown>): Promise<number> =>
  (await world.proxy.callsOf(work))[action] ?? 0;

/** An answer that the engine never gives: nothing of the batch was processed. */
const nothingDone = ({ action, body }: ProxiedCall): Fault => {
  const { RequestItems } = JSON.parse(body) as { RequestItems: object };
  const answer =
    action === 'BatchGetItem' ? { Responses: {}, UnprocessedKeys: RequestItems } : { UnprocessedItems: RequestItems };
  return { kind: 'error', status: 200, type: 'none', body: answer };
};

describe('a batch', () => {
  test('of puts and gets takes as few calls as its size allows, and names no key twice in one', async () => {
    const rows = rowsOf('SIZE', 120);
    expect(await callsOf('BatchWriteItem', () => world.table.putMany([...rows, ...rows]))).toBe(5);
    const keys = [...rows, { pk: 'SIZE#none', sk: 'ROW' }, ...rows];
    expect(await callsOf('BatchGetItem', () => world.table.getMany(keys))).toBe(2);
    expect(await world.table.getMany(keys)).toEqual([...rows, undefined, ...rows]);
    expect(await callsOf('BatchGetItem', () => world.table.getMany([]))).toBe(0);
    expect(await callsOf('BatchWriteItem', () => world.table.putMany([]))).toBe(0);
  });

  test('of puts replaces whole rows', async () => {
    const [row] = rowsOf('WHOLE', 1) as [Row];
    await world.table.putMany([{ ...row, more: true }]);
    await world.table.putMany([row]);
    expect(await world.table.get(row)).toEqual(row);
  });

  test.each(['BatchGetItem', 'BatchWriteItem'])(
    'that %s leaves unprocessed is requested again, and only that',
    async (of) => {
      const rows = rowsOf(of, 10);
      await world.table.putMany(rows);
      const sizes: number[] = [];
      let turns = 0;
      world.proxy.plan((call) => {
        if (call.action !== of) return undefined;
        const items = Object.values(JSON.parse(call.body).RequestItems)[0] as { Keys?: unknown[] } | unknown[];
        sizes.push(Array.isArray(items) ? items.length : (items.Keys?.length ?? 0));
        return turns++ < 2 ? nothingDone(call) : undefined;
      });
      await world.table.putMany(rows);
      expect(await world.table.getMany(rows, { consistent: true })).toEqual(rows);
      expect(sizes).toEqual([10, 10, 10]);
    },
  );

  test.each(['BatchGetItem', 'BatchWriteItem'])(
    'that %s never processes is unavailable after five calls',
    async (of) => {
      const rows = rowsOf(`NEVER${of}`, 3);
      world.proxy.plan((call) => (call.action === of ? nothingDone(call) : undefined));
      const work = () => (of === 'BatchGetItem' ? world.table.getMany(rows) : world.table.putMany(rows));
      expect(await callsOf(of, () => expect(work()).rejects.toThrow(Unavailable))).toBe(5);
    },
  );
});
