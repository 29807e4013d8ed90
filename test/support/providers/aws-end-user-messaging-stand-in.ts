import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import type { SnsStandIn } from './aws-stand-in.ts';
import { eventOf, invalidField, startEndUserMessaging, twoWayOf } from './end-user-messaging.ts';
import type { AcceptedMessage, ReceiptOutcome, SmsStandIn, UnderTest } from './stand-in.ts';

const EVENTS: Readonly<Record<ReceiptOutcome, string>> = {
  sent: 'TEXT_SUCCESSFUL',
  delivered: 'TEXT_DELIVERED',
  invalid_number: 'TEXT_INVALID',
  carrier_rejected: 'TEXT_CARRIER_BLOCKED',
  blacklisted: 'TEXT_BLOCKED',
  expired: 'TEXT_TTL_EXPIRED',
};

/** AWS End User Messaging SMS and the SNS behind it, as far as sending a text needs them. */
export interface AwsEndUserMessagingStandIn extends SmsStandIn, SnsStandIn {
  /** A signed notification of an event of this type. */
  event(message: AcceptedMessage, eventType: string): CallbackRequest;
}

interface SendBody {
  readonly DestinationPhoneNumber: string;
  readonly OriginationIdentity: string;
  readonly MessageBody: string;
  readonly Context: { readonly messageId: string };
}

/** Starts the stand-in; its settings lead the SDK and the check of SNS signatures to it. */
export const startAwsEndUserMessagingStandIn = async (
  now: () => number = Date.now,
): Promise<AwsEndUserMessagingStandIn> => {
  const { server, sns, messages, settings } = await startEndUserMessaging<SendBody>({
    operation: 'SendTextMessage',
    kind: 'receipts',
    now,
    check: ({ MessageBody }) => (MessageBody ? undefined : invalidField('MessageBody', 'MISSING_PARAMETER')),
    accept: ({ DestinationPhoneNumber: to, OriginationIdentity: from, MessageBody: text, Context }) => ({
      messageId: Context.messageId,
      to,
      from,
      text,
    }),
  });
  const event = (message: AcceptedMessage, eventType: string) => sns.notification(eventOf(message, eventType));
  return Object.assign(sns, {
    provider: 'aws_end_user_messaging' as const,
    ...server,
    settings: { ...settings, originationIdentity: '+5511400001234', configurationSetName: 'sms' },
    messages,
    event,
    signed: (_message: AcceptedMessage, body: string) => sns.notification(body),
    receipt: (message: AcceptedMessage, outcome: ReceiptOutcome) => event(message, EVENTS[outcome]),
    reply: (message: AcceptedMessage, body: string) => sns.notification(twoWayOf(message, body)),
  });
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
