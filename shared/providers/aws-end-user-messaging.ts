import type { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as z from 'zod';
import type {
  CallbackReading,
  ProviderAnswer,
  ProviderEvent,
  ProviderIo,
  ReceiptEvent,
} from '../domain/message/provider-port.ts';
import {
  type AwsErrorTable,
  awsAccessSettings,
  awsFailure,
  clientCache,
  type SnsReceiverSettings,
  snsSettings,
} from './aws.ts';
import { parseJson } from './http.ts';
import { textSetting } from './settings.ts';
import { readSns } from './sns.ts';

/** Operator settings that SMS and RCS share. */
export const endUserMessagingSettings = {
  ...awsAccessSettings,
  ...snsSettings,
  region: awsAccessSettings.region.describe(
    'The AWS region that holds the origination identities, for example sa-east-1.',
  ),
  configurationSetName: textSetting(
    'The configuration set whose event destination publishes receipts to an SNS topic.',
  ),
  topicArns: snsSettings.topicArns.describe(
    'The SNS topics of receipts and of two-way messages. No other topic is listened to.',
  ),
  baseUrl: z
    .url()
    .optional()
    .describe(
      "An address to use instead of the region's own (https://sms-voice.<region>.amazonaws.com): a VPC endpoint or a stand-in.",
    ),
};
const schema = z.object(endUserMessagingSettings);
export type EndUserMessagingSettings = z.infer<typeof schema>;

/**
 * Exceptions of SendTextMessage and SendRcsMessage
 * (https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html and API_SendRcsMessage.html).
 * InternalServerException is left out: the message may have been sent.
 */
const ERRORS: AwsErrorTable = {
  errors: {
    ConflictException: 'unavailable',
    ResourceNotFoundException: 'unavailable',
    ServiceQuotaExceededException: 'unavailable',
    ValidationException: 'unavailable',
  },
  // `Reason` of an exception (enumerations of the same reference).
  reasons: {
    DESTINATION_PHONE_NUMBER_OPTED_OUT: 'blacklisted',
    DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE: 'blacklisted',
    MAXIMUM_SIZE_EXCEEDED: 'content',
    MEDIA_TYPE_NOT_SUPPORTED: 'content',
    MONTHLY_SPEND_LIMIT_REACHED_FOR_RCS: 'credit',
    MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT: 'credit',
    ACCOUNT_DISABLED: 'credit',
  },
  // Fields that a ValidationException names.
  fields: {
    destinationphonenumber: 'recipient',
    fallbackconfiguration: 'content',
    messagebody: 'content',
    rcsmessagecontent: 'content',
  },
};

type Sdk = typeof import('@aws-sdk/client-pinpoint-sms-voice-v2');
const clientOf = clientCache<PinpointSMSVoiceV2Client>();

/** Makes one send without retries. The SDK is loaded on first use, so that functions that never send start faster. */
export const sendOnce = async (
  settings: EndUserMessagingSettings,
  io: ProviderIo,
  call: (
    sdk: Sdk,
    client: PinpointSMSVoiceV2Client,
    options: { abortSignal: AbortSignal },
  ) => Promise<{ MessageId?: string | undefined }>,
): Promise<ProviderAnswer> => {
  try {
    const sdk = await import('@aws-sdk/client-pinpoint-sms-voice-v2');
    const client = clientOf(settings, (config) => new sdk.PinpointSMSVoiceV2Client(config));
    const answer = await call(sdk, client, { abortSignal: AbortSignal.timeout(settings.timeoutMs) });
    if (!answer.MessageId) return { kind: 'unknown', detail: 'aws: an answer without a message id' };
    return { kind: 'accepted', providerMessageId: answer.MessageId };
  } catch (fault) {
    return awsFailure(fault, io.now(), ERRORS);
  }
};

/** How an event changes a message. */
export type StatusUpdate = Pick<ReceiptEvent, 'status' | 'reason' | 'via'>;

/**
 * Event types of SMS (https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-types.html). TEXT_SUCCESSFUL means
 * accepted by the carrier, not delivered. TEXT_UNKNOWN (no report within 72 hours) changes nothing.
 */
export const TEXT_EVENTS: Readonly<Record<string, StatusUpdate>> = {
  TEXT_SENT: { status: 'sent' },
  TEXT_SUCCESSFUL: { status: 'sent' },
  TEXT_DELIVERED: { status: 'delivered' },
  TEXT_INVALID: { status: 'failed', reason: 'invalid_number' },
  TEXT_INVALID_MESSAGE: { status: 'failed' },
  TEXT_UNREACHABLE: { status: 'undelivered' },
  TEXT_CARRIER_UNREACHABLE: { status: 'undelivered' },
  TEXT_BLOCKED: { status: 'undelivered', reason: 'blacklisted' },
  TEXT_CARRIER_BLOCKED: { status: 'undelivered', reason: 'carrier_rejected' },
  TEXT_SPAM: { status: 'undelivered', reason: 'carrier_rejected' },
  TEXT_TTL_EXPIRED: { status: 'failed', reason: 'expired' },
  TEXT_PROTECT_BLOCKED: { status: 'failed', reason: 'blacklisted' },
};

/** An event of a configuration set (sms-voice/latest/userguide/configuration-sets-event-format.html). */
const event = z.object({
  eventType: z.string().regex(/^[A-Z_]{1,60}$/),
  eventTimestamp: z.number(),
  messageId: z.string().min(1),
  destinationPhoneNumber: z.string().default(''),
  messageStatus: z.string().optional(),
  messageStatusDescription: z.string().optional(),
  totalMessageParts: z.number().optional(),
  context: z.record(z.string(), z.string()).default({}),
});
export type EndUserMessagingEvent = z.infer<typeof event>;
/** A two-way message (sms-voice/latest/userguide/two-way-sms-payload.html). */
const inbound = z.object({
  originationNumber: z.string().min(1),
  destinationNumber: z.string().min(1),
  messageBody: z.string(),
  inboundMessageId: z.string().min(1),
  previousPublishedMessageId: z.string().min(1).nullish(),
});
export type TwoWayMessage = z.infer<typeof inbound>;

const receiptOf = (found: EndUserMessagingEvent, meaning: StatusUpdate): ReceiptEvent => {
  const carrier = meaning.via ?? (found.eventType.startsWith('RCS_') ? 'rcs' : 'sms');
  const reference = found.context.messageId;
  return {
    kind: 'receipt',
    ...(reference ? { messageId: reference } : {}),
    providerMessageId: found.messageId,
    ...meaning,
    at: found.eventTimestamp,
    receipt: {
      id: found.messageId,
      type: 'api_message',
      to: found.destinationPhoneNumber,
      ...(reference ? { reference } : {}),
      status: found.eventType,
      statusDescription: found.messageStatusDescription ?? found.eventType,
      received: new Date(found.eventTimestamp).toISOString(),
      ...(found.totalMessageParts === undefined ? {} : { bill_factor: found.totalMessageParts }),
      channel: carrier === 'rcs' ? 'RCS' : 'SMS',
    },
  };
};

/** Converts a two-way message into a reply to an SMS. `at` in ms. */
export const replyOf = (found: TwoWayMessage, at: number): ProviderEvent => ({
  kind: 'reply',
  providerReplyId: found.inboundMessageId,
  ...(found.previousPublishedMessageId ? { inReplyTo: { providerMessageId: found.previousPublishedMessageId } } : {}),
  from: found.originationNumber,
  to: found.destinationNumber,
  body: found.messageBody,
  at,
});

/** How a channel converts what AWS reports. */
export interface EventReader {
  /** Undefined if the event does not change the message. */
  readonly statusUpdateOf: (event: EndUserMessagingEvent) => StatusUpdate | undefined;
  /** `at` is when SNS published it, in ms. Undefined if there is nothing to store. */
  readonly inboundEventOf: (message: TwoWayMessage, at: number) => ProviderEvent | undefined;
}

/** Verifies an SNS notification and converts the event or two-way message in it. */
export const readEvent = async (
  { topicArns, snsBaseUrl: baseUrl, timeoutMs }: SnsReceiverSettings,
  io: ProviderIo,
  body: string,
  { statusUpdateOf, inboundEventOf }: EventReader,
): Promise<CallbackReading> => {
  const reading = await readSns(io, { topicArns, baseUrl, timeoutMs }, body);
  if (reading.kind === 'unsubscribed') return { kind: 'events', events: [] };
  if (reading.kind !== 'notification') return reading;
  const found = parseJson(z.union([event, inbound]), reading.message);
  if (!found) return { kind: 'malformed', detail: 'aws: neither an event nor an inbound message' };
  if ('eventType' in found) {
    const meaning = statusUpdateOf(found);
    return { kind: 'events', events: meaning ? [receiptOf(found, meaning)] : [] };
  }
  const inboundEvent = inboundEventOf(found, reading.at);
  return { kind: 'events', events: inboundEvent ? [inboundEvent] : [] };
};
