import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Authorizer, type AuthResult, methodArn } from './authorizer.ts';
import { BODY_LIMIT, linger, readBody, refuseBody, TOO_LARGE } from './body.ts';
import type { ConsoleServer } from './console.ts';
import { stageOf } from './edge.ts';
import { type AuthorizerContext, newRequestId, proxyEvent, type RequestHead, readQuery } from './event.ts';
import { lambdaContext, type StageFunctions } from './functions.ts';
import { type GatewayAnswer, type GatewayRefusal, refusalAnswer, wrongMethodAnswer } from './problems.ts';
import { type Match, makeRouter, type RoutedOperation } from './router.ts';
import type { Stage } from './stages.ts';

/** The parts of a stage that the gateway needs. */
export interface GatewayStage {
  readonly functions: StageFunctions;
  readonly authorizer: Authorizer;
}

/** The options of the gateway. */
export interface GatewayOptions {
  readonly operations: readonly RoutedOperation[];
  /** Undefined while the local stack starts: the gateway answers 503. */
  readonly stages: () => Readonly<Record<Stage, GatewayStage>> | undefined;
  /** Receives the error of a failed function, of which the caller sees nothing. */
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
  /** Serves the console in addition to the operations. */
  readonly console?: ConsoleServer | undefined;
}

/** API Gateway's integration time-out, in ms. */
const INTEGRATION_TIMEOUT_MS = 29_000;
/** Time for a streamed body to arrive, in ms, and with the upload to Meta for the whole operation. */
const BODY_ARRIVAL_MS = 600_000;
const STREAM_TIMEOUT_MS = BODY_ARRIVAL_MS + 300_000;
const TIMED_OUT: unique symbol = Symbol('timed out');
const ABORTED: unique symbol = Symbol('hung up');

/** Creates the HTTP server that emulates the edge and the REST APIs of both stages. It does not listen yet. */
export const makeGateway = (options: GatewayOptions): Server => {
  const match = makeRouter(options.operations);
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = newRequestId();
    handleRequest(options, match, request, response, requestId).catch((error: unknown) => {
      options.onFault('gateway', requestId, error);
      refuse(response, refusalAnswer('failed', { instance: '/', requestId }));
    });
  };
  const server = createServer(
    {
      keepAlive: true,
      keepAliveTimeout: 65_000,
      requestTimeout: BODY_ARRIVAL_MS,
      noDelay: true,
      // Node's own 400 is not a problem document; `handleRequest` checks the header.
      requireHostHeader: false,
    },
    onRequest,
  );
  // `Expect: 100-continue`: a client with too large a body is refused before it sends it.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!(Number(request.headers['content-length']) > BODY_LIMIT)) response.writeContinue();
    onRequest(request, response);
  });
  server.on('checkExpectation', onRequest);
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) =>
    refuseUnread(socket, code === 'HPE_HEADER_OVERFLOW' ? 'head_too_large' : 'malformed'),
  );
  server.on('connect', (_request, socket) => refuseUnread(socket, 'malformed'));
  return server;
};

/** Writes a problem document to a socket whose request could not be parsed. */
const refuseUnread = (socket: Duplex, kind: 'malformed' | 'head_too_large'): void => {
  if (!socket.writable) return void socket.destroy();
  const { status, headers, body } = refusalAnswer(kind, { instance: '/', requestId: newRequestId() });
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n\r\n${body}`);
};

const refuse = (response: ServerResponse, { status, headers, body }: GatewayAnswer): void => {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
};

/** Path and query of a request target, also in absolute form (`GET http://host/path`, RFC 9112, 3.2.2). */
const splitTarget = (target: string): [path: string, query: string] => {
  const from = target.startsWith('/') ? 0 : Math.max(0, target.indexOf('/', target.indexOf('://') + 3));
  const mark = target.indexOf('?', from);
  return mark < 0 ? [target.slice(from), ''] : [target.slice(from, mark), target.slice(mark + 1)];
};

/** Whether a header occurs more than once; `name` in lower case. */
const isRepeated = (rawHeaders: readonly string[], name: string): boolean => {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) seen += 1;
  return seen > 1;
};

const handleRequest = async (
  options: GatewayOptions,
  match: (method: string, path: string) => Match,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> => {
  const [path, queryText] = splitTarget(request.url ?? '/');
  const at = { instance: path, requestId };
  const reject = (kind: GatewayRefusal) => refuse(response, refusalAnswer(kind, at));
  const stages = options.stages();
  if (!stages) return reject('not_ready');
  if (request.httpVersion === '1.1' && request.headers.host === undefined) return reject('no_host');
  if (options.console?.serves(path)) return serveConsole(options.console, request, response, at);
  const found = match(request.method ?? 'GET', path);
  if (found.kind === 'wrong_method') return refuse(response, wrongMethodAnswer(found.allow, at));
  if (found.kind !== 'found') return reject(found.kind);
  const { route, values } = found;
  const query = tryQuery(queryText);
  if (query === MALFORMED_QUERY) return reject('malformed');

  const token = request.headers.authorization;
  // Node keeps only the first of several headers; a repeated one is refused, even if the first is valid.
  if (token !== undefined && isRepeated(request.rawHeaders, 'authorization')) return reject('unauthorized');
  const stage = stageOf(path, token, queryText);
  await callOperation(options, stages[stage], {
    request,
    response,
    query,
    head: { requestId, stage, path, route, values },
  });
};

const serveConsole = async (
  console: ConsoleServer,
  request: IncomingMessage,
  response: ServerResponse,
  at: { readonly instance: string; readonly requestId: string },
): Promise<void> => {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse(response, wrongMethodAnswer(['GET', 'HEAD'], at));
  if (!(await console.answer(request, response, at.instance))) refuse(response, refusalAnswer('unknown_path', at));
};

interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: ReturnType<typeof readQuery>;
  readonly head: RequestHead;
}

