import type { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as z from 'zod';
import type {
  CallbackReading,
  ProviderIo,
  SmsAnswer,
  SmsCallbackEvent,
  SmsDispatch,
  SmsProvider,
  SmsProviderDeclaration,
} from '../../domain/sms/provider.ts';
import { AWS_ERRORS, AWS_FIELDS, AWS_REASONS, AWS_RECEIPTS } from './aws-codes.ts';
import { faultBeforeSending, parseJson, refusal, retryAfterSeconds } from './http.ts';
import { readSns } from './sns.ts';

const MESSAGE_TYPES = ['TRANSACTIONAL', 'PROMOTIONAL'] as const;

/** What an operator sets for AWS End User Messaging SMS. */
export const awsEndUserMessagingSettings = z
  .strictObject({
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/)
      .describe('The AWS region that holds the origination identities, for example sa-east-1.'),
    originationIdentity: z
      .string()
      .min(1)
      .describe('The phone number, sender id or pool that sends messages that name no sender; its id or ARN.'),
    configurationSetName: z
      .string()
      .min(1)
      .describe('The configuration set whose event destination publishes receipts to an SNS topic.'),
    topicArns: z
      .array(z.string().regex(/^arn:aws[a-z-]*:sns:[^:]+:\d{12}:.+$/))
      .min(1)
      .describe('The SNS topics of receipts and of two-way messages. No other topic is listened to.'),
    messageTypes: z
      .strictObject({
        premium: z.enum(MESSAGE_TYPES).default('PROMOTIONAL'),
        otp: z.enum(MESSAGE_TYPES).default('TRANSACTIONAL'),
      })
      .prefault({})
      .describe('The message type of each route: premium respects opt-outs, otp does not.'),
    accessKeyId: z
      .string()
      .min(1)
      .optional()
      .describe('An access key to send with; without it, the role of the function or the environment.'),
    secretAccessKey: z.string().min(1).optional().describe("The access key's secret."),
    baseUrl: z
      .url()
      .optional()
      .describe(
        "Another address than the region's own (https://sms-voice.<region>.amazonaws.com): a VPC endpoint or a stand-in.",
      ),
    snsBaseUrl: z
      .url()
      .optional()
      .describe(
        'Another address than that of SNS to fetch signing certificates and confirm subscriptions at; the documented address is checked all the same.',
      ),
    timeoutMs: z.int().min(100).max(11_000).default(10_000).describe('How long AWS may take to answer, in ms.'),
  })
  .refine(
    ({ accessKeyId, secretAccessKey }) => (accessKeyId === undefined) === (secretAccessKey === undefined),
    'accessKeyId and secretAccessKey go together',
  );
export type AwsEndUserMessagingSettings = z.infer<typeof awsEndUserMessagingSettings>;

/** Clients hold connections and credentials, and adapters are opened again every few seconds: one client per way of reaching AWS. */
const clients = new Map<string, PinpointSMSVoiceV2Client>();
const MOST_CLIENTS = 8;

/** Loads the SDK at the first send, so that a function that never sends does not pay for it at its start. */
const load = async ({ region, baseUrl, accessKeyId, secretAccessKey, timeoutMs }: AwsEndUserMessagingSettings) => {
  const sdk = await import('@aws-sdk/client-pinpoint-sms-voice-v2');
  const key = JSON.stringify([region, baseUrl, accessKeyId, secretAccessKey, timeoutMs]);
  let client = clients.get(key);
  if (!client) {
    client = new sdk.PinpointSMSVoiceV2Client({
      region,
      ...(baseUrl ? { endpoint: baseUrl } : {}),
      ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
      // SendTextMessage takes no idempotency token: a second attempt of the SDK could be a second text.
      maxAttempts: 1,
      requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    });
    if (clients.size >= MOST_CLIENTS) clients.clear();
    clients.set(key, client);
  }
  return { sdk, client };
};

const constant = z.string().regex(/^[A-Za-z0-9_]{1,80}$/);
/** The parts of an SDK error that are read. Its message may repeat the request and is never passed on. */
const awsError = z.object({
  name: constant,
  Reason: constant.optional().catch(undefined),
  Fields: z
    .array(z.object({ Name: z.string() }))
    .optional()
    .catch(undefined),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
  $response: z
    .object({ headers: z.record(z.string(), z.string()) })
    .optional()
    .catch(undefined),
});

