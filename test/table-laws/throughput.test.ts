import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import type { LawSettings } from '../../infra/local/table-laws/settings.ts';
import { codesOf, nameOf, put, putOf, row, S, startEngine, TABLE } from './kit.ts';

const { direct, laws } = await startEngine();
const KB = 'x'.repeat(1_000);
/** Ten write units and thirty read units a second for a key; a table with room. */
const NARROW: Partial<LawSettings> = { scale: 100 };
const keyOf = (pk: string) => ({ TableName: TABLE, Key: row(pk) });
const get = (pk: string) => new GetItemCommand({ ...keyOf(pk), ConsistentRead: true });
const times = async (count: number, call: () => Promise<unknown>) => {
  const ends: string[] = [];
  for (let turn = 0; turn < count; turn++) ends.push(await nameOf(call()));
  return ends.filter((name) => name === 'ThrottlingException').length;
};

describe('a partition key', () => {
  test('takes 1,000 write units a second, here divided by 100, and the next write is throttled as on an on-demand table', async () => {
    const { client, clock, refused } = await laws(NARROW);
    expect(await times(14, () => client.send(put(row('hot'))))).toBe(4);
    await expect(client.send(put(row('hot')))).rejects.toMatchObject({
      name: 'ThrottlingException',
      $metadata: { httpStatusCode: 400 },
      throttlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded' }],
    });
    expect(await nameOf(client.send(put(row('cool'))))).toBe('none');
    clock.advance(500);
    expect(await times(7, () => client.send(put(row('hot'))))).toBe(2);
    expect(refused()).toEqual({ partitionThrottles: 7 });
  });

  test('takes 3,000 read units a second: half a unit for an eventually consistent read of up to 4 KB', async () => {
    await direct.send(put(row('read')));
    const consistent = await laws(NARROW);
    expect(await times(33, () => consistent.client.send(get('read')))).toBe(3);
    const eventual = await laws(NARROW);
    expect(await times(63, () => eventual.client.send(new GetItemCommand(keyOf('read'))))).toBe(3);
  });

  test('never holds more than one second of its rate, however long it rested', async () => {
    const { client, clock } = await laws(NARROW);
    await client.send(put(row('rested')));
    clock.advance(300_000);
    expect(await times(14, () => client.send(put(row('rested'))))).toBe(4);
  });

  test('pays for the larger of an item before and after, a KB each, and for a delete what was there', async () => {
    await direct.send(put(row('size', { text: S(KB.repeat(4)) })));
    const { client, statistics } = await laws();
    await client.send(put(row('size', { text: S('small') })));
    await client.send(put(row('size', { text: S(KB.repeat(2)) })));
    await client.send(new DeleteItemCommand(keyOf('size')));
    expect(statistics().hottest).toMatchObject([{ resource: TABLE, partition: 'size', writeUnits: 4 + 2 + 2 }]);
  });

  test('charges an update by the size of the resulting item, also if only the engine can compute it', async () => {
    const { client, statistics } = await laws();
    const grow = (UpdateExpression: string) =>
      client.send(
        new UpdateItemCommand({
          ...keyOf('grow'),
          UpdateExpression,
          ExpressionAttributeValues: { ':t': S(KB.repeat(3)) },
        }),
      );
    await grow('SET a = :t');
    expect(statistics().hottest[0]?.writeUnits).toBe(3);
    const map = { UpdateExpression: 'SET m = :m', ExpressionAttributeValues: { ':m': { M: {} } } };
    await client.send(new UpdateItemCommand({ ...keyOf('grow'), ...map }));
    await grow('SET m.a = :t');
    expect(statistics().hottest[0]?.writeUnits).toBe(3 + 3 + 6);
  });
});

describe('a transaction', () => {
  test('takes two write units for a KB, and is cancelled with ThrottlingError at the place of a hot key', async () => {
    const { client, run, refused } = await laws(NARROW);
    const send = (...pks: string[]) =>
      run(client.send(new TransactWriteItemsCommand({ TransactItems: pks.map((pk) => putOf(pk)) })));
    for (let turn = 0; turn < 5; turn++) await send('double');
    expect(await codesOf(send('beside', 'double'))).toEqual(['None', 'ThrottlingError']);
    expect(refused()).toEqual({ partitionThrottles: 1 });
    expect((await direct.send(new GetItemCommand(keyOf('beside')))).Item).toBeUndefined();
  });
});

