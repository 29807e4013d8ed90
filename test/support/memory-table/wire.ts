import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../infra/local/table-laws/model.ts';
import { toJson } from '../../../shared/storage/client/plain-json.ts';
import { administrate } from './administration.ts';
import type { MemoryTables } from './client.ts';
import { streamAnswer } from './streams.ts';

/** An answer in DynamoDB's wire format (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html). */
export interface WireAnswer {
  readonly statusCode: number;
  readonly body: string;
}

/** Bytes are Base64 in JSON, and bytes in the tables. */
const bytesOf = (name: string, value: unknown): unknown =>
  name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
const inputOf = (body: string): object =>
  body.includes('"B":"') ? JSON.parse(body, bytesOf) : (JSON.parse(body) as object);

/** The parts of an error that its answer has. */
interface Refused extends Error {
  readonly $metadata: { readonly httpStatusCode?: number };
  readonly Item?: Item;
  readonly CancellationReasons?: readonly object[];
}
const refused = ({ name, message, $metadata, Item, CancellationReasons }: Refused): WireAnswer => {
  const parts = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, Item, CancellationReasons };
  return { statusCode: $metadata.httpStatusCode ?? 400, body: toJson(parts) };
};

const done = (output: object): WireAnswer => ({ statusCode: 200, body: toJson(output) });

/**
 * Answers a call of tables in memory as the engine does.
 * @param target the header `X-Amz-Target`, such as `DynamoDB_20120810.GetItem`
 */
export const wireAnswer = (tables: MemoryTables, target: string, body: string): WireAnswer => {
  const [service, action = ''] = target.split('.');
  try {
    const input = inputOf(body);
    const call = tables.calls[action];
    const isOfStream = service === 'DynamoDBStreams_20120810';
    if (isOfStream) return done(streamAnswer(tables, action, input));
    return done(call?.(input as never) ?? administrate(tables, action, input));
  } catch (error) {
    // A fault of these tables, not an answer: the process reports it.
    if (!(error instanceof DynamoDBServiceException)) throw error;
    return refused(error);
  }
};
