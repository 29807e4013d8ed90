import { createSign, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { snsSignedText } from '../../../shared/providers/sns.ts';
import type { RecordedRequest, StandInAnswer } from './stand-in.ts';

/** Test material: see sns-test-only.md beside it. */
const material = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const KEY = material('sns-test-only.key.pem');
const CERTIFICATE = material('sns-test-only.cert.pem');
const SIGNING_PATH = '/SimpleNotificationService-00000000000000000000000000000000.pem';
const SIGNING_URL = `https://sns.sa-east-1.amazonaws.com${SIGNING_PATH}`;

/** The credentials that the stand-ins of AWS accept. */
export const AWS_ACCESS = {
  region: 'sa-east-1',
  accessKeyId: 'AKIDTESTMATERIAL',
  secretAccessKey: 'a-test-secret',
} as const;

/** An answer of an AWS API with its request id. */
export const awsAnswer =
  (contentType: string) =>
  (status: number, body: unknown, headers = {}): StandInAnswer => ({
    status,
    headers: { 'content-type': contentType, 'x-amzn-requestid': randomUUID(), ...headers },
    body: JSON.stringify(body),
  });

/** Whether a request is signed (Signature Version 4) with that access key, for this service. */
export const isSignedFor = (service: string, { headers }: RecordedRequest): boolean =>
  new RegExp(
    `^AWS4-HMAC-SHA256 Credential=${AWS_ACCESS.accessKeyId}/\\d{8}/${AWS_ACCESS.region}/${service}/aws4_request, `,
  ).test(headers.authorization ?? '');

/** The fields of an SNS delivery that a test may override. */
interface SnsFields {
  readonly SignatureVersion?: '1' | '2';
  readonly SigningCertURL?: string;
  readonly TopicArn?: string;
  readonly Subject?: string;
  readonly Timestamp?: string;
}

/** The SNS behind a service's events: signs its deliveries, and serves its certificate and confirmations. */
export interface SnsStandIn {
  /** The endpoint of the topic's subscription. A flow test sets it before it posts callbacks. */
  endpoint: string;
  /** The paths under which subscriptions were confirmed. */
  readonly confirmed: readonly string[];
  /** A signed notification with this message. */
  notification(message: string, fields?: SnsFields): CallbackRequest;
  /** A signed handshake of a new subscription. */
  handshake(subscribeUrl?: string): CallbackRequest;
  /** Answers the next requests for the certificate with this HTTP status. */
  failCertificate(status: number): void;
  /** The answer to a request to SNS itself. */
  answer(request: RecordedRequest): StandInAnswer;
}

/** Signs fields as SNS does. */
const envelope = (
  endpoint: string,
  fields: Readonly<Record<string, string>> & { readonly Type: 'Notification' | 'SubscriptionConfirmation' },
): CallbackRequest => {
  const algorithm = fields.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  const Signature = createSign(algorithm).update(snsSignedText(fields)).sign(KEY, 'base64');
  return {
    url: endpoint,
    headers: {
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': fields.Type,
      'x-amz-sns-topic-arn': fields.TopicArn ?? '',
    },
    body: JSON.stringify({
      ...fields,
      Signature,
      UnsubscribeURL: 'https://sns.sa-east-1.amazonaws.com/?Action=Unsubscribe',
    }),
  };
};

/** An SNS with one topic that delivers to one address. */
export const snsStandIn = (topic: string, endpoint: string, now: () => number): SnsStandIn => {
  const confirmed: string[] = [];
  const failures: number[] = [];
  const fieldsOf = () => ({
    MessageId: randomUUID(),
    TopicArn: topic,
    Timestamp: new Date(now()).toISOString(),
    SignatureVersion: '2',
    SigningCertURL: SIGNING_URL,
  });
  const sns: SnsStandIn = {
    endpoint,
    confirmed,
    notification: (Message, fields = {}) =>
      envelope(sns.endpoint, { Type: 'Notification', ...fieldsOf(), ...fields, Message }),
    handshake: (
      SubscribeURL = `https://sns.sa-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37`,
    ) =>
      envelope(sns.endpoint, {
        Type: 'SubscriptionConfirmation',
        ...fieldsOf(),
        Token: '2336412f37',
        Message: `You have chosen to subscribe to the topic ${topic}.`,
        SubscribeURL,
      }),
    failCertificate: (status) => {
      failures.push(status);
    },
    answer: ({ path }) => {
      const failure = failures.shift();
      if (failure) return { status: failure, headers: {}, body: '' };
      if (path === SIGNING_PATH)
        return { status: 200, headers: { 'content-type': 'application/x-pem-file' }, body: CERTIFICATE };
      if (!path.startsWith('/?Action=ConfirmSubscription')) return { status: 404, headers: {}, body: '' };
      confirmed.push(path);
      return { status: 200, headers: { 'content-type': 'text/xml' }, body: '<ConfirmSubscriptionResponse/>' };
    },
  };
  return sns;
};
