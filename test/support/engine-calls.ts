import { connect } from 'node:net';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PLAIN_OPERATIONS, toJson } from '../../shared/storage/client/plain-json.ts';
import { UNCHECKED_SIGNATURE } from './scan.ts';

/** An answer of the engine, as the SDK's protocol reads one. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** As many as a client of the service opens. */
const MAX_CONNECTIONS = 256;
const SIGNED = Object.entries({ ...UNCHECKED_SIGNATURE, 'content-type': 'application/x-amz-json-1.0' })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** The answer that has been received; undefined while a part is missing. The engine states the length of each. */
const answerIn = (received: Buffer): Answer | undefined => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [status = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length']);
  if (!Number.isSafeInteger(length)) throw new Error(`The engine's answer has no length: ${status}`);
  const body = received.subarray(end + 4);
  return body.length < length ? undefined : { statusCode: Number(status.split(' ')[1]), headers, body };
};

/** A connection of one call at a time. */
const openConnection = (port: number, onEnd: () => void) => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let received: Buffer | undefined;
  let waiting: PromiseWithResolvers<Answer> | undefined;
  socket.on('data', (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    const answer = answerIn(received);
    if (!answer || !waiting) return;
    const { resolve } = waiting;
    received = waiting = undefined;
    // An idle connection keeps no process running.
    socket.unref();
    resolve(answer);
  });
  const fail = (error: Error) => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => {
    fail(Object.assign(new Error('The engine closed the connection.'), { code: 'ECONNRESET' }));
    onEnd();
  });
  return {
    call(action: string, body: string): Promise<Answer> {
      const answering = Promise.withResolvers<Answer>();
      waiting = answering;
      socket.ref();
      socket.write(
        `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${SIGNED}x-amz-target: DynamoDB_20120810.${action}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return answering.promise;
    },
    close: () => socket.destroy(),
  };
};
type Connection = ReturnType<typeof openConnection>;

/** Connections to the engine, each used again once its call is answered. */
const connectionsTo = (endpoint: string) => {
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting: ((connection: Connection) => void)[] = [];
  const opened = (): Connection => {
    const connection = openConnection(Number(new URL(endpoint).port), () => {
      open.delete(connection);
      if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
      if (waiting.length > 0) waiting.shift()?.(opened());
    });
    open.add(connection);
    return connection;
  };
  const taken = (): Connection | Promise<Connection> =>
    idle.pop() ?? (open.size < MAX_CONNECTIONS ? opened() : new Promise((resolve) => waiting.push(resolve)));
  return {
    async call(action: string, body: string): Promise<Answer> {
      const connection = await taken();
      const answer = await connection.call(action, body);
      const next = waiting.shift();
      if (next) next(connection);
      else idle.push(connection);
      return answer;
    },
    close(): void {
      waiting.length = 0;
      for (const connection of open) connection.close();
    },
  };
};

/** What the SDK knows of a command's operation. */
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
  const connections = connectionsTo(endpoint);
  const sdk = client.send.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const protocol = client.config.protocol as unknown as Protocol;
  const context = { ...client.config, streamCollector: async (body: Buffer) => body };
  const called = async ([, namespace, name, traits, input, output]: Schema, body: string) =>
    protocol.deserializeResponse(
      { namespace, name, traits, input, output },
      context,
      await connections.call(name, body),
    );
  const send = (...args: unknown[]): Promise<unknown> => {
    const [{ schema, input }] = args as [Command];
    if (args.length > 1 || !schema || !PLAIN_OPERATIONS.has(schema[2]) || !mayCall(schema[2])) return sdk(...args);
    return called(schema, toJson(input));
  };
  client.send = send as DynamoDBClient['send'];
  return { close: connections.close };
};
