import type { RcsContent, RcsSuggestion } from '../../../shared/domain/channels/rcs/content.ts';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import type { SnsStandIn } from './aws-stand-in.ts';
import { eventOf, invalidField, startEndUserMessaging, twoWayOf } from './end-user-messaging.ts';
import type { RcsOutcome } from './rcs-kit.ts';
import type { AcceptedMessage, StandIn, UnderTest } from './stand-in.ts';

const EVENTS: Readonly<Record<RcsOutcome, readonly [eventType: string, messageStatus: string]>> = {
  sent: ['RCS_SENT', 'SENT'],
  delivered: ['RCS_DELIVERED', 'DELIVERED'],
  read: ['RCS_READ', 'READ'],
  no_rcs: ['RCS_FAILED', 'UNDELIVERABLE'],
  carrier_rejected: ['RCS_FAILED', 'REJECTED'],
  blacklisted: ['RCS_PROTECT_BLOCKED', 'PROTECT_BLOCKED'],
  expired: ['RCS_TTL_EXPIRED', 'TTL_EXPIRATION_REVOKED'],
  delivered_by_sms: ['TEXT_DELIVERED', 'DELIVERED'],
  failed_by_sms: ['TEXT_INVALID', 'INVALID'],
};

/** AWS End User Messaging RCS and the SNS behind it, as far as sending a message needs them. */
export interface AwsEndUserMessagingRcsStandIn extends StandIn<RcsOutcome>, SnsStandIn {
  /** A signed notification of an event of this type, with other fields over it. */
  event(message: AcceptedMessage, eventType: string, over?: object): CallbackRequest;
  /** A signed notification of a two-way message. */
  twoWay(message: AcceptedMessage, messageBody: string): CallbackRequest;
}

interface Labelled {
  readonly Text: string;
  readonly PostbackData: string;
}
interface SuggestedAction {
  readonly Reply?: Labelled;
  readonly OpenUrl?: Labelled & { readonly Url: string };
  readonly DialPhone?: Labelled & { readonly PhoneNumber: string };
}
interface SendBody {
  readonly DestinationPhoneNumber: string;
  readonly OriginationIdentity: string;
  readonly RcsMessageContent: {
    readonly Content: {
      readonly TextMessage?: { readonly Body: string };
      readonly RichCard?: {
        readonly CardOrientation: string;
        readonly CardContent: {
          readonly Title: string;
          readonly Description: string;
          readonly Media?: { readonly FileUrl: string; readonly Height: string };
          readonly Suggestions?: readonly SuggestedAction[];
        };
      };
    };
  };
  readonly FallbackConfiguration?: { readonly Channel: string; readonly MessageBody: string };
  readonly Context: { readonly messageId: string; readonly fallback?: string };
}

/** A button in our form; undefined for one that AWS would refuse (API reference, RcsSuggestedAction and its members). */
const suggestionOf = ({ Reply, OpenUrl, DialPhone }: SuggestedAction): RcsSuggestion | undefined => {
  const { Text: label = '', PostbackData: postback = '' } = Reply ?? OpenUrl ?? DialPhone ?? {};
  if (label.length < 1 || label.length > 25 || postback.length < 1 || postback.length > 2_048) return undefined;
  if (Reply) return { kind: 'reply', label, postback };
  if (OpenUrl) return /^https:\/\/\S+$/.test(OpenUrl.Url) ? { kind: 'openUrl', label, url: OpenUrl.Url } : undefined;
  const phone = DialPhone?.PhoneNumber ?? '';
  return /^\+?[1-9][0-9]{1,18}$/.test(phone) ? { kind: 'call', label, phone } : undefined;
};

/** The content in our form; undefined for one that AWS would refuse. */
const contentOf = ({ RcsMessageContent, FallbackConfiguration }: SendBody): RcsContent | undefined => {
  const { TextMessage, RichCard } = RcsMessageContent.Content;
  const fallback = FallbackConfiguration
    ? { fallback: { text: FallbackConfiguration.MessageBody, encoding: 'GSM-7' as const } }
    : {};
  if (TextMessage) return TextMessage.Body ? { text: TextMessage.Body, ...fallback } : undefined;
  if (!RichCard?.CardOrientation) return undefined;
  const { Title: title, Description: description, Media, Suggestions } = RichCard.CardContent;
  const suggestions = Suggestions?.map(suggestionOf).filter((found) => found !== undefined);
  if (suggestions?.length !== Suggestions?.length) return undefined;
  const image = Media ? { fileUrl: Media.FileUrl } : {};
  return { card: { title, description, ...image, ...(suggestions ? { suggestions } : {}) }, ...fallback };
};

/** Starts the stand-in (API reference, SendRcsMessage). */
export const startAwsEndUserMessagingRcsStandIn = async (
  now: () => number = Date.now,
): Promise<AwsEndUserMessagingRcsStandIn> => {
  const { server, sns, messages, settings } = await startEndUserMessaging<SendBody>({
    operation: 'SendRcsMessage',
    kind: 'rcs-receipts',
    now,
    check: (body) => (contentOf(body) ? undefined : invalidField('RcsMessageContent')),
    accept: (body) => {
      const content = contentOf(body);
      return {
        messageId: body.Context.messageId,
        to: body.DestinationPhoneNumber,
        from: body.OriginationIdentity,
        text: content?.text ?? content?.card?.title ?? '',
        content,
      };
    },
  });
  const event = (message: AcceptedMessage, eventType: string, over: object = {}) => {
    const { fallback } = message.content as RcsContent;
    const context = { messageId: message.messageId, ...(fallback ? { fallback: 'sms' } : {}) };
    return sns.notification(eventOf(message, eventType, { context, ...over }));
  };
  return Object.assign(sns, {
    provider: 'aws_end_user_messaging',
    ...server,
    settings: {
      ...settings,
      originationIdentity: 'pool-0123456789abcdef0123456789abcdef',
      configurationSetName: 'rcs',
    },
    messages,
    event,
    twoWay: (message: AcceptedMessage, body: string) => sns.notification(twoWayOf(message, body)),
    signed: (_message: AcceptedMessage, body: string) => sns.notification(body),
    receipt: (message: AcceptedMessage, outcome: RcsOutcome) => {
      const [eventType, messageStatus] = EVENTS[outcome];
      return event(message, eventType, { messageStatus });
    },
  });
};

export const awsEndUserMessagingRcsUnderTest: UnderTest = {
  channel: 'rcs',
  name: 'aws_end_user_messaging',
  start: startAwsEndUserMessagingRcsStandIn,
  refusals: {
    recipient: ['ValidationException:FIELD_VALIDATION_FAILED:destinationPhoneNumber'],
    content: [
      'ValidationException:FIELD_VALIDATION_FAILED:rcsMessageContent.content.richCard.cardContent.title',
      'ValidationException:FIELD_VALIDATION_FAILED:FallbackConfiguration',
      'ValidationException:MEDIA_TYPE_NOT_SUPPORTED',
    ],
    blacklisted: ['ConflictException:DESTINATION_PHONE_NUMBER_OPTED_OUT'],
    throttled: ['ThrottlingException'],
    credit: ['ServiceQuotaExceededException:MONTHLY_SPEND_LIMIT_REACHED_FOR_RCS'],
    credentials: ['AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException'],
    unavailable: ['ConflictException:RESOURCE_NOT_ACTIVE', 'ResourceNotFoundException'],
  },
  wrongCredentials: { accessKeyId: 'AKIDANOTHER' },
  replies: false,
};
