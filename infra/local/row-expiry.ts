import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../shared/storage/table-indexes.ts';
import { lambdaContext, type StageFunctions } from './functions.ts';
import type { Running } from './pollers.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION, tableName } from './stages.ts';

/** Simulates DynamoDB's deletion of expired rows, and the stream that reports it. */
export interface RowExpiryOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** ms; rows that expired before are deleted. */
  readonly now: number;
  /** The consumer of the stream. If it fails, the rows are kept. */
  readonly consume: (event: unknown) => Promise<unknown>;
}

type Item = Record<string, AttributeValue>;
/** Records of an event at most. */
const BATCH = 100;

const keyOf = (item: Item): Item => ({
  [TABLE.partitionKey]: item[TABLE.partitionKey] ?? { S: '' },
  [TABLE.sortKey]: item[TABLE.sortKey] ?? { S: '' },
});

/** The same for the same row, like a shard's sequence number of a redelivered record. */
const sequenceNumber = (item: Item): string =>
  BigInt(
    `0x${createHash('sha256')
      .update(JSON.stringify([...Object.values(keyOf(item)), item[TABLE.timeToLive]]))
      .digest('hex')
      .slice(0, 30)}`,
  ).toString();

/** A record of the table's stream, as Lambda is given it when DynamoDB has deleted an expired row. */
export const expiryRecord = (tableName: string, item: Item, now: number) => ({
  eventID: createHash('sha256').update(sequenceNumber(item)).digest('hex').slice(0, 32),
  eventName: 'REMOVE',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: LOCAL_REGION,
  dynamodb: {
    ApproximateCreationDateTime: Math.floor(now / 1000),
    Keys: keyOf(item),
    OldImage: item,
    SequenceNumber: sequenceNumber(item),
    SizeBytes: JSON.stringify(item).length,
    StreamViewType: 'OLD_IMAGE',
  },
  userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
  eventSourceARN: `arn:aws:dynamodb:${LOCAL_REGION}:${LOCAL_ACCOUNT}:table/${tableName}/stream/2026-01-01T00:00:00.000`,
});

/** Deletes a row, unless it was given more time meanwhile. */
const remove = async ({ client, tableName }: RowExpiryOptions, item: Item): Promise<void> => {
  const input = {
    TableName: tableName,
    Key: keyOf(item),
    ConditionExpression: '#ttl = :ttl',
    ExpressionAttributeNames: { '#ttl': TABLE.timeToLive },
    ExpressionAttributeValues: { ':ttl': item[TABLE.timeToLive] ?? { NULL: true } },
  };
  try {
    await client.send(new DeleteItemCommand(input));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
};

/**
 * Deletes the expired rows of a table, and passes their old images to the consumer of the stream: before the deletion, so that a failed
 * consumer gets them again. One pass over the whole table, which no deployed function may make. Returns how many there were.
 */
export const expireRows = async (options: RowExpiryOptions): Promise<number> => {
  const { client, tableName, now, consume } = options;
  const pages = paginateScan(
    { client },
    {
      TableName: tableName,
      FilterExpression: '#ttl < :now',
      ExpressionAttributeNames: { '#ttl': TABLE.timeToLive },
      ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1000)) } },
    },
  );
  const expired: Item[] = [];
  for await (const { Items = [] } of pages) expired.push(...Items);
  for (let start = 0; start < expired.length; start += BATCH) {
    const items = expired.slice(start, start + BATCH);
    await consume({ Records: items.map((item) => expiryRecord(tableName, item, now)) });
    for (const item of items) await remove(options, item);
  }
  return expired.length;
};

const ARCHIVER = 'streams/archive';
const TIMEOUT_MS = 300_000;

/** Expires the rows of a stage immediately and then at intervals, with its archiver. */
export const startRowExpiry = ({
  functions,
  client,
  everySeconds,
  onFault,
}: {
  readonly functions: StageFunctions;
  readonly client: DynamoDBClient;
  readonly everySeconds: number;
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
}): Running => {
  const stopping = new AbortController();
  const consume = async (event: unknown): Promise<unknown> => {
    const handler = functions.loaded(ARCHIVER) ?? (await functions.load(ARCHIVER));
    return handler(event, lambdaContext(ARCHIVER, randomUUID(), TIMEOUT_MS));
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const table = tableName(functions.stage);
      await expireRows({ client, tableName: table, now: Date.now(), consume }).catch((error: unknown) =>
        onFault(ARCHIVER, 'expiry', error),
      );
      await pause(everySeconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const ended = loop();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
};
