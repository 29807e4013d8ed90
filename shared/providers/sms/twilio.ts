import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { SmsDispatch, SmsProvider, SmsProviderDeclaration } from '../../domain/channels/sms/content.ts';
import type {
  CallbackReading,
  CallbackRequest,
  ProviderAnswer,
  ProviderIo,
  ReceiptEvent,
} from '../../domain/message/provider-port.ts';
import { callProvider, jsonOf, type ProviderReply, refusal, retryAfterSeconds, sameSecret } from '../http.ts';
import { callbacksWith } from '../registry.ts';
import { optionalTextSetting, textSetting } from '../settings.ts';
import { TWILIO_CODES, TWILIO_RECEIPTS, TWILIO_STATUSES } from './twilio-codes.ts';

const sid = (prefix: string) => new RegExp(`^${prefix}[0-9a-fA-F]{32}$`);

/** Operator settings of Twilio Programmable Messaging. */
export const twilioSettings = z
  .strictObject({
    accountSid: z.string().regex(sid('AC')).describe('The account that sends and pays: AC and 32 hexadecimal digits.'),
    authToken: textSetting(
      "The account's auth token. Twilio signs its callbacks with it, so it is needed with an API key too.",
    ),
    apiKeySid: z
      .string()
      .regex(sid('SK'))
      .optional()
      .describe('An API key to send with, instead of the auth token: SK and 32 hexadecimal digits.'),
    apiKeySecret: optionalTextSetting("The API key's secret."),
    from: optionalTextSetting('The number, short code or alphanumeric sender of messages that name no sender.'),
    messagingServiceSid: z
      .string()
      .regex(sid('MG'))
      .optional()
      .describe('The Messaging Service that chooses the sender of messages that name none.'),
    baseUrl: z.url().default('https://api.twilio.com').describe("Twilio's REST API, or a stand-in for it."),
    timeoutMs: z
      .int()
      .min(100)
      .max(60_000)
      .default(10_000)
      .describe('How long Twilio may take to answer a send, in ms.'),
  })
  .refine(
    ({ apiKeySid, apiKeySecret }) => (apiKeySid === undefined) === (apiKeySecret === undefined),
    'apiKeySid and apiKeySecret go together',
  )
  .refine(
    ({ from, messagingServiceSid }) => from !== undefined || messagingServiceSid !== undefined,
    'from or messagingServiceSid is needed',
  );
export type TwilioSettings = z.infer<typeof twilioSettings>;

/** The fields read from the Message resource that a send returns (docs/messaging/api/message-resource). */
const created = z.object({
  sid: z.string().regex(/^(SM|MM)[0-9a-fA-F]{32}$/),
  status: z.string(),
  error_code: z.number().nullish(),
});
/** A REST API error (docs/usage/twilios-response). Its message contains the recipient and must not be logged. */
const problem = z.object({ code: z.number(), status: z.number().optional() });

const authorization = ({ accountSid, authToken, apiKeySid, apiKeySecret }: TwilioSettings): string =>
  `Basic ${Buffer.from(apiKeySid && apiKeySecret ? `${apiKeySid}:${apiKeySecret}` : `${accountSid}:${authToken}`).toString('base64')}`;

const senderOf = (
  { from, messagingServiceSid }: TwilioSettings,
  senderId: string | undefined,
): Record<string, string> => {
  if (senderId) return { From: senderId };
  return messagingServiceSid ? { MessagingServiceSid: messagingServiceSid } : { From: from ?? '' };
};

const refusalOf = (code: number, retryAfter?: number): ProviderAnswer => {
  const known = TWILIO_CODES[code];
  return refusal(known?.cause ?? 'unavailable', `twilio ${code}${known ? `: ${known.title}` : ''}`, retryAfter);
};

const answerOf = (reply: ProviderReply, now: number): ProviderAnswer => {
  if (reply.kind === 'not_sent') return refusal('unavailable', `twilio cannot be reached: ${reply.detail}`);
  if (reply.kind === 'lost') return { kind: 'unknown', detail: `twilio: ${reply.detail}` };
  const { status, headers } = reply;
  if (status >= 200 && status < 300) {
    const message = jsonOf(created, reply);
    if (!message) return { kind: 'unknown', detail: `twilio: HTTP ${status} without a message` };
    if (message.status === 'failed') return refusalOf(message.error_code ?? 0);
    return { kind: 'accepted', providerMessageId: message.sid };
  }
  if (status < 400 || status >= 500) return { kind: 'unknown', detail: `twilio: HTTP ${status}` };
  const retryAfter = retryAfterSeconds(headers.get('retry-after'), now);
  const code = jsonOf(problem, reply)?.code;
  if (code !== undefined) return refusalOf(code, retryAfter);
  const cause = TWILIO_STATUSES[status];
  return cause
    ? refusal(cause, `twilio: HTTP ${status}`, retryAfter)
    : { kind: 'unknown', detail: `twilio: HTTP ${status}` };
};

