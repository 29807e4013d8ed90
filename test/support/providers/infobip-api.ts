import { randomBytes } from 'node:crypto';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { infobipSignature } from '../../../shared/providers/infobip-callbacks.ts';
import { type AcceptedMessage, json, type StandInAnswer, startServer, THROTTLED_SECONDS } from './stand-in.ts';

const KEY = '003026bbc133714df1834b8638bb496e-8f4b3d9a-e931-478d-a994-28a725159ab9';
const AUTH = {
  type: 'hmac',
  secretKey: 'a-test-secret',
  algorithm: 'HMAC_SHA_256',
  header: 'x-ib-exchange-req-signature',
  timestampHeader: 'x-ib-exchange-req-timestamp',
} as const;

const GROUPS = ['OK', 'PENDING', 'UNDELIVERABLE', 'DELIVERED', 'EXPIRED', 'REJECTED'];
/** A status as Infobip writes it. */
export const infobipStatus = (groupId: number, id: number, name: string) => ({
  groupId,
  groupName: GROUPS[groupId],
  id,
  name,
  description: 'As documented',
});
type Status = ReturnType<typeof infobipStatus>;
type StatusName = Pick<Status, 'groupId' | 'id' | 'name'>;
export const NO_ERROR = 'NO_ERROR';

const problem = (code: number, description: string, headers = {}): StandInAnswer =>
  json(
    code,
    { errorCode: `E${code}`, description, action: 'Check the request.', violations: [], resources: [] },
    headers,
  );

/** Specific to Infobip's stand-ins. */
export interface InfobipApi {
  /** A signed delivery report with this status and network error, and other fields over it. */
  report(message: AcceptedMessage, status: StatusName, error?: string, over?: object): CallbackRequest;
  /** Sets the logged status of a message, accepted or not. */
  log(messageId: string, status: StatusName): void;
  /** Answers the next query of the logs with this HTTP status. */
  failLogs(status: number): void;
}

/** One message of a request, without the fields of its channel. */
export interface InfobipMessage {
  readonly destinations: readonly [{ readonly to: string; readonly messageId: string }];
  readonly webhooks: { readonly delivery?: { readonly url: string }; readonly callbackData: string };
}

/** An entry of a bucket of inbound messages, without the fields of its channel. */
export const inboundOf = (message: AcceptedMessage) => ({
  messageId: randomBytes(9).toString('hex'),
  keyword: '',
  receivedAt: '2019-11-09T16:00:00.000+0000',
  price: { pricePerMessage: 0, currency: 'EUR' },
  number: message.to.replace('+', ''),
});

/** Starts the part of Infobip that one of its channels needs (infobip.com/docs/api/channels); `read` reads the channel's fields. */
export const startInfobipApi = async <Message extends InfobipMessage>(
  now: () => number,
  api: '/sms/3' | '/rcs/2',
  read: (message: Message) => Pick<AcceptedMessage, 'from' | 'text' | 'content'>,
) => {
  const messages: AcceptedMessage[] = [];
  const logs = new Map<string, StatusName>();
  const failures: number[] = [];
  const unauthorized = (headers: Readonly<Record<string, string>>) =>
    headers.authorization === `App ${KEY}`
      ? undefined
      : problem(401, 'The request lacks valid authentication credentials.');
  const answered = (messageId: string, destination: string, found: Status) =>
    json(200, {
      bulkId: '2034072219640523072',
      messages: [{ messageId, status: found, destination, details: { messageCount: 1 } }],
    });
  const messageOf = (body: string) => (JSON.parse(body) as { messages: readonly [Message] }).messages[0];
  let last: InfobipMessage['destinations'][0] = { to: '', messageId: '' };
  const server = await startServer({
    isSend: ({ method, path }) => method === 'POST' && path === `${api}/messages`,
    check: ({ headers, body }) => {
      const refused = unauthorized(headers);
      if (refused) return refused;
      last = messageOf(body).destinations[0];
      if (last.to.startsWith('+')) return problem(400, 'Addresses must be in international format without a plus.');
      return logs.has(last.messageId)
        ? answered(last.messageId, last.to, infobipStatus(5, 23, 'REJECTED_DUPLICATE_MESSAGE_ID'))
        : undefined;
    },
    accept: ({ body }) => {
      const message = messageOf(body);
      const [{ to, messageId }] = message.destinations;
      messages.push({
        ...read(message),
        messageId,
        providerMessageId: messageId,
        to: `+${to}`,
        callbackUrl: message.webhooks.delivery?.url ?? '',
      });
      logs.set(messageId, infobipStatus(1, 26, 'PENDING_ACCEPTED'));
      return answered(messageId, to, infobipStatus(1, 26, 'PENDING_ACCEPTED'));
    },
    refuse: (name) => {
      if (/^\d+$/.test(name)) return problem(Number(name), 'refused: +5511900000000 segredo');
      const [id = '6', status = 'REJECTED_NETWORK'] = name.split(':').slice(-2);
      return answered(last.messageId, last.to, infobipStatus(5, Number(id), status));
    },
    throttle: () => problem(429, 'Too many requests.', { 'retry-after': String(THROTTLED_SECONDS) }),
    serverError: () => problem(500, 'Something went wrong.'),
    other: ({ path, headers }) => {
      const url = new URL(path, 'http://stand-in');
      const refused =
        unauthorized(headers) ?? (url.pathname === `${api}/logs` ? undefined : problem(404, 'Not found.'));
      if (refused) return refused;
      const failure = failures.shift();
      if (failure) return problem(failure, 'On purpose.');
      const messageId = url.searchParams.get('messageId') ?? '';
      const found = logs.get(messageId);
      return json(200, {
        results: found ? [{ messageId, destination: '5511900000000', status: found, content: { text: '…' } }] : [],
      });
    },
  });

  /** Signs a bucket as the notification profile of an account does. */
  const signed = (message: AcceptedMessage, body: string): CallbackRequest => {
    const timestamp = String(now());
    return {
      url: message.callbackUrl,
      headers: {
        'content-type': 'application/json',
        [AUTH.timestampHeader]: timestamp,
        [AUTH.header]: infobipSignature(AUTH, body, timestamp),
      },
      body,
    };
  };
  const bucket = (message: AcceptedMessage, entry: object, more: object = {}) =>
    signed(message, JSON.stringify({ results: [entry], ...more }));
  const report: InfobipApi['report'] = (message, found, error = NO_ERROR, over = {}) =>
    bucket(message, {
      bulkId: '2034072219640523072',
      messageId: message.messageId,
      to: message.to.replace('+', ''),
      sender: message.from,
      sentAt: '2019-11-09T16:00:00.000+0100',
      doneAt: '2019-11-09T16:00:03.000+0100',
      messageCount: 1,
      price: { pricePerMessage: 0.01, currency: 'EUR' },
      callbackData: message.messageId,
      status: found,
      error: { groupId: 0, groupName: 'OK', id: 0, name: error, description: 'As documented', permanent: false },
      ...over,
    });
  return {
    ...server,
    settings: { apiKey: KEY, baseUrl: server.baseUrl, callbackAuth: AUTH },
    messages,
    signed,
    bucket,
    report,
    log: (messageId: string, found: StatusName) => {
      logs.set(messageId, found);
    },
    failLogs: (code: number) => {
      failures.push(code);
    },
  };
};
