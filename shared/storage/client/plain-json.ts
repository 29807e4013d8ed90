import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

type Protocol = DynamoDBClient['config']['protocol'];

interface Operation {
  readonly name: string;
}
interface Answer {
  readonly statusCode: number;
  readonly body: unknown;
}
/** The operations of the SDK's protocol, independent of its types. */
interface Coding {
  serializeRequest(operation: Operation, input: object, context: object): Promise<{ body?: unknown }>;
  deserializeResponse(operation: Operation, context: object, answer: Answer): Promise<unknown>;
}
interface Context {
  streamCollector(body: unknown): Promise<Uint8Array>;
}

/** Operations whose inputs and outputs are plain JSON except for binary values; table administration also has timestamps. */
export const PLAIN_OPERATIONS: ReadonlySet<string> = new Set([
  'BatchGetItem',
  'BatchWriteItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'TransactWriteItems',
  'UpdateItem',
]);

/** Whether an input has bytes (`"B":{"0":7}`), or an attribute of that name. */
const hasBytes = (text: string): boolean => text.includes('"B":{') || text.includes('"BS":[');
/** A replacer for `JSON.stringify` that encodes bytes as DynamoDB expects. It receives them in their JSON form. */
function asBase64(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const { [name]: given } = this;
  return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value;
}
/** Encodes an input as DynamoDB expects it. */
export const toJson = (input: object): string => {
  const text = JSON.stringify(input);
  return hasBytes(text) ? JSON.stringify(input, asBase64) : text;
};
/** Whether an output may contain bytes, which the SDK has to decode. */
const hasBase64 = (text: string): boolean => text.includes('"B":"') || text.includes('"BS":[');

/** Passed in place of an input that was already encoded; its token keeps the SDK from generating one. */
const NO_INPUT = { ClientRequestToken: '' };

/**
 * The client's protocol with `JSON.stringify` and `JSON.parse` instead of a walk through the schema, which took a seventh of a call's
 * processor time. The SDK still handles errors, bytes in an output, other operations, and everything but the body of requests. Without the
 * walk there is no request token: correctness comes from conditions, and engines that store tokens slow down as they accumulate.
 */
export const plainJson = (sdk: Protocol): Protocol => {
  const coding: Coding = sdk;
  const plain: Coding = {
    async serializeRequest(operation, input, context) {
      if (!PLAIN_OPERATIONS.has(operation.name)) return coding.serializeRequest(operation, input, context);
      return Object.assign(await coding.serializeRequest(operation, NO_INPUT, context), { body: toJson(input) });
    },
    async deserializeResponse(operation, context, answer) {
      if (!PLAIN_OPERATIONS.has(operation.name) || answer.statusCode !== 200)
        return coding.deserializeResponse(operation, context, answer);
      const body = await (context as Context).streamCollector(answer.body);
      const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
      if (hasBase64(text)) return coding.deserializeResponse(operation, context, Object.assign(answer, { body }));
      return { ...JSON.parse(text), $metadata: { httpStatusCode: answer.statusCode } };
    },
  };
  return Object.assign(Object.create(sdk) as Protocol, plain);
};
