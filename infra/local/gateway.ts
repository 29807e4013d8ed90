import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Authorizer, methodArn, type Verdict } from './authorizer.ts';
import { BODY_LIMIT, linger, readBody, refuseBody, TOO_LARGE } from './body.ts';
import { stageOf } from './edge.ts';
import { type AuthorizerContext, newRequestId, proxyEvent, type RequestHead, readQuery } from './event.ts';
import { lambdaContext, type StageFunctions } from './functions.ts';
import { type GatewayAnswer, type GatewayRefusal, refusalAnswer, wrongMethodAnswer } from './problems.ts';
import { type Match, makeRouter, type Routed } from './router.ts';
import type { Stage } from './stages.ts';

/** One stage behind the gateway. */
export interface GatewayStage {
  readonly functions: StageFunctions;
  readonly authorizer: Authorizer;
}

export interface GatewayOptions {
  readonly operations: readonly Routed[];
  /** Undefined until everything is up: the gateway answers 503 meanwhile. */
  readonly stages: () => Readonly<Record<Stage, GatewayStage>> | undefined;
  /** Where a failed function's error goes; the caller sees none of it. */
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
}

/** API Gateway gives up on a function after this long, whatever the function's own limit is. */
const INTEGRATION_TIMEOUT_MS = 29_000;
/** What a container serves may take as long as its body needs to arrive, and to be handed on. */
const BODY_ARRIVAL_MS = 600_000;
const STREAM_TIMEOUT_MS = BODY_ARRIVAL_MS + 300_000;
const TIMED_OUT: unique symbol = Symbol('timed out');
const HUNG_UP: unique symbol = Symbol('hung up');

/** Makes the HTTP server that stands for edge and REST API of both stages. It does not listen yet. */
export const makeGateway = (options: GatewayOptions): Server => {
  const match = makeRouter(options.operations);
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = newRequestId();
    serve(options, match, request, response, requestId).catch((error: unknown) => {
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
      // Node's own refusal would be no problem document.
      requireHostHeader: false,
    },
    onRequest,
  );
  // A client that asks first is told before it sends a byte too many.
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

/** What could not even be read as HTTP, or has more headers than may be, still gets a problem document. */
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

/** The path and the query of a request's target; absolute addresses (`GET http://host/path`) are taken as well. */
const splitTarget = (target: string): [path: string, query: string] => {
  const from = target.startsWith('/') ? 0 : Math.max(0, target.indexOf('/', target.indexOf('://') + 3));
  const mark = target.indexOf('?', from);
  return mark < 0 ? [target.slice(from), ''] : [target.slice(from, mark), target.slice(mark + 1)];
};

/** Whether a header stands more than once; `name` in lower case. */
const repeats = (rawHeaders: readonly string[], name: string): boolean => {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) seen += 1;
  return seen > 1;
};

const serve = async (
  options: GatewayOptions,
  match: (method: string, path: string) => Match,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> => {
  const [path, queryText] = splitTarget(request.url ?? '/');
  const at = { instance: path, requestId };
  const no = (kind: GatewayRefusal) => refuse(response, refusalAnswer(kind, at));
  const stages = options.stages();
  if (!stages) return no('not_ready');
  if (request.httpVersion === '1.1' && request.headers.host === undefined) return no('no_host');
  const found = match(request.method ?? 'GET', path);
  if (found.kind === 'wrong_method') return refuse(response, wrongMethodAnswer(found.allow, at));
  if (found.kind !== 'found') return no(found.kind);
  const { route, values } = found;
  const query = tryQuery(queryText);
  if (query === MALFORMED_QUERY) return no('malformed');

  const token = request.headers.authorization;
  // Node keeps the first of several: whoever sends two is told so, whether or not the first is known already.
  if (token !== undefined && repeats(request.rawHeaders, 'authorization')) return no('unauthorized');
  const stage = stageOf(path, token);
  const head: RequestHead = { requestId, stage, path, route, values };
  const stream = route.operation.request?.stream;
  const reading = stream ? undefined : readBody(request);
  // A caller who hangs up is no fault of ours, also when the answer did not wait for the body.
  if (reading instanceof Promise) reading.catch(() => undefined);
  const caller = await authorize(options, stages[stage].authorizer, token, head, () =>
    proxyEvent(request, head, query),
  );
  if (typeof caller === 'string') return no(caller);
  if (stream && Number(request.headers['content-length']) > stream.mostBytes)
    return refuseBody(request, response, refusalAnswer('too_large', at));
  const body = reading instanceof Promise ? await reading.catch(() => HUNG_UP) : reading;
  if (typeof body === 'symbol')
    return body === TOO_LARGE ? refuseBody(request, response, refusalAnswer('too_large', at)) : undefined;
  const whole = proxyEvent(request, head, query, body, caller.context);
  const event = stream ? { ...whole, bodyStream: arriving(request, response) } : whole;
  const result = await invoke(options, stages[stage].functions, head, event);
  if (result === TIMED_OUT) return no('timed_out');
  if (result === undefined || !answer(response, result, stream ? request : undefined)) return no('failed');
};

/** The body as it arrives. Whoever stops reading leaves the connection as it is, for the answer. */
const arriving = (request: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> => {
  if (request.headers.expect && Number(request.headers['content-length']) > BODY_LIMIT) response.writeContinue();
  return request.iterator({ destroyOnReturn: false });
};

const NOBODY: { readonly context?: AuthorizerContext } = {};

/** Who calls, as the authorizer says: its context, or the gateway's refusal. Operations without permission ask nobody. */
const authorize = (
  options: GatewayOptions,
  authorizer: Authorizer,
  token: string | undefined,
  { route: { operation }, stage, path, requestId }: RequestHead,
  makeEvent: () => object,
): typeof NOBODY | GatewayRefusal | Promise<typeof NOBODY | GatewayRefusal> => {
  if (operation.permission === 'public') return NOBODY;
  if (token === undefined) return 'unauthorized';
  const arn = methodArn(stage, operation.method, path);
  const judge = (verdict: Verdict) => {
    if (verdict.kind === 'known') return verdict.allows(arn) ? verdict : 'denied';
    if (verdict.kind === 'unauthorized') return 'unauthorized';
    options.onFault('authorizer', requestId, verdict.reason);
    return 'authorizer_failed';
  };
  const cached = authorizer.cached(token);
  return cached ? judge(cached) : authorizer.ask(token, makeEvent, arn).then(judge);
};

const MALFORMED_QUERY: unique symbol = Symbol('malformed');
const tryQuery = (text: string) => {
  try {
    return readQuery(text);
  } catch {
    return MALFORMED_QUERY;
  }
};

/** Runs the function within the gateway's time. Undefined when it threw. */
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

/** Writes a proxy result, to a `streamed` body's sender also before all of it has come. False when it is none: API Gateway answers 502 to that, which callers meet as a problem. */
const answer = (
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
  const bytes = Buffer.from(body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  if (statusCode !== 204 && statusCode !== 304) headers.push('content-length', String(bytes.length));
  const early = streamed && !streamed.complete ? streamed : undefined;
  if (early) headers.push('connection', 'close');
  response.writeHead(statusCode, headers);
  if (!early) response.end(bytes);
  else {
    response.write(bytes);
    linger(early, response);
  }
  return true;
};
