import type { RcsMessageContent, RcsSuggestedAction } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as z from 'zod';
import type { RcsContent, RcsSuggestion } from '../../domain/channels/rcs/content.ts';
import type {
  Dispatch,
  InboundEvent,
  ProviderAnswer,
  ProviderDeclaration,
  ProviderIo,
} from '../../domain/message/provider-port.ts';
import { hasCompleteAccessKey, INCOMPLETE_ACCESS_KEY, snsReceiverSettings } from '../aws.ts';
import {
  type EndUserMessagingEvent,
  endUserMessagingSettings,
  readEvent,
  type StatusUpdate,
  sendOnce,
  TEXT_EVENTS,
  type TwoWayMessage,
} from '../aws-end-user-messaging.ts';
import { e164Of } from '../e164.ts';
import { parseJson, refusal } from '../http.ts';
import { callbacksWith } from '../registry.ts';
import { optionalTextSetting, textSetting } from '../settings.ts';
import { tappedButton, typedText } from './inbound.ts';

/** Operator settings of RCS through AWS End User Messaging. */
export const awsEndUserMessagingRcsSettings = z
  .strictObject({
    ...endUserMessagingSettings,
    originationIdentity: textSetting('The RCS agent, or the pool that holds it, that sends; its id or ARN.'),
    fallbackIdentity: optionalTextSetting(
      'The number or sender id of the SMS that is sent instead; its id or ARN, not a pool. Without it, the pool chooses; an agent alone cannot.',
    ),
    timeToLiveSeconds: z
      .int()
      .min(1)
      .max(172_800)
      .optional()
      .describe(
        'How long RCS is tried, in s; a message that is not delivered by then is sent by SMS. Without it only a failed one is.',
      ),
  })
  .refine(hasCompleteAccessKey, INCOMPLETE_ACCESS_KEY);
type RcsSettings = z.infer<typeof awsEndUserMessagingRcsSettings>;

/** Context entry of a message with an SMS fallback: an RCS failure is not final for it. */
const FALLBACK = { fallback: 'sms' };

/** AWS requires PostbackData for every action; it has a meaning for replies only. */
const suggestionOf = (suggestion: RcsSuggestion): RcsSuggestedAction => {
  const { label } = suggestion;
  if (suggestion.kind === 'openUrl') return { OpenUrl: { Text: label, PostbackData: label, Url: suggestion.url } };
  if (suggestion.kind === 'call')
    return { DialPhone: { Text: label, PostbackData: label, PhoneNumber: suggestion.phone } };
  return { Reply: { Text: label, PostbackData: suggestion.postback ?? label } };
};

const contentOf = ({ text, card }: RcsContent): RcsMessageContent => {
  if (!card) return { Content: { TextMessage: { Body: text ?? '' } } };
  const { title, description, fileUrl, suggestions = [] } = card;
  return {
    Content: {
      RichCard: {
        CardOrientation: 'VERTICAL',
        CardContent: {
          Title: title,
          Description: description,
          ...(fileUrl ? { Media: { FileUrl: fileUrl, Height: 'MEDIUM' } } : {}),
          ...(suggestions.length > 0 ? { Suggestions: suggestions.map(suggestionOf) } : {}),
        },
      },
    },
  };
};

const isPool = (identity: string): boolean => /(^|:)pool[-/]/.test(identity);

/** Refusals that AWS's documented limits make certain, found before calling AWS. */
const preflightRefusal = (
  settings: RcsSettings,
  { card, fallback, senderId }: RcsContent,
): ProviderAnswer | undefined => {
  const plain = card?.suggestions?.some((each) => each.kind === 'openUrl' && !each.url.startsWith('https://'));
  // RcsOpenUrlAction, Url: https://\S+
  if (plain) return refusal('content', 'aws: a button opens https addresses only');
  if (fallback && !settings.fallbackIdentity && !isPool(senderId ?? settings.originationIdentity))
    return refusal('sender', 'aws: an agent needs a fallbackIdentity to fall back to SMS');
  return undefined;
};

const send = async (
  settings: RcsSettings,
  io: ProviderIo,
  { messageId, to, content }: Dispatch<RcsContent>,
): Promise<ProviderAnswer> => {
  const { originationIdentity, fallbackIdentity, timeToLiveSeconds, configurationSetName } = settings;
  const { fallback } = content;
  return (
    preflightRefusal(settings, content) ??
    sendOnce(settings, io, (sdk, client, options) =>
      client.send(
        new sdk.SendRcsMessageCommand({
          DestinationPhoneNumber: to,
          OriginationIdentity: content.senderId ?? originationIdentity,
          RcsMessageContent: contentOf(content),
          ...(timeToLiveSeconds ? { TimeToLive: timeToLiveSeconds } : {}),
          ...(fallback
            ? {
                FallbackConfiguration: {
                  Channel: 'SMS',
                  MessageBody: fallback.text,
                  ...(fallbackIdentity ? { OriginationIdentity: fallbackIdentity } : {}),
                },
              }
            : {}),
          ConfigurationSetName: configurationSetName,
          Context: { messageId, ...(fallback ? FALLBACK : {}) },
        }),
        options,
      ),
    )
  );
};

