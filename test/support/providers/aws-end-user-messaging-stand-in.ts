import { createSign, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CallbackRequest } from '../../../shared/domain/messages/provider.ts';
import { snsSignedText } from '../../../shared/providers/sns.ts';
import {
  type AcceptedMessage,
  type ReceiptOutcome,
  type SmsStandIn,
  type StandInAnswer,
  startServer,
  THROTTLED_SECONDS,
  type UnderTest,
} from './stand-in.ts';

/** Test material: see sns-test-only.md beside it. */
const material = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const KEY = material('sns-test-only.key.pem');
const CERTIFICATE = material('sns-test-only.cert.pem');

const TOPIC = 'arn:aws:sns:sa-east-1:123456789012:sms-events';
const SIGNING_PATH = '/SimpleNotificationService-00000000000000000000000000000000.pem';
const SIGNING_URL = `https://sns.sa-east-1.amazonaws.com${SIGNING_PATH}`;
const ACCESS_KEY = 'AKIDTESTMATERIAL';

const EVENTS: Readonly<Record<ReceiptOutcome, string>> = {
  sent: 'TEXT_SUCCESSFUL',
  delivered: 'TEXT_DELIVERED',
  invalid_number: 'TEXT_INVALID',
  carrier_rejected: 'TEXT_CARRIER_BLOCKED',
  blacklisted: 'TEXT_BLOCKED',
  expired: 'TEXT_TTL_EXPIRED',
};

/** AWS JSON 1.0. */
const aws = (status: number, body: unknown, headers = {}): StandInAnswer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': randomUUID(), ...headers },
  body: JSON.stringify(body),
});
const STATUSES: Readonly<Record<string, number>> = {
  ThrottlingException: 429,
  ServiceQuotaExceededException: 402,
  AccessDeniedException: 403,
  ResourceNotFoundException: 404,
  ConflictException: 409,
};
const problem = (type: string, more: object = {}, headers = {}): StandInAnswer =>
  aws(
    STATUSES[type] ?? 400,
    { __type: `com.amazonaws.pinpointsmsvoicev2#${type}`, Message: 'refused: +5511900000000 segredo', ...more },
    headers,
  );

/** The fields of an SNS delivery that a test may set otherwise. */
export interface SnsFields {
  readonly SignatureVersion?: '1' | '2';
  readonly SigningCertURL?: string;
  readonly TopicArn?: string;
  readonly Subject?: string;
}

/** AWS End User Messaging SMS and the SNS behind it, as far as sending a text needs them. */
export interface AwsEndUserMessagingStandIn extends SmsStandIn {
  /** Where SNS delivers: the endpoint of the topic's subscription. A flow test sets it before it asks for callbacks. */
  endpoint: string;
  /** The paths under which subscriptions were confirmed. */
  readonly confirmed: readonly string[];
  /** A signed notification of an event of this type. */
  event(message: AcceptedMessage, eventType: string): CallbackRequest;
  /** A signed notification with this message. */
  notification(message: string, fields?: SnsFields): CallbackRequest;
  /** A signed handshake of a new subscription. */
  handshake(subscribeUrl?: string): CallbackRequest;
  /** Answers the next requests for the certificate with this HTTP status. */
  failCertificate(status: number): void;
}

/** Signs fields as SNS does. */
const envelope = (
  endpoint: string,
  fields: Readonly<Record<string, string>> & { readonly Type: 'Notification' | 'SubscriptionConfirmation' },
): CallbackRequest => {
  const algorithm = fields['SignatureVersion'] === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  const Signature = createSign(algorithm).update(snsSignedText(fields)).sign(KEY, 'base64');
  return {
    url: endpoint,
    headers: {
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': fields.Type,
      'x-amz-sns-topic-arn': fields['TopicArn'] ?? '',
    },
    body: JSON.stringify({
      ...fields,
      Signature,
      UnsubscribeURL: 'https://sns.sa-east-1.amazonaws.com/?Action=Unsubscribe',
    }),
  };
};

interface SendBody {
  readonly DestinationPhoneNumber: string;
  readonly OriginationIdentity: string;
  readonly MessageBody: string;
  readonly Context: { readonly messageId: string };
}

