import { randomUUID } from 'node:crypto';
import { AWS_ACCESS, awsAnswer, isSignedFor, type SnsStandIn, snsStandIn } from './aws-stand-in.ts';
import { type AcceptedMessage, type StandInAnswer, startServer, THROTTLED_SECONDS } from './stand-in.ts';

const TOPIC = 'arn:aws:sns:sa-east-1:123456789012:sms-events';

/** AWS JSON 1.0. */
const aws = awsAnswer('application/x-amz-json-1.0');
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
/** A ValidationException that names a field. */
export const invalidField = (Name: string, Reason = 'FIELD_VALIDATION_FAILED'): StandInAnswer =>
  problem('ValidationException', { Reason, Fields: [{ Name, Message: 'invalid' }] });

/** The differences between the sends of the service. */
interface EndUserMessagingSend<Body> {
  readonly operation: 'SendTextMessage' | 'SendRcsMessage';
  /** The last part of the address that receives its events. */
  readonly kind: string;
  readonly now: () => number;
  check(body: Body): StandInAnswer | undefined;
  /** The message, without its id and its address. */
  accept(body: Body): Omit<AcceptedMessage, 'providerMessageId' | 'callbackUrl'>;
}

/** An event of a configuration set, before its envelope. */
export const eventOf = (
  { messageId, providerMessageId, from, to }: AcceptedMessage,
  eventType: string,
  over: object = {},
): string =>
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
    messageStatus: eventType.replace(/^[A-Z]+_/, ''),
    messageStatusDescription: 'As documented',
    context: { messageId },
    totalMessageParts: 1,
    totalMessagePrice: 0.09582,
    totalCarrierFee: 0,
    ...over,
  });

/** A two-way message, before its envelope. */
export const twoWayOf = ({ to, providerMessageId }: AcceptedMessage, messageBody: string): string =>
  JSON.stringify({
    originationNumber: to,
    destinationNumber: '+5511400001234',
    messageKeyword: 'KEYWORD_5511400001234',
    messageBody,
    inboundMessageId: randomUUID(),
    previousPublishedMessageId: providerMessageId,
  });

/** Starts the part of AWS End User Messaging that one of its sends needs, with the SNS behind it. */
export const startEndUserMessaging = async <Body>(send: EndUserMessagingSend<Body>) => {
  const messages: AcceptedMessage[] = [];
  const sns: SnsStandIn = snsStandIn(
    TOPIC,
    `https://callbacks.test/callbacks/aws_end_user_messaging/${send.kind}`,
    send.now,
  );
  const server = await startServer({
    isSend: ({ method, headers }) =>
      method === 'POST' && headers['x-amz-target'] === `PinpointSMSVoiceV2.${send.operation}`,
    check: (request) => {
      if (!isSignedFor('sms-voice', request)) return problem('UnrecognizedClientException');
      const body = JSON.parse(request.body) as Body & { DestinationPhoneNumber: string };
      if (!/^\+\d+$/.test(body.DestinationPhoneNumber)) return invalidField('DestinationPhoneNumber');
      return send.check(body);
    },
    accept: ({ body }) => {
      const accepted = {
        ...send.accept(JSON.parse(body) as Body),
        providerMessageId: randomUUID(),
        callbackUrl: sns.endpoint,
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
    other: sns.answer,
  });
  const settings = { ...AWS_ACCESS, topicArns: [TOPIC], baseUrl: server.baseUrl, snsBaseUrl: server.baseUrl };
  return { server, sns, messages, settings };
};