describe('an index', () => {
  const entry = (pk: string, partition: string, more = {}) => row(pk, { gsi1pk: S(partition), gsi1sk: S(pk), ...more });

  test('that is throttled refuses the write of its row, whose own key is cool', async () => {
    const { client, refused } = await laws(NARROW);
    let turn = 0;
    expect(await times(12, () => client.send(put(entry(`cool-${turn++}`, 'hot'))))).toBe(2);
    await expect(client.send(put(entry('cool-12', 'hot')))).rejects.toMatchObject({
      throttlingReasons: [{ reason: 'IndexWriteKeyRangeThroughputExceeded' }],
    });
    expect(await nameOf(client.send(put(row('cool-13'))))).toBe('none');
    expect(refused()).toEqual({ indexPartitionThrottles: 3 });
  });

  test('takes nothing when its entry stays, one write when it changes or goes, two when its key changes', async () => {
    const { client, statistics } = await laws();
    const taken = async (work: () => Promise<unknown>) => {
      const units = () =>
        statistics()
          .hottest.filter(({ resource }) => resource === `${TABLE}/gsi1`)
          .reduce((sum, { writeUnits }) => sum + writeUnits, 0);
      const before = units();
      await work();
      return units() - before;
    };
    expect(await taken(() => client.send(put(entry('e', 'one'))))).toBe(1);
    expect(await taken(() => client.send(put(entry('e', 'one', { unprojected: S('1') }))))).toBe(0);
    expect(await taken(() => client.send(put(entry('e', 'one', { status: S('sent') }))))).toBe(1);
    expect(await taken(() => client.send(put(entry('e', 'two', { status: S('sent') }))))).toBe(2);
    expect(await taken(() => client.send(put(row('e'))))).toBe(1);
    expect(await taken(() => client.send(new DeleteItemCommand(keyOf('e'))))).toBe(0);
  });

  test('and its rows are as they were after a write that its condition refused, for the units of the row alone', async () => {
    const { client, statistics } = await laws();
    const refused = put(entry('refused', 'refusals'));
    refused.input.ConditionExpression = 'attribute_exists(pk)';
    expect(await nameOf(client.send(refused))).toBe('ConditionalCheckFailedException');
    const units = Object.fromEntries(statistics().hottest.map(({ resource, writeUnits }) => [resource, writeUnits]));
    expect(units).toEqual({ [TABLE]: 1, [`${TABLE}/gsi1`]: 0 });
  });

  test('is charged for a query by what it reads', async () => {
    const text = S(KB.repeat(3));
    for (let at = 0; at < 4; at++)
      await direct.send(put(row(`q-${at}`, { gsi1pk: S('query'), gsi1sk: S(`${at}`), status: text })));
    const { client, statistics } = await laws();
    const requested = { KeyConditionExpression: 'gsi1pk = :p', ExpressionAttributeValues: { ':p': S('query') } };
    await client.send(new QueryCommand({ TableName: TABLE, IndexName: 'gsi1', ...requested }));
    expect(statistics().hottest).toMatchObject([{ resource: `${TABLE}/gsi1`, partition: 'query', readUnits: 1.5 }]);
  });
});

describe('a batch', () => {
  test('of writes returns in UnprocessedItems what is throttled, and is throttled when that is all of it', async () => {
    const { client, refused } = await laws(NARROW);
    await times(10, () => client.send(put(row('b-hot'))));
    const write = (...pks: string[]) => {
      const requests = pks.map((pk) => ({ PutRequest: { Item: row(pk) } }));
      return client.send(new BatchWriteItemCommand({ RequestItems: { [TABLE]: requests } }));
    };
    const left = { [TABLE]: [{ PutRequest: { Item: row('b-hot') } }] };
    expect((await write('b-hot', 'b-cool')).UnprocessedItems).toEqual(left);
    expect(await nameOf(write('b-hot'))).toBe('ThrottlingException');
    expect(refused()).toEqual({ partitionThrottles: 2, unprocessedItems: 1 });
  });

  test('of reads returns in UnprocessedKeys what is throttled, and is throttled when that is all of it', async () => {
    await direct.send(put(row('g-cool')));
    const { client } = await laws(NARROW);
    await times(30, () => client.send(get('g-hot')));
    const read = (...pks: string[]) =>
      client.send(new BatchGetItemCommand({ RequestItems: { [TABLE]: { Keys: pks.map((pk) => row(pk)) } } }));
    const answer = await read('g-hot', 'g-cool');
    expect(answer.Responses).toEqual({ [TABLE]: [row('g-cool')] });
    expect(answer.UnprocessedKeys).toEqual({ [TABLE]: { Keys: [row('g-hot')] } });
    expect(await nameOf(read('g-hot'))).toBe('ThrottlingException');
  });
});
