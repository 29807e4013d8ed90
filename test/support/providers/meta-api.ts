import { createHmac } from 'node:crypto';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import {
  type AcceptedMessage,
  json,
  type RecordedRequest,
  type StandInAnswer,
  startServer,
  THROTTLED_SECONDS,
} from './stand-in.ts';

export const TOKEN = 'EAAG-a-test-token';
export const SECRETS = { appSecret: 'a-test-app-secret', verifyToken: 'a-test-verify-token' } as const;
const VERSION = 'v24.0';
const TRACE = 'AbCdEfGhIjKlMnOpQrStUv';

/** An error in the Graph API's form. Its texts contain personal data, which Meta may repeat and we may not log. */
const graphProblem = (
  status: number,
  code: number,
  subcode?: number,
  headers: Readonly<Record<string, string>> = {},
): StandInAnswer =>
  json(
    status,
    {
      error: {
        message: `(#${code}) about +5511900000000`,
        type: 'OAuthException',
        code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        error_data: { messaging_product: 'whatsapp', details: 'segredo 9182' },
        fbtrace_id: TRACE,
      },
    },
    headers,
  );

/** `401:190`, `400:10/2534022`: the HTTP status, the code and the subcode. */
const refusalOf = (name: string): StandInAnswer => {
  const [status = '400', codes = '100'] = name.split(':');
  const [code, subcode] = codes.split('/').map(Number);
  return graphProblem(Number(status), code ?? 100, subcode);
};

/** A request that Meta would refuse with code 100. */
class Unacceptable extends Error {}
export const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Unacceptable(what);
};

interface MetaOptions {
  /** The nodes that messages are posted to, each with its token. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Reads a message's body; throws Unacceptable for one that Meta would refuse. */
  read(body: Readonly<Record<string, unknown>>, node: string): Omit<AcceptedMessage, 'providerMessageId'>;
  newId(): string;
  /** The answer to an accepted message. */
  answer(message: AcceptedMessage): object;
}

const nodeOf = ({ method, path }: RecordedRequest): string | undefined =>
  method === 'POST' ? new RegExp(`^/${VERSION}/(\\w+)/messages$`).exec(path)?.[1] : undefined;

/** Starts the part of the Graph API that sends messages. */
export const startMetaApi = async ({ nodes, read, newId, answer }: MetaOptions) => {
  const messages: AcceptedMessage[] = [];
  const readAt = (request: RecordedRequest) =>
    read(JSON.parse(request.body) as Readonly<Record<string, unknown>>, nodeOf(request) ?? '');
  const check = (request: RecordedRequest): StandInAnswer | undefined => {
    const token = Object.hasOwn(nodes, nodeOf(request) ?? '') ? nodes[nodeOf(request) ?? ''] : undefined;
    const known = Object.values(nodes).some((each) => request.headers.authorization === `Bearer ${each}`);
    if (!known) return graphProblem(401, 190);
    if (request.headers.authorization !== `Bearer ${token}`) return graphProblem(400, 100, 33);
    if (!request.headers['content-type']?.startsWith('application/json')) return graphProblem(400, 100);
    try {
      readAt(request);
      return undefined;
    } catch (fault) {
      if (fault instanceof Unacceptable || fault instanceof SyntaxError) return graphProblem(400, 100);
      throw fault;
    }
  };
  const server = await startServer({
    isSend: (request) => nodeOf(request) !== undefined,
    check,
    accept: (request) => {
      const message = { ...readAt(request), providerMessageId: newId() };
      messages.push(message);
      return json(200, answer(message));
    },
    refuse: refusalOf,
    throttle: () => graphProblem(429, 130429, undefined, { 'retry-after': String(THROTTLED_SECONDS) }),
    serverError: () => graphProblem(500, 131000),
    other: () => graphProblem(404, 2500),
  });
  return { ...server, messages };
};

/** Escapes as Meta does: non-ASCII characters as \u and four lower-case digits; the signature covers that form. */
const escaped = (body: string): string =>
  body.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A callback as Meta posts it, signed by code apart from the service's. */
export const signedByMeta = (url: string, body: string, secret: string = SECRETS.appSecret): CallbackRequest => {
  const sent = escaped(body);
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(sent, 'latin1').digest('hex')}`,
    },
    body: sent,
  };
};