const send = async (settings: TwilioSettings, io: ProviderIo, dispatch: SmsDispatch): Promise<ProviderAnswer> => {
  const { messageId, to, content, callbackUrl } = dispatch;
  const reply = await callProvider(io, {
    url: new URL(`/2010-04-01/Accounts/${settings.accountSid}/Messages.json`, settings.baseUrl).href,
    method: 'POST',
    headers: {
      authorization: authorization(settings),
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams({
      To: to,
      Body: content.text,
      ...senderOf(settings, content.senderId),
      StatusCallback: `${callbackUrl}?messageId=${messageId}`,
    }).toString(),
    timeoutMs: settings.timeoutMs,
  });
  return answerOf(reply, io.now());
};

/**
 * X-Twilio-Signature: base64 HMAC-SHA1 under the auth token, over the URL followed by each parameter's name and value, sorted by name
 * (twilio.com/docs/usage/security, validating requests). Of a repeated name each distinct value counts once, sorted, as in Twilio's own
 * libraries.
 */
export const twilioSignature = (authToken: string, url: string, params: URLSearchParams): string => {
  const text = [...new Set(params.keys())].sort().map((name) =>
    [...new Set(params.getAll(name))]
      .sort()
      .map((value) => name + value)
      .join(''),
  );
  return createHmac('sha1', authToken)
    .update(url + text.join(''))
    .digest('base64');
};

/** Twilio signs some URLs with the default port and some without; its own libraries try both (twilio-node, webhooks.ts). */
const urlVariants = (url: string): string[] => {
  const [, scheme, host, port, rest] = /^(https?):\/\/([^/:?#]+)(:\d+)?(.*)$/s.exec(url) ?? [];
  if (!scheme) return [url];
  return [url, port ? `${scheme}://${host}${rest}` : `${scheme}://${host}:${scheme === 'https' ? 443 : 80}${rest}`];
};

const receiptForm = z.object({
  MessageSid: z.string().min(1),
  MessageStatus: z.string().min(1),
  To: z.string().min(1),
  ErrorCode: z.string().regex(/^\d*$/).optional(),
});
const replyForm = z.object({
  MessageSid: z.string().min(1),
  From: z.string().min(1),
  To: z.string().min(1),
  Body: z.string(),
});

const receiptOf = (form: z.infer<typeof receiptForm>, messageId: string | null): ReceiptEvent[] => {
  const status = TWILIO_RECEIPTS[form.MessageStatus];
  if (!status) return [];
  const code = Number(form.ErrorCode ?? 0);
  const known = TWILIO_CODES[code];
  const lost = status === 'failed' || status === 'undelivered';
  return [
    {
      kind: 'receipt',
      ...(messageId ? { messageId } : {}),
      providerMessageId: form.MessageSid,
      status,
      ...(lost && known?.reason ? { reason: known.reason } : {}),
      receipt: {
        id: form.MessageSid,
        type: 'api_message',
        to: form.To,
        ...(messageId ? { reference: messageId } : {}),
        status: form.MessageStatus,
        statusDescription: code ? `${code}${known ? `: ${known.title}` : ''}` : form.MessageStatus,
        channel: 'SMS',
      },
    },
  ];
};

const readCallback = (
  settings: Pick<TwilioSettings, 'authToken'>,
  io: ProviderIo,
  { url, headers, body }: CallbackRequest,
): CallbackReading => {
  const params = new URLSearchParams(body);
  const signature = headers['x-twilio-signature'];
  if (!signature) return { kind: 'forged', detail: 'twilio: no signature' };
  const matches = urlVariants(url).some((spelling) =>
    sameSecret(twilioSignature(settings.authToken, spelling, params), signature),
  );
  if (!matches) return { kind: 'forged', detail: 'twilio: the signature is not ours' };
  const form = Object.fromEntries(params);
  const receipt = receiptForm.safeParse(form).data;
  if (receipt)
    return { kind: 'events', events: receiptOf(receipt, URL.parse(url)?.searchParams.get('messageId') ?? null) };
  const reply = replyForm.safeParse(form).data;
  if (!reply || form.MessageStatus !== undefined)
    return { kind: 'malformed', detail: 'twilio: neither a status nor an inbound message' };
  const { MessageSid: providerReplyId, From: from, To: to, Body: text } = reply;
  return { kind: 'events', events: [{ kind: 'reply', providerReplyId, from, to, body: text, at: io.now() }] };
};

/**
 * Twilio Programmable Messaging, REST API 2010-04-01. Our message id travels in the URL of the status callback. Twilio offers no lookup by
 * it, so there is no `queryStatus`: only a receipt resolves an uncertain send.
 */
export const twilio: SmsProviderDeclaration<TwilioSettings> = {
  channel: 'sms',
  name: 'twilio',
  settings: twilioSettings,
  create: (settings, io): SmsProvider => ({
    name: 'twilio',
    send: (dispatch) => send(settings, io, dispatch),
  }),
  callbacks: callbacksWith(z.object({ authToken: z.string() }), (settings, io) => ({
    readCallback: async (request) => readCallback(settings, io, request),
  })),
};
