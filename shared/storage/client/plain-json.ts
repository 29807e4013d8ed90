import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

type Protocol = DynamoDBClient['config']['protocol'];

interface Operation {
  readonly name: string;
}
interface Answer {
  readonly statusCode: number;
  readonly body: unknown;
}
/** What the SDK's protocol does, whichever of its types it has. */
interface Coding {
  serializeRequest(operation: Operation, input: object, context: object): Promise<{ body?: unknown }>;
  deserializeResponse(operation: Operation, context: object, answer: Answer): Promise<unknown>;
}
interface Context {
  streamCollector(body: unknown): Promise<Uint8Array>;
}

/** Operations whose inputs and outputs are JSON already, but for binary values; what administers tables has times, too. */
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
/** A replacer for `JSON.stringify`: bytes as DynamoDB takes them. It is given them as JSON has them. */
function asBase64(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const { [name]: given } = this;
  return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value;
}
/** An input as DynamoDB takes it. */
export const toJson = (input: object): string => {
  const text = JSON.stringify(input);
  return hasBytes(text) ? JSON.stringify(input, asBase64) : text;
};
/** Whether an output has bytes, or a text that looks like some, which the SDK has to decode. */
const hasBase64 = (text: string): boolean => text.includes('"B":"') || text.includes('"BS":[');

/** Given in place of an input whose JSON is known; its token saves the SDK the making of one. */
const NO_INPUT = { ClientRequestToken: '' };

/**
 * The client's protocol with `JSON.stringify` and `JSON.parse` in place of a walk through the schema, which took a seventh of a call's processor
 * time. The SDK's own does the rest: errors, bytes in an output, other operations, and each request but for its body. Without the walk there is no
 * request token: correctness comes from conditions, and engines that store tokens slow down as they accumulate.
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
