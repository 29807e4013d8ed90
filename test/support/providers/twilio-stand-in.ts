import { randomBytes } from 'node:crypto';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { twilioSignature } from '../../../shared/providers/sms/twilio.ts';
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

const ACCOUNT = `AC${'1'.repeat(32)}`;
const TOKEN = 'a-test-token';
const FROM = '+15557771234';

const STATUS_OF: Readonly<Record<ReceiptOutcome, { readonly MessageStatus: string; readonly ErrorCode?: string }>> = {
  sent: { MessageStatus: 'sent' },
  delivered: { MessageStatus: 'delivered' },
  invalid_number: { MessageStatus: 'undelivered', ErrorCode: '30005' },
  carrier_rejected: { MessageStatus: 'undelivered', ErrorCode: '30007' },
  blacklisted: { MessageStatus: 'failed', ErrorCode: '21610' },
  expired: { MessageStatus: 'undelivered', ErrorCode: '30036' },
};

/** HTTP statuses of refusals, where they are not 400 (twilio.com/docs/api/errors). */
const STATUSES: Readonly<Record<string, number>> = { 20003: 401, 20005: 403, 20404: 404, 20429: 429, 21610: 400 };

const problem = (code: number, status: number, message: string, headers = {}): StandInAnswer =>
  json(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, headers);

/** The part of Twilio that sending a text needs; it also signs Twilio's callbacks. */
export interface TwilioStandIn extends SmsStandIn {
  /** A signed status callback with these parameters over the documented ones. */
  status(message: AcceptedMessage, params: Readonly<Record<string, string>>): CallbackRequest;
}

/** Starts a stand-in of Twilio's REST API (twilio.com/docs/messaging/api/message-resource). */
export const startTwilioStandIn = async (): Promise<TwilioStandIn> => {
  const messages: AcceptedMessage[] = [];
  const newSid = () => `SM${randomBytes(16).toString('hex')}`;
  const server = await startServer({
    isSend: ({ method, path }) => method === 'POST' && path === `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
    check: ({ headers, body }) => {
      const expected = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}`;
      if (headers.authorization !== expected) return problem(20003, 401, 'Authenticate');
      const form = new URLSearchParams(body);
      if (headers['content-type'] !== 'application/x-www-form-urlencoded' || !form.get('To'))
        return problem(21604, 400, "A 'To' phone number is required.");
      return form.get('Body') ? undefined : problem(21602, 400, 'Message body is required.');
    },
    accept: ({ body }) => {
      const form = new URLSearchParams(body);
      const callbackUrl = form.get('StatusCallback') ?? '';
      const accepted: AcceptedMessage = {
        messageId: new URL(callbackUrl).searchParams.get('messageId') ?? '',
        providerMessageId: newSid(),
        to: form.get('To') ?? '',
        from: form.get('From') ?? '',
        text: form.get('Body') ?? '',
        callbackUrl,
      };
      messages.push(accepted);
      const { providerMessageId: sid, to, from } = accepted;
      return json(201, {
        account_sid: ACCOUNT,
        api_version: '2010-04-01',
        body: accepted.text,
        direction: 'outbound-api',
        error_code: null,
        error_message: null,
        from,
        sid,
        status: 'queued',
        to,
      });
    },
    // Twilio's messages repeat the recipient.
    refuse: (code) =>
      problem(Number(code), STATUSES[code] ?? 400, `The 'To' number +5511900000000 was refused: segredo`),
    throttle: () => problem(20429, 429, 'Too Many Requests', { 'retry-after': String(THROTTLED_SECONDS) }),
    serverError: () => problem(20500, 500, 'Internal Server Error'),
    other: () => problem(20404, 404, 'The requested resource was not found'),
  });

  const signed = (message: AcceptedMessage, body: string): CallbackRequest => ({
    url: message.callbackUrl,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature(TOKEN, message.callbackUrl, new URLSearchParams(body)),
    },
    body,
  });
  const status = (message: AcceptedMessage, params: Readonly<Record<string, string>>) => {
    const { providerMessageId: sid, from, to } = message;
    const form = {
      AccountSid: ACCOUNT,
      ApiVersion: '2010-04-01',
      From: from,
      To: to,
      MessageSid: sid,
      SmsSid: sid,
      SmsStatus: params.MessageStatus ?? '',
      ...params,
    };
    return signed(message, new URLSearchParams(form).toString());
  };
  return {
    provider: 'twilio',
    ...server,
    settings: { accountSid: ACCOUNT, authToken: TOKEN, from: FROM, baseUrl: server.baseUrl },
    messages,
    signed,
    status,
    receipt: (message, outcome) => status(message, STATUS_OF[outcome]),
    reply: (message, body) => {
      const sid = newSid();
      const form = {
        AccountSid: ACCOUNT,
        ApiVersion: '2010-04-01',
        Body: body,
        From: message.to,
        To: message.from,
        MessageSid: sid,
        SmsSid: sid,
        SmsMessageSid: sid,
        SmsStatus: 'received',
        NumMedia: '0',
        NumSegments: '1',
      };
      // Inbound messages are posted to the number's webhook, without our message id.
      return signed(
        { ...message, callbackUrl: message.callbackUrl.split('?')[0] ?? '' },
        new URLSearchParams(form).toString(),
      );
    },
  };
};

export const twilioUnderTest: UnderTest = {
  channel: 'sms',
  name: 'twilio',
  start: startTwilioStandIn,
  refusals: {
    recipient: ['21211', '21268', '21614', '21635', '30005'],
    content: ['21617', '21602', '21619', '30019'],
    blacklisted: ['21610'],
    throttled: ['20429', '14107', '21611'],
    credit: ['20005', '30002', '90010'],
    credentials: ['20003'],
    unavailable: ['21606', '21408', '21703', '21999'],
  },
  wrongCredentials: { authToken: 'another' },
  replies: true,
};
