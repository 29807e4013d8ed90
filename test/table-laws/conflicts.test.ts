import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { codesOf, nameOf, put, putOf, row, S, startEngine, TABLE } from './kit.ts';

const { direct, laws } = await startEngine();
const FLIGHT = { flightMs: [5, 15] } as const;
const transaction = (...TransactItems: TransactWriteItem[]) => new TransactWriteItemsCommand({ TransactItems });
const keyOf = (pk: string) => ({ TableName: TABLE, Key: row(pk) });

/** Laws with a transaction of these items in flight. */
const withFlight = async (...pks: string[]) => {
  const started = await laws(FLIGHT);
  const first = started.client.send(transaction(...pks.map((pk) => putOf(pk, { by: S('first') }))));
  await vi.waitFor(() => expect(started.clock.waiting).toBe(1), PATIENCE);
  return { ...started, first, land: () => started.run(first) };
};

test("of two concurrent transactions on one item the second is cancelled with TransactionConflict at that item's place", async () => {
  const { client, land, refused } = await withFlight('meet-1', 'meet-2');
  const second = client.send(transaction(putOf('other-1'), putOf('meet-2'), putOf('other-2')));
  expect(await codesOf(second)).toEqual(['None', 'TransactionConflict', 'None']);
  await land();
  const { Item } = await direct.send(new GetItemCommand(keyOf('meet-2')));
  expect(Item?.by).toEqual(S('first'));
  expect((await direct.send(new GetItemCommand(keyOf('other-1')))).Item).toBeUndefined();
  expect(refused()).toEqual({ transactionConflicts: 1 });
});

test('a condition check conflicts with a transaction like a write', async () => {
  const { client, land } = await withFlight('check-1');
  const check = { ConditionCheck: { ...keyOf('check-1'), ConditionExpression: 'attribute_exists(pk)' } };
  expect(await codesOf(client.send(transaction(putOf('check-2'), check)))).toEqual(['None', 'TransactionConflict']);
  await land();
});

test('a transaction whose items are free proceeds alongside one in flight', async () => {
  const { client, run, first } = await withFlight('free-1');
  await run(Promise.all([client.send(transaction(putOf('free-2'))), first]));
});

test('an item is free again once its transaction has ended, also when a condition cancelled it', async () => {
  const { client, run } = await laws(FLIGHT);
  const failing = { ConditionCheck: { ...keyOf('again'), ConditionExpression: 'attribute_exists(pk)' } };
  expect(await codesOf(run(client.send(transaction(failing))))).toEqual(['ConditionalCheckFailed']);
  await run(client.send(transaction(putOf('again'))));
  await client.send(put(row('again')));
});

test('PutItem, UpdateItem and DeleteItem of an item in a transaction are refused with TransactionConflictException', async () => {
  const { client, land, refused } = await withFlight('single');
  const update = { UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': S('a') } };
  for (const command of [put(row('single')), new DeleteItemCommand(keyOf('single'))] as const)
    expect(await nameOf(client.send(command as ReturnType<typeof put>))).toBe('TransactionConflictException');
  const updated = client.send(new UpdateItemCommand({ ...keyOf('single'), ...update }));
  await expect(updated).rejects.toMatchObject({
    name: 'TransactionConflictException',
    message: 'Transaction is ongoing for the item',
    $metadata: { httpStatusCode: 400 },
  });
  await land();
  expect(refused()).toEqual({ writeConflicts: 3 });
});

test('an item of BatchWriteItem that is in a transaction comes back in UnprocessedItems', async () => {
  const { client, land } = await withFlight('batch-1');
  const requests = ['batch-1', 'batch-2'].map((pk) => ({ PutRequest: { Item: row(pk) } }));
  const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [TABLE]: requests } }));
  expect(answer.UnprocessedItems).toEqual({ [TABLE]: [{ PutRequest: { Item: row('batch-1') } }] });
  await land();
  expect((await direct.send(new GetItemCommand(keyOf('batch-2')))).Item).toBeDefined();
});

test('GetItem never conflicts, and reads the item as it was before the transaction', async () => {
  const { client, land } = await withFlight('read-1');
  expect((await client.send(new GetItemCommand({ ...keyOf('read-1'), ConsistentRead: true }))).Item).toBeUndefined();
  await land();
  expect((await client.send(new GetItemCommand(keyOf('read-1')))).Item).toMatchObject({ by: S('first') });
});

test("TransactGetItems that conflicts with a transaction is cancelled with TransactionConflict at that item's place", async () => {
  const { client, land, refused } = await withFlight('get-1');
  const Get = (pk: string) => ({ Get: keyOf(pk) });
  const reading = () => client.send(new TransactGetItemsCommand({ TransactItems: [Get('get-2'), Get('get-1')] }));
  expect(await codesOf(reading())).toEqual(['None', 'TransactionConflict']);
  await land();
  expect((await reading()).Responses?.[1]?.Item).toMatchObject({ by: S('first') });
  expect(refused()).toEqual({ readConflicts: 1 });
});

test('single writes of one item never conflict: each has its turn', async () => {
  const { client, refused } = await laws(FLIGHT);
  const add = { UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': { N: '1' } } };
  await Promise.all(
    Array.from({ length: 20 }, () => client.send(new UpdateItemCommand({ ...keyOf('turns'), ...add }))),
  );
  expect((await direct.send(new GetItemCommand(keyOf('turns')))).Item?.n).toEqual({ N: '20' });
  expect(refused()).toEqual({});
});

test('the same seed draws the same times in flight, and others than another seed', async () => {
  const times = async (seed: number) => {
    const { client, clock, run } = await laws({ ...FLIGHT, seed });
    const taken: number[] = [];
    const wait = clock.wait;
    clock.wait = (ms) => {
      taken.push(ms);
      return wait(ms);
    };
    for (let turn = 0; turn < 5; turn++) await run(client.send(transaction(putOf('seeded'))));
    return taken;
  };
  const [one, same, other] = [await times(7), await times(7), await times(8)];
  expect(one).toEqual(same);
  expect(one).not.toEqual(other);
  expect(one.every((ms) => ms >= 5 && ms <= 15)).toBe(true);
});
