import type { Item } from '../../../infra/local/table-laws/model.ts';
import { TABLE } from '../../../shared/storage/table-indexes.ts';
import type { MemoryTables } from './client.ts';
import type { Change } from './rows.ts';

interface StreamCall {
  readonly TableName?: string;
  readonly StreamArn?: string;
  readonly SequenceNumber?: string;
  readonly ShardIterator?: string;
  readonly Limit?: number;
}

/** A stream is named as its table, and has one shard, which never ends. */
const SHARD = 'shardId-00000000000000000001-00000001';
const SEQUENCE_DIGITS = 21;

const sequenceNumber = (at: number): string => String(at + 1).padStart(SEQUENCE_DIGITS, '0');
const keysOf = (item: Item): Item => ({
  [TABLE.partitionKey]: item[TABLE.partitionKey] ?? {},
  [TABLE.sortKey]: item[TABLE.sortKey] ?? {},
});

const recordOf = ({ before, after }: Change, at: number): object => ({
  eventID: sequenceNumber(at),
  eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  dynamodb: {
    Keys: keysOf(after ?? before ?? {}),
    ...(before ? { OldImage: before } : {}),
    ...(after ? { NewImage: after } : {}),
    SequenceNumber: sequenceNumber(at),
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
});

/** An iterator: the stream and the place of the next record. */
const iteratorOf = (stream: string, at: number): string => `${at} ${stream}`;
const readFrom = (tables: MemoryTables, { ShardIterator = '', Limit = 1_000 }: StreamCall): object => {
  const [at = '', stream = ''] = ShardIterator.split(' ');
  const from = Number(at);
  const changes = tables.rows(stream).changes?.slice(from, from + Limit) ?? [];
  return {
    Records: changes.map((change, nth) => recordOf(change, from + nth)),
    NextShardIterator: iteratorOf(stream, from + changes.length),
  };
};

/** Answers a call of a table's stream, of which all records are kept (DynamoDB Streams' API reference). */
export const streamAnswer = (tables: MemoryTables, action: string, input: object): object => {
  const call = input as StreamCall;
  const { TableName = '', StreamArn = '', SequenceNumber } = call;
  switch (action) {
    case 'ListStreams':
      return { Streams: tables.rows(TableName).changes ? [{ StreamArn: TableName, TableName }] : [] };
    case 'DescribeStream':
      return { StreamDescription: { StreamArn, Shards: [{ ShardId: SHARD }] } };
    case 'GetShardIterator':
      // The number of a record is one more than its place.
      return { ShardIterator: iteratorOf(StreamArn, Number(SequenceNumber ?? 0)) };
    case 'GetRecords':
      return readFrom(tables, call);
    default:
      throw new TypeError(`The stream in memory does not know ${action}.`);
  }
};
