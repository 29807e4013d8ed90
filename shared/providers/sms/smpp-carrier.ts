import * as z from 'zod';
import type { SmsDispatch, SmsProvider, SmsProviderDeclaration } from '../../domain/channels/sms/content.ts';
import type {
  CallbackReading,
  CallbackRequest,
  ProviderAnswer,
  ProviderEvent,
  ProviderIo,
  RefusalCause,
  StatusAnswer,
} from '../../domain/message/provider-port.ts';
import {
  CARRIER_PATHS,
  type CarrierCallback,
  type CarrierPurpose,
  type CarrierResult,
  type CarrierSettings,
  type CarrierSubmit,
  carrierCallback,
  carrierResult,
  isCarrierBody,
  signCarrierBody,
} from '../../domain/smpp/carrier.ts';
import { statusName } from '../../smpp/statuses.ts';
import { e164Of } from '../e164.ts';
import { callProvider, jsonOf, type ProviderReply, parseJson, refusal } from '../http.ts';
import { callbacksWith } from '../registry.ts';
import { optionalTextSetting, textSetting } from '../settings.ts';
import { GSM_NETWORK, GSM_REASONS, SMPP_CAUSES, SMPP_STATES } from './smpp-carrier-codes.ts';

const plan = (whose: string) =>
  z
    .strictObject({
      ton: z.int().min(0).max(7).optional().describe('The type of number.'),
      npi: z.int().min(0).max(18).optional().describe('The numbering plan.'),
    })
    .prefault({})
    .describe(whose);
/** A C-octet string of printable ASCII. */
const octets = (max: number) =>
  z
    .string()
    .regex(/^[\x20-\x7e]*$/)
    .max(max);
const optionalOctets = (max: number, description: string) => octets(max).default('').describe(description);
/** Formats of message ids in a carrier's responses compared to its receipts. */
const ID_FORMATS = ['same', 'hex_then_decimal', 'decimal_then_hex'] as const;
const REASONS = ['invalid_number', 'carrier_rejected', 'blacklisted', 'expired'] as const;
const CAUSES = [
  'recipient',
  'content',
  'blacklisted',
  'sender',
  'throttled',
  'credit',
  'credentials',
  'unavailable',
] as const;

/** The settings that read the carrier's deliveries. */
const callbackSettings = {
  serviceKey: z
    .string()
    .min(32)
    .describe(
      'The key with which this service and its SMPP service authenticate their calls to each other: at least 32 random characters.',
    ),
  messageIds: z
    .enum(ID_FORMATS)
    .default('same')
    .describe('How the carrier writes the id of a message in its response and then in its receipt.'),
  errorReasons: z
    .record(z.string(), z.enum(REASONS))
    .default({})
    .describe("The meanings of the carrier's own error codes, by `err` of its receipts."),
};

/** Operator settings of a carrier that is connected over SMPP 3.4. */
export const smppCarrierSettings = z.strictObject({
  host: textSetting("The carrier's SMSC: its name or address."),
  port: z.int().min(1).max(65_535).default(2775).describe('Its port.'),
  tls: z.boolean().default(false).describe('Whether the connection is TLS.'),
  tlsCa: optionalTextSetting(
    "The certificate (PEM) that the carrier's is verified by, if no public authority issued it.",
  ),
  systemId: octets(15).min(1).describe('The system_id of the account, at most 15 characters.'),
  password: octets(8).describe('Its password, at most 8 characters.'),
  systemType: optionalOctets(12, 'The system_type, where the carrier asks for one.'),
  addressRange: optionalOctets(40, 'The address_range of binds that receive, if the carrier requires one.'),
  bindType: z
    .enum(['transceiver', 'transmitter_receiver'])
    .default('transceiver')
    .describe('One bind for both directions, or a transmitter and a receiver.'),
  binds: z
    .int()
    .min(1)
    .max(50)
    .default(1)
    .describe('Binds in all processes of the SMPP service together; of two types: pairs.'),
  window: z.int().min(1).max(1_000).default(10).describe('Messages of a bind without a response.'),
  throughput: z.number().min(0.1).max(10_000).default(10).describe('Messages (parts) of a bind per second.'),
  throttledSeconds: z
    .int()
    .min(1)
    .max(60)
    .default(1)
    .describe(
      'How long a bind pauses after the carrier throttled it, and callers have to wait: SMPP does not transmit such a value.',
    ),
  enquireSeconds: z
    .int()
    .min(5)
    .max(60)
    .default(30)
    .describe('After how much silence the carrier is asked whether it is there.'),
  source: plan('TON and NPI of senders; without them 1 and 1 for numbers, 3 and 0 for short codes, 5 and 0 for names.'),
  destination: plan('TON and NPI of recipients; without them 1 and 1.'),
  serviceType: optionalOctets(5, 'The service_type, where the carrier asks for one.'),
  from: z
    .string()
    .min(1)
    .max(20)
    .optional()
    .describe('The sender of messages that name none; without it the carrier chooses.'),
  longText: z
    .enum(['udh', 'sar', 'payload'])
    .default('udh')
    .describe(
      'How texts of several parts are sent: by user data headers, SAR parameters, or whole as message_payload.',
    ),
  statusCauses: z
    .record(z.string().regex(/^0x[0-9a-f]{1,8}$/i), z.enum(CAUSES))
    .default({})
    .describe("The meanings of the carrier's own command statuses, such as `0x400`."),
  ...callbackSettings,
  serviceUrl: z
    .url()
    .describe('Where the SMPP service accepts messages: port 8443 of its name; locally http://127.0.0.1:2776.'),
  timeoutMs: z.int().min(100).max(11_000).default(10_000).describe('How long the carrier may take to answer, in ms.'),
});
export type SmppCarrierSettings = z.infer<typeof smppCarrierSettings> & CarrierSettings;

