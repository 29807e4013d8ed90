import type { Agent } from 'node:http';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Answer, exchange, type Line } from './exchange.ts';
import type { requestSigner } from './signer.ts';

type Signer = ReturnType<typeof requestSigner>;

/** The SDK's schema of a command's operation. */
type Schema = readonly [unknown, namespace: string, name: string, traits: unknown, input: unknown, output: unknown];
interface Command {
  readonly schema?: Schema;
  readonly input: object;
}
type Operation = Omit<Required<Command>, 'schema'> & { readonly schema: Schema };
interface Options {
  readonly abortSignal?: AbortSignal;
}
/** The parts of a client's configuration that its types leave out or widen. */
interface Config {
  systemClockOffset: number;
  readonly protocol: { deserializeResponse(operation: object, context: object, answer: Answer): Promise<unknown> };
  readonly requestHandler: { httpHandlerConfigs(): HandlerConfig };
}
interface HandlerConfig {
  readonly httpAgent?: Agent;
  readonly httpsAgent?: Agent;
  readonly connectionTimeout?: number;
  readonly requestTimeout?: number;
}

/** Where a client's calls go, and the region of their signatures. */
interface Endpoint {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  readonly path: string;
  /** The Host header. */
  readonly host: string;
  readonly signingRegion: string | undefined;
}
/** A signer that notes where the SDK sends what is signed first: a client has one endpoint. */
export interface NotingSigner extends Signer {
  /** Undefined until the SDK has made a call. */
  endpoint(): Endpoint | undefined;
}

export const noteEndpoint = (signer: Signer): NotingSigner => {
  let noted: Endpoint | undefined;
  return {
    sign(request, options) {
      const { protocol, hostname, port, path, headers } = request;
      noted ??= { protocol, hostname, port, path, host: headers.host ?? '', signingRegion: options?.signingRegion };
      return signer.sign(request, options);
    },
    endpoint: () => noted,
  };
};

/** Which calls of a service are made directly, and how. The services speak JSON 1.0 (https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html). */
export interface DirectCalls {
  /** The service and its version in `X-Amz-Target`: `DynamoDB_20120810`. */
  readonly target: string;
  /** Further headers of each call. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly operations: ReadonlySet<string>;
  /** An input as JSON. */
  readonly encode: (input: object) => string;
  /** The output of a call that succeeded; the SDK's protocol reads it if absent. */
  readonly decode?: (body: Buffer) => unknown;
  /** Wraps each call, by the name of its command. */
  readonly watch?: ((command: string, call: Promise<unknown>) => Promise<unknown>) | undefined;
  /** Whether the SDK repeats a call that failed: for services whose client has no retries of our own. */
  readonly repeatBySdk?: true;
}

/** Signs a call as the SDK does, dated by the server's clock. */
const signed = async (
  signer: Signer,
  endpoint: Endpoint,
  clockOffset: number,
  calls: DirectCalls,
  action: string,
  body: string,
) => {
  const { host, signingRegion, protocol, hostname, path } = endpoint;
  const headers: Record<string, string> = {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-target': `${calls.target}.${action}`,
    ...calls.headers,
  };
  const signingDate = new Date(Date.now() + clockOffset);
  const request = { method: 'POST', protocol, hostname, path, query: {}, headers, body };
  await signer.sign(request, signingRegion === undefined ? { signingDate } : { signingDate, signingRegion });
  return headers;
};

/** How a call goes out: by the agent and within the limits of the client's own handler, which has them from its first call on. */
const lineOf = ({ protocol, port, path, ...to }: Endpoint, { requestHandler }: Config): Line | undefined => {
  const { httpAgent, httpsAgent, connectionTimeout, requestTimeout } = requestHandler.httpHandlerConfigs();
  const isSecure = protocol === 'https:';
  const agent = isSecure ? httpsAgent : httpAgent;
  if (!agent || !connectionTimeout || !requestTimeout) return undefined;
  const hostname = to.hostname.replace(/^\[(.*)\]$/, '$1');
  return { isSecure, hostname, port, path, agent, connectMs: connectionTimeout, answerMs: requestTimeout };
};

/**
 * Has a client make some of its calls without the SDK's middleware, which took almost half of a call's processor time. The SDK makes the
 * first call and so determines endpoint and region; it also makes calls of other operations and calls with options other than
 * `abortSignal`. Credentials, agents, time-outs and the reading of errors stay its own.
 */
export const callDirectly = (client: DynamoDBClient | SQSClient, signer: NotingSigner, calls: DirectCalls): void => {
  const config = client.config as unknown as Config;
  const sdk = client.send.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const context = { ...client.config, streamCollector: async (body: Buffer) => body };

  const outputOf = async ([, namespace, name, traits, input, output]: Schema, answer: Answer): Promise<unknown> => {
    if (calls.decode && answer.statusCode === 200) return calls.decode(answer.body);
    try {
      return await config.protocol.deserializeResponse({ namespace, name, traits, input, output }, context, answer);
    } catch (error) {
      // As the SDK's middleware does: `isTransient` goes by it, and logs leave it out.
      if (error instanceof Error) Object.defineProperty(error, '$response', { value: answer, enumerable: false });
      throw error;
    }
  };
  const call = async ({ schema, input }: Operation, line: Line, to: Endpoint, signal?: AbortSignal) => {
    const body = calls.encode(input);
    const headers = await signed(signer, to, config.systemClockOffset, calls, schema[2], body);
    const answer = await exchange(line, headers, body, signal);
    const serverTime = Date.parse(answer.headers.date ?? '');
    if (!Number.isNaN(serverTime)) config.systemClockOffset = serverTime - Date.now();
    return outputOf(schema, answer);
  };
  const send = (...args: unknown[]): Promise<unknown> => {
    const [{ schema, input }, { abortSignal, ...others } = {}, ...further] = args as [Command, Options?];
    const endpoint = signer.endpoint();
    const line = endpoint && lineOf(endpoint, config);
    const isPlain = Object.keys(others).length === 0 && further.length === 0;
    if (!line || !isPlain || !schema || !calls.operations.has(schema[2])) return sdk(...args);
    const calling = call({ schema, input }, line, endpoint, abortSignal);
    if (calls.watch) return calls.watch(`${schema[2]}Command`, calling);
    // The SDK does not repeat one whose signal is aborted.
    return calls.repeatBySdk ? calling.catch(() => sdk(...args)) : calling;
  };
  client.send = send as typeof client.send;
};