const failureOf = (fault: unknown, now: number): SmsAnswer => {
  const code = faultBeforeSending(fault);
  if (code) return refusal('unavailable', `aws cannot be reached: ${code}`);
  const error = awsError.safeParse(fault).data;
  if (!error) return { kind: 'unknown', detail: 'aws: unknown fault' };
  const { name, Reason: reason, Fields: fields = [], $metadata: metadata, $response: response } = error;
  const words = `aws ${name}${reason ? `: ${reason}` : ''}`;
  const byName = AWS_ERRORS[name];
  if (!byName || (metadata?.httpStatusCode ?? 0) >= 500) return { kind: 'unknown', detail: words };
  const byField = fields.map(({ Name }) => AWS_FIELDS[Name.toLowerCase()]).find((cause) => cause !== undefined);
  return refusal(
    AWS_REASONS[reason ?? ''] ?? byField ?? byName,
    words,
    retryAfterSeconds(response?.headers['retry-after'], now),
  );
};

const send = async (
  settings: AwsEndUserMessagingSettings,
  io: ProviderIo,
  dispatch: SmsDispatch,
): Promise<SmsAnswer> => {
  const { messageId, to, text, senderId, route } = dispatch;
  try {
    const { sdk, client } = await load(settings);
    const answer = await client.send(
      new sdk.SendTextMessageCommand({
        DestinationPhoneNumber: to,
        OriginationIdentity: senderId ?? settings.originationIdentity,
        MessageBody: text,
        MessageType: settings.messageTypes[route],
        ConfigurationSetName: settings.configurationSetName,
        Context: { messageId },
      }),
      { abortSignal: AbortSignal.timeout(settings.timeoutMs) },
    );
    if (!answer.MessageId) return { kind: 'unknown', detail: 'aws: an answer without a message id' };
    return { kind: 'accepted', providerMessageId: answer.MessageId };
  } catch (fault) {
    return failureOf(fault, io.now());
  }
};

/** An event of a configuration set (sms-voice/latest/userguide/configuration-sets-event-format.html). */
const event = z.object({
  eventType: z.string().regex(/^[A-Z_]{1,60}$/),
  eventTimestamp: z.number(),
  messageId: z.string().min(1),
  destinationPhoneNumber: z.string().default(''),
  messageStatusDescription: z.string().optional(),
  totalMessageParts: z.number().optional(),
  context: z.record(z.string(), z.string()).default({}),
});
/** A two-way message (sms-voice/latest/userguide/two-way-sms-payload.html). */
const inbound = z.object({
  originationNumber: z.string().min(1),
  destinationNumber: z.string().min(1),
  messageBody: z.string(),
  inboundMessageId: z.string().min(1),
  previousPublishedMessageId: z.string().min(1).nullish(),
});

const receiptOf = (found: z.infer<typeof event>): SmsCallbackEvent[] => {
  const meaning = AWS_RECEIPTS[found.eventType];
  if (!meaning) return [];
  const reference = found.context['messageId'];
  return [
    {
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
        channel: 'SMS',
      },
    },
  ];
};

const replyOf = (found: z.infer<typeof inbound>, at: number): SmsCallbackEvent => ({
  kind: 'reply',
  providerReplyId: found.inboundMessageId,
  ...(found.previousPublishedMessageId ? { inReplyTo: { providerMessageId: found.previousPublishedMessageId } } : {}),
  from: found.originationNumber,
  to: found.destinationNumber,
  body: found.messageBody,
  at,
});

const readCallback = async (
  settings: AwsEndUserMessagingSettings,
  io: ProviderIo,
  body: string,
): Promise<CallbackReading> => {
  const { topicArns, snsBaseUrl: baseUrl, timeoutMs } = settings;
  const reading = await readSns(io, { topicArns, baseUrl, timeoutMs }, body);
  if (reading.kind === 'ended') return { kind: 'events', events: [] };
  if (reading.kind !== 'notification') return reading;
  const found = parseJson(z.union([event, inbound]), reading.message);
  if (!found) return { kind: 'malformed', detail: 'aws: neither an event nor an inbound message' };
  return { kind: 'events', events: 'eventType' in found ? receiptOf(found) : [replyOf(found, reading.at)] };
};

/**
 * AWS End User Messaging SMS (the API is named PinpointSMSVoiceV2). Our reference travels in the message's context and comes back in its
 * events. AWS keeps nothing that could be asked by it, so there is no inquiry: an event decides what an answer left open.
 */
export const awsEndUserMessaging: SmsProviderDeclaration<AwsEndUserMessagingSettings> = {
  name: 'aws_end_user_messaging',
  settings: awsEndUserMessagingSettings,
  create: (settings, io): SmsProvider => ({
    name: 'aws_end_user_messaging',
    send: (dispatch) => send(settings, io, dispatch),
    readCallback: ({ body }) => readCallback(settings, io, body),
  }),
};