/**
 * Event types of RCS (EventDestination, MatchingEventTypes). RCS_QUEUED changes nothing. RCS_SENT has no `via`: the message may still fall
 * back to SMS.
 */
const RCS_EVENTS: Readonly<Record<string, StatusUpdate>> = {
  RCS_SENT: { status: 'sent' },
  RCS_DELIVERED: { status: 'delivered', via: 'rcs' },
  RCS_READ: { status: 'read', via: 'rcs' },
  RCS_FAILED: { status: 'failed', via: 'rcs' },
  RCS_TTL_EXPIRED: { status: 'failed', reason: 'expired', via: 'rcs' },
};
/** Events that are final with or without an SMS fallback. */
const UNCONDITIONAL_EVENTS: Readonly<Record<string, StatusUpdate>> = {
  RCS_PROTECT_BLOCKED: { status: 'failed', reason: 'blacklisted', via: 'rcs' },
  RCS_FALLEN_BACK_TO_SMS: { status: 'sent', via: 'sms' },
};
/**
 * Message statuses that are more precise than the event type (sms-voice/latest/userguide/rcs-events.html); null changes nothing. After
 * TTL_EXPIRATION_REVOKE_FAILED the message "might still be delivered".
 */
const STATUS_OVERRIDES: Readonly<Record<string, StatusUpdate | null>> = {
  PENDING: null,
  TTL_EXPIRATION_REVOKE_FAILED: null,
  UNDELIVERABLE: { status: 'failed', reason: 'no_rcs', via: 'rcs' },
  REJECTED: { status: 'failed', reason: 'carrier_rejected', via: 'rcs' },
};

const statusUpdateOf = ({
  eventType,
  messageStatus = '',
  context,
}: EndUserMessagingEvent): StatusUpdate | undefined => {
  const text = TEXT_EVENTS[eventType];
  if (text) return { ...text, status: text.status === 'undelivered' ? 'failed' : text.status, via: 'sms' };
  const always = UNCONDITIONAL_EVENTS[eventType];
  if (always) return always;
  const byType = RCS_EVENTS[eventType];
  const byStatus = STATUS_OVERRIDES[messageStatus];
  const meaning = byType && byStatus !== undefined ? byStatus : byType;
  // With an SMS fallback, the events of the SMS decide.
  return meaning?.status === 'failed' && context.fallback === FALLBACK.fallback ? undefined : (meaning ?? undefined);
};

/**
 * JSON that a two-way message's body may hold instead of text (sms-voice/latest/userguide/rcs-events.html): a tapped suggestion, or a notice
 * about the conversation that is no message. Anything else is kept as text.
 */
const interaction = z.discriminatedUnion('type', [
  z.object({ type: z.literal('SUGGESTION'), text: z.string(), postbackData: z.string() }),
  z.object({ type: z.enum(['RCS_TYPING', 'CONVERSATION_STARTED']) }),
]);

const inboundEventOf = (message: TwoWayMessage, at: number): InboundEvent | undefined => {
  const { messageBody, previousPublishedMessageId: answered } = message;
  const found = messageBody.startsWith('{') ? parseJson(interaction, messageBody) : undefined;
  if (found && found.type !== 'SUGGESTION') return undefined;
  const content = found ? tappedButton(found.text, found.postbackData) : typedText(messageBody);
  return {
    kind: 'inbound',
    providerMessageId: message.inboundMessageId,
    channel: 'rcs',
    from: e164Of(message.originationNumber),
    to: message.destinationNumber,
    ...content,
    ...(answered ? { inReplyTo: answered } : {}),
    at,
  };
};

/**
 * RCS through AWS End User Messaging (PinpointSMSVoiceV2, SendRcsMessage). Our message id travels in `Context` and comes back in the
 * events. It falls back to SMS only if the message has a fallback text: pools fall back on their own for SendTextMessage only.
 */
export const awsEndUserMessagingRcs: ProviderDeclaration<RcsContent, RcsSettings> = {
  channel: 'rcs',
  name: 'aws_end_user_messaging',
  settings: awsEndUserMessagingRcsSettings,
  create: (settings, io) => ({
    name: 'aws_end_user_messaging',
    send: (dispatch) => send(settings, io, dispatch),
  }),
  callbacks: callbacksWith(snsReceiverSettings, (settings, io) => ({
    readCallback: ({ body }) => readEvent(settings, io, body, { statusUpdateOf, inboundEventOf }),
  })),
};
