import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Pool } from 'undici';
import { PLAIN_OPERATIONS, toJson } from '../../shared/storage/client/plain-json.ts';
import { UNCHECKED_SIGNATURE } from './scan.ts';

/** An answer of the engine, as the SDK's protocol reads one. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** As many as a client of the service opens. */
const MAX_CONNECTIONS = 256;
const SIGNED = { ...UNCHECKED_SIGNATURE, 'content-type': 'application/x-amz-json-1.0' };

/** Calls of the engine over connections that are used again. */
const callsOf = (endpoint: string) => {
  const pool = new Pool(endpoint, { connections: MAX_CONNECTIONS });
  return {
    async call(action: string, body: string): Promise<Answer> {
      const headers = { ...SIGNED, 'x-amz-target': `DynamoDB_20120810.${action}` };
      const answer = await pool.request({ path: '/', method: 'POST', headers, body });
      return { statusCode: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.bytes()) };
    },
    close: () => void pool.destroy(),
  };
};

/** The SDK's schema of a command's operation. */
type Schema = readonly [unknown, namespace: string, name: string, traits: unknown, input: unknown, output: unknown];
interface Command {
  readonly schema?: Schema;
  readonly input: object;
}
interface Protocol {
  deserializeResponse(operation: object, context: object, answer: Answer): Promise<unknown>;
}

/**
 * Has a client's calls of rows made without the SDK's middleware and Node's HTTP, which take four fifths of a call's processor time; its
 * protocol reads the answers, errors included. `mayCall`: false leaves a call to the SDK. For the embedded engine, which checks no signature.
 */
export const callEngine = (client: DynamoDBClient, endpoint: string, mayCall: (action: string) => boolean) => {
  const engine = callsOf(endpoint);
  const sdk = client.send.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const protocol = client.config.protocol as unknown as Protocol;
  const context = { ...client.config, streamCollector: async (body: Buffer) => body };
  const called = async ([, namespace, name, traits, input, output]: Schema, body: string) =>
    protocol.deserializeResponse({ namespace, name, traits, input, output }, context, await engine.call(name, body));
  const send = (...args: unknown[]): Promise<unknown> => {
    const [{ schema, input }] = args as [Command];
    if (args.length > 1 || !schema || !PLAIN_OPERATIONS.has(schema[2]) || !mayCall(schema[2])) return sdk(...args);
    return called(schema, toJson(input));
  };
  client.send = send as DynamoDBClient['send'];
  /** An answer as the engine writes it. */
  const read = async (action: string, input: object): Promise<unknown> => {
    const { statusCode, body } = await engine.call(action, JSON.stringify(input));
    if (statusCode !== 200) throw new Error(`${action}: ${statusCode} ${body.toString('utf8')}`);
    return JSON.parse(body.toString('utf8'));
  };
  return { close: engine.close, read };
};