/** Normalizes a message id, so that the carrier's response and its receipts match. */
const messageIdOf = (format: (typeof ID_FORMATS)[number], from: 'receipt' | 'response', id: string): string => {
  const text = id.trim();
  if (format === 'same') return text;
  const isHex = (format === 'hex_then_decimal') === (from === 'response');
  if (isHex) return /^[0-9a-f]{1,64}$/i.test(text) ? BigInt(`0x${text}`).toString() : text;
  return /^\d{1,64}$/.test(text) ? BigInt(text).toString() : text;
};

/** The share of an HTTP call's timeout that the carrier has; the rest is for the network between us. */
const MARGIN = 0.8;
/** Names statuses as in the protocol; the carrier's own by number. */
const named = (status: number): string => statusName(status) ?? `0x${status.toString(16)}`;

const causeOf = ({ statusCauses }: SmppCarrierSettings, status: number): RefusalCause => {
  const own = Object.entries(statusCauses).find(([code]) => Number(code) === status)?.[1];
  const name = statusName(status);
  return own ?? (name && SMPP_CAUSES[name]) ?? 'unavailable';
};

const answerOf = (settings: SmppCarrierSettings, result: CarrierResult): ProviderAnswer => {
  const { throttledSeconds, messageIds } = settings;
  switch (result.kind) {
    case 'accepted':
      return { kind: 'accepted', providerMessageId: messageIdOf(messageIds, 'response', result.id) };
    case 'refused': {
      const cause = causeOf(settings, result.status);
      return refusal(cause, `carrier: ${named(result.status)}`, cause === 'throttled' ? throttledSeconds : undefined);
    }
    case 'unbound': {
      if (result.status === undefined) return refusal('unavailable', 'carrier: no bind');
      const cause = causeOf(settings, result.status) === 'credentials' ? 'credentials' : 'unavailable';
      return refusal(cause, `carrier: the bind is refused, ${named(result.status)}`);
    }
    case 'busy':
      return refusal('throttled', 'carrier: its throughput is used up', throttledSeconds);
    case 'unsendable':
      return refusal('content', 'carrier: the text or the sender does not fit');
    case 'unknown':
      return { kind: 'unknown', detail: `carrier: ${result.why}` };
  }
};

const call = (
  { serviceUrl, serviceKey, timeoutMs }: SmppCarrierSettings,
  io: ProviderIo,
  purpose: Exclude<CarrierPurpose, 'callback'>,
  content: object,
): Promise<ProviderReply> => {
  const body = JSON.stringify(content);
  return callProvider(io, {
    url: new URL(CARRIER_PATHS[purpose], serviceUrl).href,
    method: 'POST',
    headers: signCarrierBody(serviceKey, purpose, body, io.now()),
    body,
    timeoutMs,
  });
};