/** Authorizes the caller, reads the body, invokes the function and writes its result. */
const callOperation = async (
  options: GatewayOptions,
  { functions, authorizer }: GatewayStage,
  { request, response, query, head }: RoutedRequest,
): Promise<void> => {
  const at = { instance: head.path, requestId: head.requestId };
  const reject = (kind: GatewayRefusal) => refuse(response, refusalAnswer(kind, at));
  const stream = head.route.operation.request?.stream;
  const reading = stream ? undefined : readBody(request);
  // A client that disconnects is not a fault, also when the response does not wait for the body.
  if (reading instanceof Promise) reading.catch(() => undefined);
  const caller = await authorize(options, authorizer, request.headers.authorization, head, () =>
    proxyEvent(request, head, query),
  );
  if (typeof caller === 'string') return reject(caller);
  if (stream && Number(request.headers['content-length']) > stream.maxBytes)
    return refuseBody(request, response, refusalAnswer('too_large', at));
  const body = reading instanceof Promise ? await reading.catch(() => ABORTED) : reading;
  if (typeof body === 'symbol')
    return body === TOO_LARGE ? refuseBody(request, response, refusalAnswer('too_large', at)) : undefined;
  const buffered = proxyEvent(request, head, query, body, caller.context);
  const event = stream ? { ...buffered, bodyStream: streamBody(request, response) } : buffered;
  const result = await invoke(options, functions, head, event);
  if (result === TIMED_OUT) return reject('timed_out');
  if (result === undefined || !writeResult(response, result, stream ? request : undefined)) return reject('failed');
};

/** The body as it arrives. Ending the iteration early leaves the connection open for the response. */
const streamBody = (request: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> => {
  if (request.headers.expect && Number(request.headers['content-length']) > BODY_LIMIT) response.writeContinue();
  return request.iterator({ destroyOnReturn: false });
};

const ANONYMOUS: { readonly context?: AuthorizerContext } = {};

/** The caller's authorizer context, or why the gateway refuses. Public operations are not authorized. */
const authorize = (
  options: GatewayOptions,
  authorizer: Authorizer,
  token: string | undefined,
  { route: { operation }, stage, path, requestId }: RequestHead,
  makeEvent: () => object,
): typeof ANONYMOUS | GatewayRefusal | Promise<typeof ANONYMOUS | GatewayRefusal> => {
  if (operation.permission === 'public') return ANONYMOUS;
  if (token === undefined) return 'unauthorized';
  const arn = methodArn(stage, operation.method, path);
  const toCaller = (authResult: AuthResult) => {
    if (authResult.kind === 'known') return authResult.allows(arn) ? authResult : 'denied';
    if (authResult.kind === 'unauthorized') return 'unauthorized';
    options.onFault('authorizer', requestId, authResult.reason);
    return 'authorizer_failed';
  };
  const cached = authorizer.cached(token);
  return cached ? toCaller(cached) : authorizer.authorize(token, makeEvent, arn).then(toCaller);
};

const MALFORMED_QUERY: unique symbol = Symbol('malformed');
const tryQuery = (text: string) => {
  try {
    return readQuery(text);
  } catch {
    return MALFORMED_QUERY;
  }
};

/** Invokes the function within its time-out; undefined when it threw. */
const invoke = async (options: GatewayOptions, functions: StageFunctions, head: RequestHead, event: unknown) => {
  const { functionPath, operation } = head.route;
  const timeoutMs = operation.request?.stream
    ? STREAM_TIMEOUT_MS
    : Math.min((operation.timeoutSeconds ?? 29) * 1000, INTEGRATION_TIMEOUT_MS);
  try {
    const handler = functions.loaded(functionPath) ?? (await functions.load(functionPath));
    const context = lambdaContext(functionPath, head.requestId, timeoutMs);
    return await new Promise<APIGatewayProxyResult | typeof TIMED_OUT>((resolve, reject) => {
      const timer = setTimeout(resolve, timeoutMs, TIMED_OUT);
      const settle =
        <T>(use: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          use(value);
        };
      handler(event, context).then(settle(resolve) as (value: unknown) => void, settle(reject));
    });
  } catch (error) {
    options.onFault(functionPath, head.requestId, error);
    return undefined;
  }
};

/**
 * Writes a proxy result; to the sender of a `streamed` body also before all of it has arrived. False for a malformed result, which API
 * Gateway answers with 502.
 */
const writeResult = (
  response: ServerResponse,
  result: APIGatewayProxyResult,
  streamed: IncomingMessage | undefined,
): boolean => {
  const { statusCode, body } = result;
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) return false;
  if (body !== undefined && body !== null && typeof body !== 'string') return false;
  const headers: string[] = [];
  for (const name in result.headers)
    if (name.toLowerCase() !== 'content-length') headers.push(name, String(result.headers[name]));
  for (const name in result.multiValueHeaders)
    for (const value of result.multiValueHeaders[name] ?? []) headers.push(name, String(value));
  // A text goes out in one piece with the head; bytes would be a second one.
  const content = result.isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? '');
  if (statusCode !== 204 && statusCode !== 304) headers.push('content-length', String(Buffer.byteLength(content)));
  const early = streamed && !streamed.complete ? streamed : undefined;
  if (early) headers.push('connection', 'close');
  response.writeHead(statusCode, headers);
  if (!early) response.end(content);
  else {
    response.write(content);
    linger(early, response);
  }
  return true;
};
