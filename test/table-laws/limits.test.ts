import {
  BatchGetItemCommand,
  DescribeTableCommand,
  GetItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { nameOf, put, putOf, row, S, startEngine, TABLE } from './kit.ts';

const { direct, laws } = await startEngine();
const LARGE = S('x'.repeat(390_000));
const COUNT = 45;
const large = Array.from({ length: COUNT }, (_, at) => ({ pk: S('large'), sk: S(String(at)) }));

beforeAll(async () => {
  for (const key of large) await direct.send(put({ ...key, text: LARGE }));
});

// Limits of the engine: the proxy adds nothing, and these tests fail if the engine changes.
test('an item has at most 400 KB', async () => {
  const { client } = await laws();
  expect(await nameOf(client.send(put(row('too large', { text: S('x'.repeat(410_000)) }))))).toBe(
    'ValidationException',
  );
});

test('a transaction has at most 100 items and 4 MB', async () => {
  const { client, run } = await laws();
  const send = (count: number, text: { S: string }) => {
    const TransactItems = Array.from({ length: count }, (_, at) => putOf(`tx-${at}`, { text }));
    return nameOf(run(client.send(new TransactWriteItemsCommand({ TransactItems }))));
  };
  expect(await send(101, S('x'))).toBe('ValidationException');
  expect(await send(100, S('x'))).toBe('none');
  expect(await send(12, LARGE)).toBe('ValidationException');
});

test('a page of a query ends at 1 MB', async () => {
  const { client } = await laws();
  const requested = { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': S('large') } };
  const page = await client.send(new QueryCommand({ TableName: TABLE, ...requested }));
  expect(page.Count).toBeLessThanOrEqual(3);
  expect(page.LastEvaluatedKey).toBeDefined();
});

test('BatchGetItem answers at most 16 MB, with the rest in UnprocessedKeys', async () => {
  const { client } = await laws();
  const answer = await client.send(new BatchGetItemCommand({ RequestItems: { [TABLE]: { Keys: large } } }));
  const read = answer.Responses?.[TABLE]?.length ?? 0;
  expect(read * 390_000).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(read + (answer.UnprocessedKeys?.[TABLE]?.Keys?.length ?? 0)).toBe(COUNT);
});

const adding = (n: string, ClientRequestToken: string) => {
  const Update = {
    TableName: TABLE,
    Key: row('token'),
    UpdateExpression: 'ADD n :n',
    ExpressionAttributeValues: { ':n': { N: n } },
  };
  return new TransactWriteItemsCommand({ TransactItems: [{ Update }], ClientRequestToken });
};
const stored = async () => (await direct.send(new GetItemCommand({ TableName: TABLE, Key: row('token') }))).Item?.n?.N;

test('a transaction that is repeated under its token succeeds without a second effect, for ten minutes', async () => {
  const { client, run, clock, refused } = await laws();
  for (let turn = 0; turn < 3; turn++) await run(client.send(adding('1', 'token-1')));
  expect(await stored()).toBe('1');
  expect(await nameOf(client.send(adding('2', 'token-1')))).toBe('IdempotentParameterMismatchException');
  clock.advance(10 * 60_000);
  await run(client.send(adding('1', 'token-1')));
  expect(await stored()).toBe('2');
  expect(refused()).toEqual({ tokenMismatches: 1 });
});

test('a transaction that is repeated while it is in progress is refused with TransactionInProgressException', async () => {
  const { client, run, clock } = await laws({ flightMs: [5, 15] });
  const first = client.send(adding('1', 'token-2'));
  await vi.waitFor(() => expect(clock.waiting).toBe(1), PATIENCE);
  expect(await nameOf(client.send(adding('1', 'token-2')))).toBe('TransactionInProgressException');
  await run(first);
});

test('other calls and errors of the engine pass unchanged, with a checksum of what is sent', async () => {
  const { client, endpoint } = await laws();
  expect((await client.send(new DescribeTableCommand({ TableName: TABLE }))).Table?.TableName).toBe(TABLE);
  const unknown = client.send(new GetItemCommand({ TableName: 'nowhere', Key: row('a') }));
  expect(await nameOf(unknown)).toBe('ResourceNotFoundException');
  const figures = (await (await fetch(endpoint)).json()) as { calls: unknown };
  expect(figures.calls).toEqual({ DescribeTable: 1, GetItem: 1 });
});
