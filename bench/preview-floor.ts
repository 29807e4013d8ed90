import { createServer } from 'node:http';
import {
  BatchGetItemCommand,
  type BatchGetItemInput,
  GetItemCommand,
  type GetItemInput,
  QueryCommand,
  type QueryInput,
} from '@aws-sdk/client-dynamodb';
import { tableClient } from '../shared/storage/client/client.ts';

/**
 * Floor of a preview: a bare server that makes the same reads of the same rows from the same engine, in sequence. No parsing, authorizer,
 * rules or logging.
 */
const [endpoint = '', port = '0', calls = '[]'] = process.argv.slice(2);
const client = tableClient(endpoint);

interface Read {
  readonly action: string;
  readonly body: string;
}
const reads = (JSON.parse(calls) as readonly Read[]).map(({ action, body }) => {
  const input: unknown = JSON.parse(body);
  switch (action) {
    case 'GetItem':
      return () => client.send(new GetItemCommand(input as GetItemInput));
    case 'BatchGetItem':
      return () => client.send(new BatchGetItemCommand(input as BatchGetItemInput));
    case 'Query':
      return () => client.send(new QueryCommand(input as QueryInput));
    default:
      throw new Error(`a preview does not ${action}`);
  }
});

const read = async (): Promise<void> => {
  for (const one of reads) await one();
};

createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.on('end', () => {
    const answer = (status: number, body: string) =>
      outgoing
        .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    read().then(
      () => answer(200, '{}'),
      (error: unknown) => answer(500, String(error)),
    );
  });
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
