import { BatchWriteItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { tableClient } from '../../shared/storage/client/client.ts';
import type { Throttle } from '../../shared/storage/client/throttles.ts';
import { INDEXES } from '../../shared/storage/table-indexes.ts';
import { use } from '../support/use.ts';
import { put, putOf, row, S, startEngine, TABLE } from '../table-laws/kit.ts';

const { laws } = await startEngine();

/** A client of a table whose partition keys accept ten write units a second, and its reports of throttles. */
const narrow = async () => {
  const { endpoint, run } = await use(laws({ scale: 100 }));
  const reported: Throttle[] = [];
  const client = tableClient(endpoint, (throttle) => reported.push(throttle));
  const refused = async (calls: readonly (() => Promise<unknown>)[]) => {
    let count = 0;
    for (const call of calls) await run(call()).catch(() => count++);
    return count;
  };
  return { client, reported, refused };
};
const times = <T>(make: (turn: number) => T): T[] => Array.from({ length: 14 }, (_, turn) => make(turn));

test('each call that the table throttles is reported, and no other', async () => {
  const { client, reported, refused } = await narrow();
  expect(await refused(times(() => () => client.send(put(row('hot')))))).toBe(4);
  expect(reported).toHaveLength(4);
  expect(reported[0]).toEqual({
    command: 'PutItemCommand',
    reasons: [`TableWriteKeyRangeThroughputExceeded ${TABLE}`],
  });
});

test.each(Object.entries(INDEXES))(
  "a write that the index %s throttles is reported with the index's name",
  async (name, { partitionKey, sortKey, sortType }) => {
    const { client, reported, refused } = await narrow();
    const entry = (turn: number) => ({
      [partitionKey]: S('hot'),
      [sortKey]: sortType === 'N' ? { N: String(turn) } : S(String(turn)),
    });
    const writes = times((turn) => () => client.send(put(row(`${name}-${turn}`, entry(turn)))));
    expect(await refused(writes)).toBe(4);
    expect(reported.map(({ reasons }) => reasons)).toEqual(
      Array.from({ length: 4 }, () => [`IndexWriteKeyRangeThroughputExceeded ${TABLE}/index/${name}`]),
    );
  },
);

test('a throttled transaction is reported, and one whose condition failed is not', async () => {
  const { client, reported, refused } = await narrow();
  const transact = (TransactItems: ReturnType<typeof putOf>[]) => () =>
    client.send(new TransactWriteItemsCommand({ TransactItems }));
  const check = { ConditionCheck: { TableName: TABLE, Key: row('none'), ConditionExpression: 'attribute_exists(pk)' } };
  expect(await refused([transact([check])])).toBe(1);
  expect(reported).toEqual([]);
  const failed = await refused(times(() => transact([putOf('both')])));
  expect(failed).toBeGreaterThan(0);
  expect(reported).toEqual(
    Array.from({ length: failed }, () => ({ command: 'TransactWriteItemsCommand', reasons: ['ThrottlingError'] })),
  );
});

test('a partly processed batch is reported', async () => {
  const { client, reported, refused } = await narrow();
  const entry = { gsi1pk: S('batch'), gsi1sk: S('A') };
  const RequestItems = { [TABLE]: times((turn) => ({ PutRequest: { Item: row(`batch-${turn}`, entry) } })) };
  expect(await refused([() => client.send(new BatchWriteItemCommand({ RequestItems }))])).toBe(0);
  expect(reported).toEqual([{ command: 'BatchWriteItemCommand', reasons: ['Unprocessed'] }]);
});
