import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';

process.env.AWS_REGION ??= 'sa-east-1';
process.env.AWS_ACCESS_KEY_ID ??= 'local';
process.env.AWS_SECRET_ACCESS_KEY ??= 'local';

describe('the client of the table', () => {
  const bodies: string[] = [];
  const lengths: number[] = [];
  let answer = true;
  let server: Server;
  let endpoint = '';
  beforeAll(async () => {
    server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const body = Buffer.concat(chunks);
        bodies.push(body.toString('utf8'));
        lengths.push(Number(incoming.headers['content-length']) - body.length);
        if (answer) outgoing.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('sends no request token, and a body whose length is right, whatever its characters', async () => {
    await tableClient(endpoint).send(
      new TransactWriteItemsCommand({
        TransactItems: [{ Put: { TableName: 'table', Item: { pk: { S: 'ação "ClientRequestToken":"' } } } }],
      }),
    );
    expect(JSON.parse(bodies.at(-1) ?? '')).toEqual({
      TransactItems: [{ Put: { TableName: 'table', Item: { pk: { S: 'ação "ClientRequestToken":"' } } } }],
    });
    expect(lengths.at(-1)).toBe(0);
  });

  test('gives a call up that is never answered, tries again a bounded number of times, and then says that the table is unavailable', async () => {
    answer = false;
    const before = bodies.length;
    await expect(new Table(tableClient(endpoint), 'table').get({ pk: 'a', sk: 'b' })).rejects.toThrow(Unavailable);
    answer = true;
    expect(bodies.length - before).toBe(5);
  }, 120_000);
});