const send = async (settings: SmppCarrierSettings, io: ProviderIo, dispatch: SmsDispatch): Promise<ProviderAnswer> => {
  const { messageId, to, content } = dispatch;
  const from = content.senderId ?? settings.from;
  const message: CarrierSubmit = {
    messageId,
    to,
    text: content.text,
    waitMs: Math.floor(settings.timeoutMs * MARGIN),
    ...(from === undefined ? {} : { from }),
  };
  const reply = await call(settings, io, 'submit', message);
  if (reply.kind === 'not_sent') return refusal('unavailable', `the SMPP service cannot be reached: ${reply.detail}`);
  if (reply.kind === 'lost') return { kind: 'unknown', detail: `the SMPP service: ${reply.detail}` };
  if (reply.status === 401) return refusal('credentials', 'the SMPP service has another serviceKey');
  if (reply.status === 503) return refusal('unavailable', 'the SMPP service has no bind');
  const result = reply.status === 200 ? jsonOf(carrierResult, reply) : undefined;
  return result ? answerOf(settings, result) : { kind: 'unknown', detail: `the SMPP service: HTTP ${reply.status}` };
};

/**
 * The service keeps late responses of carriers for a while, but knows nothing about messages that another process sent before it crashed.
 */
const queryStatus = async (settings: SmppCarrierSettings, io: ProviderIo, messageId: string): Promise<StatusAnswer> => {
  const reply = await call(settings, io, 'status', { messageId });
  const result = reply.kind === 'answered' && reply.status === 200 ? jsonOf(carrierResult, reply) : undefined;
  const answer = result ? answerOf(settings, result) : undefined;
  if (answer?.kind === 'accepted') return answer;
  return answer?.kind === 'refused'
    ? { kind: 'not_found' }
    : { kind: 'undecided', detail: 'the SMPP service knows no response' };
};

type CallbackSettings = Pick<SmppCarrierSettings, keyof typeof callbackSettings>;

const eventsOf = ({ messageIds, errorReasons }: CallbackSettings, found: CarrierCallback): readonly ProviderEvent[] => {
  if (found.kind === 'message') {
    const { id, from, to, text, at } = found;
    return [{ kind: 'reply', providerReplyId: id, from: e164Of(from), to: e164Of(to), body: text, at }];
  }
  if (found.kind === 'part') {
    const { kind: _, from, to, ...part } = found;
    return [{ kind: 'reply_part', from: e164Of(from), to: e164Of(to), ...part }];
  }
  const meaning = SMPP_STATES[found.state];
  if (!meaning) return [];
  const { status } = meaning;
  const isLost = status === 'failed' || status === 'undelivered';
  const network = found.network?.network === GSM_NETWORK ? GSM_REASONS[found.network.code] : undefined;
  const reason = isLost ? (errorReasons[found.error ?? ''] ?? network ?? meaning.reason) : undefined;
  const id = messageIdOf(messageIds, 'receipt', found.id);
  return [
    {
      kind: 'receipt',
      providerMessageId: id,
      status,
      ...(reason ? { reason } : {}),
      receipt: {
        id,
        type: 'api_message',
        to: e164Of(found.phone),
        status: found.state,
        statusDescription: found.error ? `${found.state} ${found.error}` : found.state,
        channel: 'SMS',
      },
    },
  ];
};

const readCallback = (settings: CallbackSettings, io: ProviderIo, request: CallbackRequest): CallbackReading => {
  if (!isCarrierBody(settings.serviceKey, 'callback', request, io.now()))
    return { kind: 'forged', detail: 'carrier: not signed with the serviceKey' };
  const found = parseJson(carrierCallback, request.body);
  return found
    ? { kind: 'events', events: eventsOf(settings, found) }
    : { kind: 'malformed', detail: 'carrier: neither a receipt nor a message' };
};

/**
 * A carrier's SMSC over SMPP 3.4. A function can't keep connections, so the SMPP service holds the binds: the adapter posts it one message
 * at a time, and the service posts the carrier's deliveries to the callback address. The carrier never receives our message id.
 */
export const smppCarrier: SmsProviderDeclaration<SmppCarrierSettings> = {
  channel: 'sms',
  name: 'smpp_carrier',
  settings: smppCarrierSettings,
  create: (settings, io): SmsProvider => ({
    name: 'smpp_carrier',
    send: (dispatch) => send(settings, io, dispatch),
    queryStatus: (messageId) => queryStatus(settings, io, messageId),
  }),
  callbacks: callbacksWith(z.object(callbackSettings), (settings, io) => ({
    namesOwnIdOnly: true,
    readCallback: async (request) => readCallback(settings, io, request),
  })),
};