/** Starts the stand-in. The SDK and the check of SNS signatures are pointed at it by its settings. */
export const startAwsEndUserMessagingStandIn = async (): Promise<AwsEndUserMessagingStandIn> => {
  const messages: AcceptedMessage[] = [];
  const confirmed: string[] = [];
  const failures: number[] = [];
  const server = await startServer({
    isSend: ({ method, headers }) =>
      method === 'POST' && headers['x-amz-target'] === 'PinpointSMSVoiceV2.SendTextMessage',
    check: ({ headers, body }) => {
      const scope = new RegExp(`^AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/\\d{8}/sa-east-1/sms-voice/aws4_request, `);
      if (!scope.test(headers['authorization'] ?? '')) return problem('UnrecognizedClientException');
      const { DestinationPhoneNumber: to, MessageBody: text } = JSON.parse(body) as SendBody;
      if (!/^\+\d+$/.test(to))
        return problem('ValidationException', {
          Reason: 'FIELD_VALIDATION_FAILED',
          Fields: [{ Name: 'DestinationPhoneNumber', Message: 'invalid' }],
        });
      return text
        ? undefined
        : problem('ValidationException', {
            Reason: 'MISSING_PARAMETER',
            Fields: [{ Name: 'MessageBody', Message: 'missing' }],
          });
    },
    accept: ({ body }) => {
      const {
        DestinationPhoneNumber: to,
        OriginationIdentity: from,
        MessageBody: text,
        Context,
      } = JSON.parse(body) as SendBody;
      const accepted = {
        messageId: Context.messageId,
        providerMessageId: randomUUID(),
        to,
        from,
        text,
        callbackUrl: standIn.endpoint,
      };
      messages.push(accepted);
      return aws(200, { MessageId: accepted.providerMessageId });
    },
    refuse: (name) => {
      const [type = '', Reason, Name] = name.split(':');
      return problem(type, {
        ...(Reason ? { Reason } : {}),
        ...(Name ? { Fields: [{ Name, Message: '+5511900000000' }] } : {}),
      });
    },
    throttle: () => problem('ThrottlingException', {}, { 'retry-after': String(THROTTLED_SECONDS) }),
    serverError: () => aws(500, { __type: 'InternalServerException', Message: 'try again', RequestId: randomUUID() }),
    other: ({ path }) => {
      const failure = failures.shift();
      if (failure) return { status: failure, headers: {}, body: '' };
      if (path === SIGNING_PATH)
        return { status: 200, headers: { 'content-type': 'application/x-pem-file' }, body: CERTIFICATE };
      if (!path.startsWith('/?Action=ConfirmSubscription')) return { status: 404, headers: {}, body: '' };
      confirmed.push(path);
      return { status: 200, headers: { 'content-type': 'text/xml' }, body: '<ConfirmSubscriptionResponse/>' };
    },
  });

  const fieldsOf = () => ({
    MessageId: randomUUID(),
    TopicArn: TOPIC,
    Timestamp: '2026-01-02T03:04:05.678Z',
    SignatureVersion: '2',
    SigningCertURL: SIGNING_URL,
  });
  const standIn: AwsEndUserMessagingStandIn = {
    provider: 'aws_end_user_messaging',
    ...server,
    endpoint: 'https://callbacks.test/callbacks/aws_end_user_messaging',
    settings: {
      region: 'sa-east-1',
      originationIdentity: '+5511400001234',
      configurationSetName: 'sms',
      topicArns: [TOPIC],
      accessKeyId: ACCESS_KEY,
      secretAccessKey: 'a-test-secret',
      baseUrl: server.baseUrl,
      snsBaseUrl: server.baseUrl,
    },
    messages,
    confirmed,
    signed: (_message, body) => standIn.notification(body),
    notification: (Message, fields = {}) =>
      envelope(standIn.endpoint, { Type: 'Notification', ...fieldsOf(), ...fields, Message }),
    handshake: (
      SubscribeURL = `https://sns.sa-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37`,
    ) =>
      envelope(standIn.endpoint, {
        Type: 'SubscriptionConfirmation',
        ...fieldsOf(),
        Token: '2336412f37',
        Message: `You have chosen to subscribe to the topic ${TOPIC}.`,
        SubscribeURL,
      }),
    event: ({ messageId, providerMessageId, from, to }, eventType) =>
      standIn.notification(
        JSON.stringify({
          eventType,
          eventVersion: '1.0',
          eventTimestamp: 1686975103470,
          isFinal: true,
          originationPhoneNumber: from,
          destinationPhoneNumber: to,
          isoCountryCode: 'BR',
          messageId: providerMessageId,
          messageRequestTimestamp: 1686975103170,
          messageEncoding: 'GSM',
          messageType: 'TRANSACTIONAL',
          messageStatus: eventType.replace('TEXT_', ''),
          messageStatusDescription: 'As documented',
          context: { messageId },
          totalMessageParts: 1,
          totalMessagePrice: 0.09582,
          totalCarrierFee: 0,
        }),
      ),
    receipt: (message, outcome) => standIn.event(message, EVENTS[outcome]),
    reply: (message, body) =>
      standIn.notification(
        JSON.stringify({
          originationNumber: message.to,
          destinationNumber: '+5511400001234',
          messageKeyword: 'KEYWORD_5511400001234',
          messageBody: body,
          inboundMessageId: randomUUID(),
          previousPublishedMessageId: message.providerMessageId,
        }),
      ),
    failCertificate: (status) => {
      failures.push(status);
    },
  };
  return standIn;
};

export const awsEndUserMessagingUnderTest: UnderTest = {
  channel: 'sms',
  name: 'aws_end_user_messaging',
  start: startAwsEndUserMessagingStandIn,
  refusals: {
    recipient: ['ValidationException:FIELD_VALIDATION_FAILED:destinationPhoneNumber'],
    content: ['ValidationException:FIELD_VALIDATION_FAILED:messageBody', 'ValidationException:MAXIMUM_SIZE_EXCEEDED'],
    blacklisted: ['ConflictException:DESTINATION_PHONE_NUMBER_OPTED_OUT'],
    throttled: ['ThrottlingException'],
    credit: ['ServiceQuotaExceededException:MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT'],
    credentials: ['AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException'],
    unavailable: [
      'ConflictException:RESOURCE_NOT_ACTIVE',
      'ResourceNotFoundException',
      'ServiceQuotaExceededException:DAILY_DESTINATION_CALL_LIMIT',
    ],
  },
  wrongCredentials: { accessKeyId: 'AKIDANOTHER' },
  replies: true,
};
