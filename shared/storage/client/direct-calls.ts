import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PLAIN_OPERATIONS, toJson } from './plain-json.ts';
import type { requestSigner } from './signer.ts';
import type { WatchCall } from './throttles.ts';

type Signer = ReturnType<typeof requestSigner>;
type Request = Parameters<Signer['sign']>[0];
type Response = { readonly headers: Readonly<Record<string, string>> };

/** The SDK's schema of a command's operation. */
type Schema = readonly [unknown, namespace: string, name: string, traits: unknown, input: unknown, output: unknown];
interface Command {
  readonly schema?: Schema;
  readonly input: object;
}
/** The parts of a client's configuration that its types leave out or widen. */
interface Config {
  systemClockOffset: number;
  readonly protocol: { deserializeResponse(operation: object, context: object, answer: Response): Promise<unknown> };
  readonly requestHandler: { handle(request: Request): Promise<{ readonly response: Response }> };
}

/** Where a client's calls go, and the region of their signatures. */
interface Endpoint {
  readonly address: Pick<Request, 'protocol' | 'hostname' | 'port' | 'path'>;
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
      const address = { protocol, hostname, path, ...(port === undefined ? {} : { port }) };
      noted ??= { address, host: headers.host ?? '', signingRegion: options?.signingRegion };
      return signer.sign(request, options);
    },
    endpoint: () => noted,
  };
};

/** A call, signed as the SDK does, and dated by the server's clock. */
const signed = (signer: Signer, endpoint: Endpoint, clockOffset: number, action: string, body: string) => {
  const { address, host, signingRegion } = endpoint;
  const headers = {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-target': `DynamoDB_20120810.${action}`,
  };
  const signingDate = new Date(Date.now() + clockOffset);
  return signer.sign(
    { ...address, method: 'POST', query: {}, headers, body },
    signingRegion === undefined ? { signingDate } : { signingDate, signingRegion },
  );
};

/**
 * Has a client make its calls of rows without the SDK's middleware, which took half of a call's processor time. The SDK makes the first call
 * and so determines the endpoint and the region; it also makes calls of other operations and calls with options. Credentials, the HTTP
 * handler with its time-outs, and the reading of errors stay its own, and throttled calls are reported.
 */
export const callDirectly = (client: DynamoDBClient, signer: NotingSigner, watch: WatchCall | undefined): void => {
  const config = client.config as unknown as Config;
  const sdk = client.send.bind(client) as (...args: unknown[]) => Promise<unknown>;

  const call = async ({ schema, input: given }: Required<Command>, endpoint: Endpoint) => {
    const [, namespace, name, traits, input, output] = schema;
    const request = await signed(signer, endpoint, config.systemClockOffset, name, toJson(given));
    const { response } = await config.requestHandler.handle(request);
    const serverTime = Date.parse(response.headers.date ?? '');
    if (!Number.isNaN(serverTime)) config.systemClockOffset = serverTime - Date.now();
    try {
      return await config.protocol.deserializeResponse({ namespace, name, traits, input, output }, config, response);
    } catch (error) {
      // As the SDK's middleware does: `isTransient` checks it, and logs omit it.
      if (error instanceof Error) Object.defineProperty(error, '$response', { value: response, enumerable: false });
      throw error;
    }
  };
  const send = (...args: unknown[]): Promise<unknown> => {
    const [{ schema, input }] = args as [Command];
    const endpoint = signer.endpoint();
    if (!endpoint || args.length > 1 || !schema || !PLAIN_OPERATIONS.has(schema[2])) return sdk(...args);
    const calling = call({ schema, input }, endpoint);
    return watch ? watch(`${schema[2]}Command`, calling) : calling;
  };
  client.send = send as DynamoDBClient['send'];
};
