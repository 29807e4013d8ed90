import { randomBytes } from 'node:crypto';
import type { CallbackRequest } from '../../../shared/domain/messages/provider.ts';
import { infobipSignature } from '../../../shared/providers/infobip-callbacks.ts';
import {
  type AcceptedMessage,
  json,
  type ReceiptOutcome,
  type SmsStandIn,
  type StandInAnswer,
  startServer,
  THROTTLED_SECONDS,
  type UnderTest,
} from './stand-in.ts';

const KEY = '003026bbc133714df1834b8638bb496e-8f4b3d9a-e931-478d-a994-28a725159ab9';
const AUTH = {
  type: 'hmac',
  secretKey: 'a-test-secret',
  algorithm: 'HMAC_SHA_256',
  header: 'x-ib-exchange-req-signature',
  timestampHeader: 'x-ib-exchange-req-timestamp',
} as const;

const GROUPS = ['OK', 'PENDING', 'UNDELIVERABLE', 'DELIVERED', 'EXPIRED', 'REJECTED'];
const status = (groupId: number, id: number, name: string) => ({
  groupId,
  groupName: GROUPS[groupId],
  id,
  name,
  description: 'As documented',
});
type Status = ReturnType<typeof status>;
const NO_ERROR = 'NO_ERROR';

const WORDS: Readonly<Record<ReceiptOutcome, { readonly status: Status; readonly error: string }>> = {
  sent: { status: status(3, 2, 'DELIVERED_TO_OPERATOR'), error: NO_ERROR },
  delivered: { status: status(3, 5, 'DELIVERED_TO_HANDSET'), error: NO_ERROR },
  invalid_number: { status: status(2, 9, 'UNDELIVERABLE_NOT_DELIVERED'), error: 'EC_UNKNOWN_SUBSCRIBER' },
  carrier_rejected: { status: status(2, 4, 'UNDELIVERABLE_REJECTED_OPERATOR'), error: NO_ERROR },
  blacklisted: { status: status(5, 14, 'REJECTED_DESTINATION_BLOCKLISTED'), error: NO_ERROR },
  expired: { status: status(4, 15, 'EXPIRED_EXPIRED'), error: NO_ERROR },
};

const problem = (code: number, description: string, headers = {}): StandInAnswer =>
  json(
    code,
    { errorCode: `E${code}`, description, action: 'Check the request.', violations: [], resources: [] },
    headers,
  );

/** Infobip as far as sending a text needs it; it also signs what Infobip would post. */
export interface InfobipStandIn extends SmsStandIn {
  /** A signed delivery report with this status and network error. */
  report(
    message: AcceptedMessage,
    status: { groupId: number; id: number; name: string },
    error?: string,
  ): CallbackRequest;
  /** What the logs hold of a message, whether or not it was accepted here. */
  log(messageId: string, status: { groupId: number; id: number; name: string }): void;
  /** Answers the next question to the logs with this HTTP status. */
  failLogs(status: number): void;
}

interface SendBody {
  readonly messages: readonly [
    {
      readonly sender?: string;
      readonly destinations: readonly [{ to: string; messageId: string }];
      readonly content: { text: string };
      readonly webhooks: { delivery?: { url: string }; callbackData: string };
    },
  ];
}

