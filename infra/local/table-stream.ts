import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { lambdaContext, type StageFunctions } from './functions.ts';
import type { Running } from './pollers.ts';
import { LOCAL_REGION, tableName } from './stages.ts';

/** A table's stream and its consumer. */
export interface StreamDelivery {
  /** The engine's address. */
  readonly endpoint: string;
  readonly tableName: string;
  /** The sequence number (21 digits) after which reading a shard starts; undefined: at its beginning. */
  readonly startAfter: (shardId: string) => Promise<string | undefined>;
  /** The iterator of each shard; kept by the caller between calls. */
  readonly iterators: Map<string, string>;
  /** Receives events in Lambda's form. A batch that it rejects is read again. */
  readonly consume: (event: unknown) => Promise<unknown>;
}

/** Most records of an event. */
const BATCH = 1_000;

/** Called without the SDK, whose client of streams is a separate package; the engines check no signature. */
const HEADERS = {
  'content-type': 'application/x-amz-json-1.0',
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/${LOCAL_REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
  'x-amz-date': '20260101T000000Z',
};

const call = async (endpoint: string, action: string, input: object): Promise<unknown> => {
  const headers = { ...HEADERS, 'x-amz-target': `DynamoDBStreams_20120810.${action}` };
  const answer = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(input) });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${action}: ${answer.status} ${JSON.stringify(body)}`);
  return body;
};

const listed = z.object({ Streams: z.array(z.object({ StreamArn: z.string() })) });
const described = z.object({
  StreamDescription: z.object({
    Shards: z.array(z.object({ ShardId: z.string() })),
    LastEvaluatedShardId: z.string().nullish(),
  }),
});
const begun = z.object({ ShardIterator: z.string() });
const read = z.object({
  Records: z.array(z.looseObject({})),
  /** None for a shard that has ended. */
  NextShardIterator: z.string().nullish(),
});

/** The shards of a table's stream, each with the stream's ARN. */
const shardsOf = async ({ endpoint, tableName: TableName }: StreamDelivery) => {
  const { Streams } = listed.parse(await call(endpoint, 'ListStreams', { TableName }));
  const shards: { readonly StreamArn: string; readonly ShardId: string }[] = [];
  for (const { StreamArn } of Streams) {
    let ExclusiveStartShardId: string | null | undefined;
    do {
      const input = { StreamArn, ...(ExclusiveStartShardId ? { ExclusiveStartShardId } : {}) };
      const { StreamDescription } = described.parse(await call(endpoint, 'DescribeStream', input));
      shards.push(...StreamDescription.Shards.map(({ ShardId }) => ({ StreamArn, ShardId })));
      ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
  }
  return shards;
};

const begin = async (
  { endpoint, startAfter }: StreamDelivery,
  shard: { readonly StreamArn: string; readonly ShardId: string },
): Promise<string> => {
  const SequenceNumber = await startAfter(shard.ShardId);
  const from =
    SequenceNumber === undefined
      ? { ShardIteratorType: 'TRIM_HORIZON' }
      : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber };
  return begun.parse(await call(endpoint, 'GetShardIterator', { ...shard, ...from })).ShardIterator;
};

const ENDED = 'ended';

/** Delivers the next batch of each shard of a table's stream, in order. Returns the number of records. */
export const deliverStream = async (delivery: StreamDelivery): Promise<number> => {
  const { endpoint, iterators, consume } = delivery;
  let delivered = 0;
  for (const shard of await shardsOf(delivery)) {
    const { ShardId: shardId, StreamArn: eventSourceARN } = shard;
    const ShardIterator = iterators.get(shardId) ?? (await begin(delivery, shard));
    if (ShardIterator === ENDED) continue;
    // Removed until the batch is consumed: after any failure, the shard is read again from its checkpoint.
    iterators.delete(shardId);
    const page = read.parse(await call(endpoint, 'GetRecords', { ShardIterator, Limit: BATCH }));
    if (page.Records.length > 0) await consume({ Records: page.Records, shardId, eventSourceARN, state: {} });
    iterators.set(shardId, page.NextShardIterator ?? ENDED);
    delivered += page.Records.length;
  }
  return delivered;
};

/** The counter of the metrics. */
export const OUTCOME_COUNTER = 'streams/metrics';
const TIMEOUT_MS = 60_000;

/** Polls the stream of a stage's table and invokes the counter of the metrics with its batches, until it is stopped. */
export const startStream = (options: {
  readonly functions: StageFunctions;
  readonly endpoint: string;
  readonly startAfter: (shardId: string) => Promise<string | undefined>;
  readonly everySeconds: number;
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
}): Running => {
  const { functions, endpoint, startAfter, everySeconds, onFault } = options;
  const stopping = new AbortController();
  const consume = async (event: unknown): Promise<unknown> => {
    const handler = functions.loaded(OUTCOME_COUNTER) ?? (await functions.load(OUTCOME_COUNTER));
    return handler(event, lambdaContext(OUTCOME_COUNTER, randomUUID(), TIMEOUT_MS));
  };
  const delivery = { endpoint, tableName: tableName(functions.stage), startAfter, iterators: new Map(), consume };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const delivered = await deliverStream(delivery).catch((error: unknown) => {
        if (!stopping.signal.aborted) onFault(OUTCOME_COUNTER, 'stream', error);
        return 0;
      });
      if (delivered === 0)
        await pause(everySeconds * 1_000, undefined, { signal: stopping.signal }).catch(() => undefined);
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
