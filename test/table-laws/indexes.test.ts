import {
  DeleteItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { put, putOf, row, S, startEngine, TABLE } from './kit.ts';

const { direct, laws } = await startEngine();
/** Every entry comes 100 ms after its row. */
const LATE = { lagMs: [100, 100], lateShare: 0 } as const;
const entry = (pk: string, partition: string, more: Record<string, { S: string }> = {}) =>
  row(pk, { gsi1pk: S(partition), gsi1sk: S(pk), ...more });

const ask = async (
  { client }: Pick<Awaited<ReturnType<typeof laws>>, 'client'>,
  partition: string,
  more: Partial<QueryCommandInput> & { values?: Record<string, { S: string }> } = {},
) => {
  const { values, ...rest } = more;
  const ExpressionAttributeValues = { ':p': S(partition), ...values };
  const requested = {
    TableName: TABLE,
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :p',
    ExpressionAttributeValues,
  };
  const answer = await client.send(new QueryCommand({ ...requested, ...rest }));
  return { ...answer, found: (answer.Items ?? []).map(({ gsi1sk }) => gsi1sk?.S) };
};

test('a new entry is not found until its lag has passed, while its row is readable immediately', async () => {
  const table = await laws(LATE);
  await table.client.send(put(entry('new-1', 'new')));
  expect((await ask(table, 'new')).found).toEqual([]);
  const base = { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': S('new-1') } };
  expect((await table.client.send(new QueryCommand({ TableName: TABLE, ...base }))).Count).toBe(1);
  table.clock.advance(101);
  expect((await ask(table, 'new')).found).toEqual(['new-1']);
});

test('an entry that moved is found where it was until its lag has passed, then where it is', async () => {
  await direct.send(put(entry('move-1', 'from', { status: S('queued') })));
  const table = await laws(LATE);
  const moved = { UpdateExpression: 'SET gsi1pk = :to, #s = :sent', ExpressionAttributeNames: { '#s': 'status' } };
  const ExpressionAttributeValues = { ':to': S('to'), ':sent': S('sent') };
  const key = { TableName: TABLE, Key: row('move-1') };
  await table.client.send(new UpdateItemCommand({ ...key, ...moved, ExpressionAttributeValues }));
  expect((await ask(table, 'from')).Items).toMatchObject([{ status: S('queued') }]);
  expect((await ask(table, 'to')).found).toEqual([]);
  table.clock.advance(101);
  expect((await ask(table, 'from')).found).toEqual([]);
  expect((await ask(table, 'to')).Items).toMatchObject([{ status: S('sent') }]);
});

test('an index shows the states of an item one after another, none twice and none out of order', async () => {
  const table = await laws({ lagMs: [0, 200], lateShare: 0.3, lateMs: 800, seed: 11 });
  const seen: number[] = [];
  for (let state = 0; state < 30; state++) {
    await table.client.send(put(entry('states', 'states', { status: S(String(state)) })));
    for (let look = 0; look < 3; look++) {
      table.clock.advance(20);
      const { Items } = await ask(table, 'states');
      seen.push(Number(Items?.[0]?.status?.S ?? -1));
    }
  }
  expect(seen).toEqual([...seen].sort((one, other) => one - other));
  expect(seen.some((state, at) => state < Math.floor(at / 3))).toBe(true);
  table.clock.advance(1_000);
  expect((await ask(table, 'states')).Items).toMatchObject([{ status: S('29') }]);
});

test('entries of a transaction come after it, each at its own time', async () => {
  const table = await laws({ lagMs: [0, 200], lateShare: 0 });
  const items = Array.from({ length: 20 }, (_, at) => {
    const { Put } = putOf(`tx-${at}`, entry(`tx-${at}`, 'tx'));
    return { Put };
  });
  await table.run(table.client.send(new TransactWriteItemsCommand({ TransactItems: items })));
  table.clock.advance(60);
  const early = (await ask(table, 'tx')).found.length;
  expect(early).toBeGreaterThan(0);
  expect(early).toBeLessThan(20);
  table.clock.advance(200);
  expect((await ask(table, 'tx')).found).toHaveLength(20);
});

test('filters, counts, projections and order are those of the entries as they are shown', async () => {
  for (const pk of ['o-1', 'o-2', 'o-3', 'o-4']) await direct.send(put(entry(pk, 'order', { status: S('sent') })));
  const table = await laws(LATE);
  await table.client.send(new DeleteItemCommand({ TableName: TABLE, Key: row('o-2') }));
  await table.client.send(put(entry('o-3', 'order', { status: S('failed') })));
  const filter = {
    FilterExpression: '#s IN (:sent)',
    ExpressionAttributeNames: { '#s': 'status' },
    values: { ':sent': S('sent') },
  };
  expect((await ask(table, 'order', filter)).found).toEqual(['o-1', 'o-2', 'o-3', 'o-4']);
  expect(await ask(table, 'order', { ...filter, Select: 'COUNT' })).toMatchObject({ Count: 4, found: [] });
  const narrow = {
    KeyConditionExpression: 'gsi1pk = :p AND gsi1sk BETWEEN :a AND :b',
    values: { ':a': S('o-2'), ':b': S('o-3') },
  };
  const backward = await ask(table, 'order', { ...narrow, ScanIndexForward: false, ProjectionExpression: 'gsi1sk' });
  expect(backward.Items).toEqual([{ gsi1sk: S('o-3') }, { gsi1sk: S('o-2') }]);
  table.clock.advance(101);
  expect((await ask(table, 'order', filter)).found).toEqual(['o-1', 'o-4']);
  expect(table.statistics().unpatchedQueries).toBe(0);
});

test('the pages of a query together are the entries as they are shown, each once', async () => {
  for (let at = 10; at < 30; at++) await direct.send(put(entry(`p-${at}`, 'pages')));
  const table = await laws(LATE);
  for (const at of [12, 13, 19, 28])
    await table.client.send(new DeleteItemCommand({ TableName: TABLE, Key: row(`p-${at}`) }));
  for (const at of [30, 31]) await table.client.send(put(entry(`p-${at}`, 'pages')));
  const found: unknown[] = [];
  let start: QueryCommandInput['ExclusiveStartKey'];
  do {
    const page = await ask(table, 'pages', { Limit: 3, ExclusiveStartKey: start });
    expect(page.found.length).toBeLessThanOrEqual(3);
    found.push(...page.found);
    start = page.LastEvaluatedKey;
  } while (start);
  expect(found).toEqual(Array.from({ length: 20 }, (_, at) => `p-${at + 10}`));
});

test('a write that its condition refused changes no index', async () => {
  await direct.send(put(entry('kept', 'kept')));
  const table = await laws(LATE);
  const refused = put(entry('kept', 'elsewhere'));
  refused.input.ConditionExpression = 'attribute_not_exists(pk)';
  await expect(table.client.send(refused)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
  expect((await ask(table, 'kept')).found).toEqual(['kept']);
  expect((await ask(table, 'elsewhere')).found).toEqual([]);
});
