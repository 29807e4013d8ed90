import { createServer } from 'node:http';
import {
  GetItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { tableClient } from '../shared/storage/client/client.ts';

/**
 * Floor of a send: a bare server that makes the same DynamoDB calls to the same engine: one TransactWriteItems of 4 and one of 3, with rows
 * of the same size. No parsing, authorizer, rules, queue or logging. With `outcome` it also makes, after its response, the calls of a
 * send's delivery report and event.
 */
const [endpoint = '', table = '', port = '0', outcome] = process.argv.slice(2);
// The service's own client, so that the floor has the same overhead.
const client = tableClient(endpoint);

let n = 0;
const put = (item: Record<string, unknown>): TransactWriteItem => ({
  Put: {
    TableName: table,
    Item: marshall(item),
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
  },
});
const add = (pk: string, sk: string, coins: number, condition?: string): TransactWriteItem => ({
  Update: {
    TableName: table,
    Key: marshall({ pk, sk }),
    UpdateExpression: 'ADD #balance :coins',
    ExpressionAttributeNames: { '#balance': 'balance' },
    ExpressionAttributeValues: marshall({ ':coins': coins, ...(condition ? { ':least': 800 } : {}) }),
    ...(condition ? { ConditionExpression: condition } : {}),
  },
});

const send = async (): Promise<string> => {
  n += 1;
  const id = `msg_${process.pid}x${n}`;
  const at = new Date().toISOString();
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        put({ pk: `IDEM#${id}`, sk: 'IDEM', messageId: id, requestHash: 'x'.repeat(43), expiresAt: Date.now() }),
        add('WALLET#floor', 'W', -800, '#balance >= :least'),
        put({
          pk: 'WALLET#floor',
          sk: `E#${at}#${id}`,
          id,
          kind: 'hold',
          coins: -800,
          held: 800,
          messageId: id,
          createdAt: at,
        }),
        put({
          pk: `MSG#${id}`,
          sk: 'MSG',
          gsi1pk: 'MSGS#floor',
          gsi1sk: `${at}#${id}`,
          gsi4pk: 'TO#floor',
          gsi4sk: `${at}#${id}`,
          duePk: 'DUE#floor',
          dueAt: Date.now(),
          status: 'sending',
          payload: { text: 'x'.repeat(40) },
          detail: 'x'.repeat(700),
          createdAt: at,
        }),
      ],
    }),
  );
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        {
          Update: {
            TableName: table,
            Key: marshall({ pk: `MSG#${id}`, sk: 'MSG' }),
            UpdateExpression: 'SET #status = :sent, #dueAt = :due',
            ConditionExpression: '#status = :sending',
            ExpressionAttributeNames: { '#status': 'status', '#dueAt': 'dueAt' },
            ExpressionAttributeValues: marshall({ ':sent': 'sent', ':sending': 'sending', ':due': Date.now() + 3000 }),
          },
        },
        put({
          pk: 'WALLET#floor',
          sk: `E#${at}#${id}#c`,
          id,
          kind: 'capture',
          coins: 0,
          held: -800,
          messageId: id,
          createdAt: at,
        }),
        add('WALLET#floor', `S#${n % 8}`, 800),
      ],
    }),
  );
  return id;
};

/** The consumers' calls for one delivered message (`A send's calls` in RESULTS.md): 3 reads, 2 queries, a transaction, an update. */
const report = async (id: string): Promise<void> => {
  const Key = marshall({ pk: `MSG#${id}`, sk: 'MSG' });
  const query = new QueryCommand({
    TableName: table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: marshall({ ':pk': `MSG#${id}` }),
  });
  await Promise.all([1, 2, 3].map(() => client.send(new GetItemCommand({ TableName: table, Key }))));
  await client.send(query);
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        {
          Update: {
            TableName: table,
            Key,
            UpdateExpression: 'SET #status = :delivered REMOVE #duePk',
            ExpressionAttributeNames: { '#status': 'status', '#duePk': 'duePk' },
            ExpressionAttributeValues: marshall({ ':delivered': 'delivered' }),
          },
        },
        put({ pk: `MSG#${id}`, sk: 'RECEIPT', at: Date.now() }),
        put({ pk: `EVT#${id}`, sk: 'EVT', type: 'sms.delivered', data: 'x'.repeat(400), dueAt: Date.now() }),
      ],
    }),
  );
  await client.send(query);
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: marshall({ pk: `EVT#${id}`, sk: 'EVT' }),
      UpdateExpression: 'SET #at = :at',
      ExpressionAttributeNames: { '#at': 'publishedAt' },
      ExpressionAttributeValues: marshall({ ':at': Date.now() }),
    }),
  );
};

createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.on('end', () => {
    send().then(
      (id) => {
        const body = JSON.stringify({ id });
        outgoing
          .writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
          .end(body);
        if (outcome) void report(id);
      },
      (error: unknown) => {
        const body = String(error);
        outgoing.writeHead(500, { 'content-length': Buffer.byteLength(body) }).end(body);
      },
    );
  });
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
await client.send(
  new TransactWriteItemsCommand({ TransactItems: [{ ...add('WALLET#floor', 'W', 1_000_000_000_000) }] }),
);