/** Starts a stand-in for Infobip's SMS API v3 (infobip.com/docs/api/channels/sms). */
export const startInfobipStandIn = async (now: () => number = Date.now): Promise<InfobipStandIn> => {
  const messages: AcceptedMessage[] = [];
  const logs = new Map<string, { groupId: number; id: number; name: string }>();
  const failures: number[] = [];
  const unauthorized = (headers: Readonly<Record<string, string>>) =>
    headers['authorization'] === `App ${KEY}`
      ? undefined
      : problem(401, 'The request lacks valid authentication credentials.');
  const answered = (messageId: string, destination: string, found: Status) =>
    json(200, {
      bulkId: '2034072219640523072',
      messages: [{ messageId, status: found, destination, details: { messageCount: 1 } }],
    });
  let last: SendBody['messages'][0]['destinations'][0] = { to: '', messageId: '' };
  const server = await startServer({
    isSend: ({ method, path }) => method === 'POST' && path === '/sms/3/messages',
    check: ({ headers, body }) => {
      const refused = unauthorized(headers);
      if (refused) return refused;
      last = (JSON.parse(body) as SendBody).messages[0].destinations[0];
      if (last.to.startsWith('+')) return problem(400, 'Addresses must be in international format without a plus.');
      return logs.has(last.messageId)
        ? answered(last.messageId, last.to, status(5, 23, 'REJECTED_DUPLICATE_MESSAGE_ID'))
        : undefined;
    },
    accept: ({ body }) => {
      const [{ sender = '', destinations, content, webhooks }] = (JSON.parse(body) as SendBody).messages;
      const [{ to, messageId }] = destinations;
      messages.push({
        messageId,
        providerMessageId: messageId,
        to: `+${to}`,
        from: sender,
        text: content.text,
        callbackUrl: webhooks.delivery?.url ?? '',
      });
      logs.set(messageId, status(1, 26, 'PENDING_ACCEPTED'));
      return answered(messageId, to, status(1, 26, 'PENDING_ACCEPTED'));
    },
    refuse: (name) => {
      if (/^\d+$/.test(name)) return problem(Number(name), 'refused: +5511900000000 segredo');
      const [id = '6', words = 'REJECTED_NETWORK'] = name.split(':').slice(-2);
      return answered(last.messageId, last.to, status(5, Number(id), words));
    },
    throttle: () => problem(429, 'Too many requests.', { 'retry-after': String(THROTTLED_SECONDS) }),
    serverError: () => problem(500, 'Something went wrong.'),
    other: ({ path, headers }) => {
      const url = new URL(path, 'http://stand-in');
      const refused =
        unauthorized(headers) ?? (url.pathname === '/sms/3/logs' ? undefined : problem(404, 'Not found.'));
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
  const report: InfobipStandIn['report'] = (message, found, error = NO_ERROR) => {
    const results = [
      {
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
      },
    ];
    return signed(message, JSON.stringify({ results }));
  };
  return {
    provider: 'infobip',
    ...server,
    settings: { apiKey: KEY, from: 'InfoSMS', baseUrl: server.baseUrl, callbackAuth: AUTH },
    messages,
    signed,
    report,
    log: (messageId, found) => {
      logs.set(messageId, found);
    },
    failLogs: (code) => {
      failures.push(code);
    },
    receipt: (message, outcome) => report(message, WORDS[outcome].status, WORDS[outcome].error),
    reply: (message, text) => {
      const entry = {
        messageId: randomBytes(9).toString('hex'),
        from: message.to.replace('+', ''),
        to: '28000',
        text,
        cleanText: text,
        keyword: '',
        receivedAt: '2019-11-09T16:00:00.000+0000',
        smsCount: 1,
        price: { pricePerMessage: 0, currency: 'EUR' },
      };
      return signed(message, JSON.stringify({ results: [entry], messageCount: 1, pendingMessageCount: 0 }));
    },
  };
};

export const infobipUnderTest: UnderTest = {
  channel: 'sms',
  name: 'infobip',
  start: startInfobipStandIn,
  refusals: {
    recipient: ['8:REJECTED_PREFIX_MISSING', '52:REJECTED_DESTINATION'],
    content: ['25:REJECTED_MESSAGE_TOO_LONG', '87:SIGNALS_BLOCKED'],
    blacklisted: ['14:REJECTED_DESTINATION_BLOCKLISTED', '10:REJECTED_DND'],
    throttled: ['20:REJECTED_FLOODING_FILTER'],
    credit: ['12:REJECTED_NOT_ENOUGH_CREDITS', '17:REJECTED_PREPAID_PACKAGE_EXPIRED'],
    credentials: ['401', '403'],
    unavailable: ['6:REJECTED_NETWORK', '19:REJECTED_ROUTE_NOT_AVAILABLE', '400', '999:REJECTED_OF_THE_FUTURE'],
  },
  wrongCredentials: { apiKey: 'another' },
  replies: true,
};
