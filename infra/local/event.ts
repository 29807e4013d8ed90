import { isUtf8 } from 'node:buffer';
import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { EMPTY_IDENTITY } from '../request-identity.ts';
import type { Route } from './router.ts';
import { LOCAL_ACCOUNT, type Stage } from './stages.ts';

/** The authorizer's context, as the event's `requestContext.authorizer` carries it. */
export type AuthorizerContext = Readonly<Record<string, string | number>>;

/** The parts of a request that are known before its body. */
export interface RequestHead {
  readonly requestId: string;
  readonly stage: Stage;
  readonly path: string;
  readonly route: Route;
  readonly values: readonly string[];
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pool = Buffer.alloc(8_192);
let poolAt = pool.length;

/** A request id: `req_` and 21 characters, uniform over 62 (bytes of 248 and above are rejected to avoid modulo bias). */
export const newRequestId = (): string => {
  let id = 'req_';
  while (id.length < 25) {
    if (poolAt === pool.length) {
      randomFillSync(pool);
      poolAt = 0;
    }
    const byte = pool[poolAt++] ?? 255;
    if (byte < 248) id += ALPHABET.charAt(byte % 62);
  }
  return id;
};

type Single = Record<string, string>;
type Multi = Record<string, string[]>;
const put = (single: Single, multi: Multi, name: string, value: string): void => {
  single[name] = value;
  const values = Object.hasOwn(multi, name) ? multi[name] : undefined;
  if (values) values.push(value);
  else multi[name] = [value];
};

/** Single- and multi-value headers, as plain objects like in the deployment; `__proto__` is dropped. */
const readHeaders = (raw: readonly string[]): [Single, Multi] => {
  const single: Single = {};
  const multi: Multi = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (name !== '__proto__') put(single, multi, name, raw[at + 1] ?? '');
  }
  return [single, multi];
};

/** Parses a query string; undefined when it is empty. Throws URIError on broken percent-encoding. */
export const readQuery = (text: string): [Single, Multi] | undefined => {
  if (text === '') return undefined;
  // Without a prototype, so that `__proto__` is a name like any other, as in the JSON of the deployment's events.
  const single: Single = Object.create(null);
  const multi: Multi = Object.create(null);
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decodeQuery(equals < 0 ? part : part.slice(0, equals));
    put(single, multi, name, equals < 0 ? '' : decodeQuery(part.slice(equals + 1)));
  }
  return [single, multi];
};
const decodeQuery = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
};

const pathParameters = ({ route, values }: RequestHead): Record<string, string> | null => {
  if (values.length === 0) return null;
  const parameters: Record<string, string> = {};
  for (let at = 0; at < values.length; at++) parameters[route.paramNames[at] ?? ''] = values[at] ?? '';
  return parameters;
};

const TEXT_TYPE =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b|application\/(?:javascript|x-www-form-urlencoded)\b)/i;

/** Text bodies as UTF-8; other types, and text that is not valid UTF-8, as base64. */
const encodeBody = (
  body: Buffer | undefined,
  contentType: string | undefined,
): { text: string | null; base64: boolean } => {
  if (!body || body.length === 0) return { text: null, base64: false };
  const base64 = !(contentType === undefined || TEXT_TYPE.test(contentType)) || !isUtf8(body);
  return { text: body.toString(base64 ? 'base64' : 'utf8'), base64 };
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
let clockSecond = 0;
let clockText = '';
/** The time in access-log format, cached per second. */
const logTime = (now: number): string => {
  const second = Math.floor(now / 1000);
  if (second !== clockSecond) {
    const [date = '', time = ''] = new Date(now).toISOString().split('T');
    const [year, month, day] = date.split('-');
    clockSecond = second;
    clockText = `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
  }
  return clockText;
};

const addressOf = (request: IncomingMessage): string => {
  const address = request.socket.remoteAddress ?? '127.0.0.1';
  return address.startsWith('::ffff:') ? address.slice(7) : address;
};

/** The event of a REST API's Lambda proxy integration (payload version 1.0), as API Gateway builds it. */
export const proxyEvent = (
  request: IncomingMessage,
  head: RequestHead,
  query: [Single, Multi] | undefined,
  body?: Buffer | undefined,
  authorizer?: AuthorizerContext | undefined,
): APIGatewayProxyEvent => {
  const [headers, multiValueHeaders] = readHeaders(request.rawHeaders);
  const { text, base64 } = encodeBody(body, request.headers['content-type']);
  const { operation } = head.route;
  // HEAD has the route of GET, and is named in the event, as on the deployed API.
  const httpMethod = request.method ?? operation.method;
  const now = Date.now();
  return {
    resource: operation.path,
    path: head.path,
    httpMethod,
    headers,
    multiValueHeaders,
    queryStringParameters: query ? query[0] : null,
    multiValueQueryStringParameters: query ? query[1] : null,
    pathParameters: pathParameters(head),
    stageVariables: null,
    requestContext: {
      accountId: LOCAL_ACCOUNT,
      apiId: 'local',
      authorizer: authorizer ?? {},
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: 'local',
      extendedRequestId: head.requestId,
      httpMethod,
      identity: { ...EMPTY_IDENTITY, sourceIp: addressOf(request), userAgent: request.headers['user-agent'] ?? null },
      path: head.path,
      protocol: 'HTTP/1.1',
      requestId: head.requestId,
      requestTime: logTime(now),
      requestTimeEpoch: now,
      resourceId: operation.id,
      resourcePath: operation.path,
      stage: head.stage,
    },
    body: text,
    isBase64Encoded: base64,
  };
};
