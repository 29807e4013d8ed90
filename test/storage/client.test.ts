import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import '../support/aws-environment.ts';
import { listening } from '../support/loopback.ts';
import { use } from '../support/use.ts';

describe('the client of the table', async () => {
  const bodies: string[] = [];
  const lengths: number[] = [];
  let answer = true;
  const pages: object[] = [];
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      bodies.push(body.toString('utf8'));
      lengths.push(Number(incoming.headers['content-length']) - body.length);
      if (answer)
        outgoing.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify(pages.shift() ?? {}));
    });
  });
  const { url: endpoint } = await use(listening(server));

  test('sends no request token, and a body whose length is right, whatever its characters', async () => {
    const request = {
      TransactItems: [{ Put: { TableName: 'table', Item: { pk: { S: 'ação "ClientRequestToken":"' } } } }],
    };
    await tableClient(endpoint).send(new TransactWriteItemsCommand(request));
    expect(JSON.parse(bodies.at(-1) ?? '')).toEqual(request);
    expect(lengths.at(-1)).toBe(0);
  });

  test.each([
    [undefined, 10_000],
    [50_000, 10_000],
    [25, 25],
  ])('asks for no more rows than a page of 1 MB has, of a range of which %s are wanted', async (limit, requested) => {
    const table = new Table(tableClient(endpoint), 'table');
    await table.query({ partition: 'P', ...(limit === undefined ? {} : { limit }) });
    await table.countPage({ partition: 'P', only: ['pk'], ...(limit === undefined ? {} : { limit }) });
    const [read, count] = bodies.slice(-2).map((body) => JSON.parse(body));
    expect([read.Limit, count.Limit]).toEqual([requested, requested]);
    // DynamoDB refuses names that no expression uses.
    expect(Object.keys(count.ExpressionAttributeNames)).toEqual(['#pk']);
    expect(count).not.toHaveProperty('ProjectionExpression');
  });

  test('counts a range over all of its pages', async () => {
    const LastEvaluatedKey = { pk: { S: 'P' }, sk: { S: 'two' } };
    pages.push({ Count: 2, LastEvaluatedKey }, { Count: 1 });
    expect(await new Table(tableClient(endpoint), 'table').count({ partition: 'P' })).toBe(3);
    expect(bodies.slice(-2).map((body) => JSON.parse(body).ExclusiveStartKey)).toEqual([undefined, LastEvaluatedKey]);
  });

  test('reports the table as unavailable after five calls without an answer', async () => {
    answer = false;
    const before = bodies.length;
    await expect(new Table(tableClient(endpoint), 'table').get({ pk: 'a', sk: 'b' })).rejects.toThrow(Unavailable);
    answer = true;
    expect(bodies.length - before).toBe(5);
  }, 180_000);
});
