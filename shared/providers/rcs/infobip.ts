import * as z from 'zod';
import type { RcsContent, RcsSuggestion } from '../../domain/channels/rcs/content.ts';
import { definedFields, definedTimes } from '../../domain/core/patch.ts';
import type { ProviderDeclaration, ProviderEvent, ReceiptEvent } from '../../domain/message/provider-port.ts';
import { e164Of } from '../e164.ts';
import {
  infobipAccountSettings,
  infobipDestination,
  infobipWebhooks,
  queryInfobipStatus,
  sendByInfobip,
} from '../infobip.ts';
import {
  type InfobipReport,
  infobipCallbackSettings,
  infobipInstant,
  infobipReceipt,
  infobipReport,
  readInfobipCallback,
} from '../infobip-callbacks.ts';
import { callbacksWith } from '../registry.ts';
import { optionalTextSetting, textSetting } from '../settings.ts';
import { sentFile, sharedLocation, tappedButton, typedText } from './inbound.ts';

/** Operator settings of RCS through Infobip. */
export const infobipRcsSettings = z.strictObject({
  apiKey: textSetting('The API key, with the scopes rcs:message:send and rcs:logs:read.'),
  sender: textSetting('The RCS sender (agent) of the account that sends.'),
  smsSender: optionalTextSetting('The sender of the SMS that is sent instead; without it Infobip chooses.'),
  validityMinutes: z
    .int()
    .min(1)
    .max(2_880)
    .optional()
    .describe(
      'How long RCS is tried, in minutes; a message that is not delivered by then may be sent by SMS. Without it, Infobip decides.',
    ),
  ...infobipAccountSettings,
});
type InfobipRcsSettings = z.infer<typeof infobipRcsSettings>;

/** Infobip requires postbackData for every suggestion; it has a meaning for replies only. */
const suggestionOf = (suggestion: RcsSuggestion) => {
  const { label } = suggestion;
  if (suggestion.kind === 'openUrl') return { type: 'OPEN_URL', text: label, postbackData: label, url: suggestion.url };
  if (suggestion.kind === 'call')
    return { type: 'DIAL_PHONE', text: label, postbackData: label, phoneNumber: suggestion.phone };
  return { type: 'REPLY', text: label, postbackData: suggestion.postback ?? label };
};

/** Infobip requires `alignment` although it applies to horizontal cards only. */
const contentOf = ({ text, card }: RcsContent) => {
  if (!card) return { type: 'TEXT', text: text ?? '' };
  const { title, description, fileUrl, suggestions = [] } = card;
  return {
    type: 'CARD',
    orientation: 'VERTICAL',
    alignment: 'LEFT',
    content: {
      title,
      description,
      ...(fileUrl ? { media: { file: { url: fileUrl }, height: 'MEDIUM' } } : {}),
      ...(suggestions.length > 0 ? { suggestions: suggestions.map(suggestionOf) } : {}),
    },
  };
};

const optionsOf = ({ smsSender, validityMinutes }: InfobipRcsSettings, { fallback }: RcsContent) => ({
  ...(validityMinutes ? { validityPeriod: { amount: validityMinutes, timeUnit: 'MINUTES' } } : {}),
  ...(fallback ? { smsFailover: { ...(smsSender ? { sender: smsSender } : {}), text: fallback.text } } : {}),
});

const seen = z.object({ messageId: z.string().min(1), from: z.string().min(1), seenAt: z.string() });
/** Inbound content (Receive inbound RCS messages). Other types are ignored. */
const inboundContent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('TEXT'), text: z.string() }),
  z.object({ type: z.literal('SUGGESTION'), text: z.string(), postbackData: z.string() }),
  z.object({ type: z.literal('LOCATION'), latitude: z.number(), longitude: z.number() }),
  z.object({
    type: z.literal('FILE'),
    url: z.string().min(1),
    name: z.string().optional(),
    contentType: z.string().optional(),
  }),
]);
const KNOWN_TYPES = new Set<string>(inboundContent.options.map(({ shape }) => shape.type.value));
/** Content of a type that is not documented; of the others, one that does not match its schema is unreadable. */
const otherContent = z.object({ type: z.string().refine((type) => !KNOWN_TYPES.has(type)) });
const inbound = z.object({
  messageId: z.string().min(1),
  sender: z.string().min(1),
  to: z.string().optional(),
  receivedAt: z.string().optional(),
  pairedMessageId: z.string().min(1).nullish(),
  message: z.union([inboundContent, otherContent]),
});
const entry = z.union([infobipReport, seen, inbound]);

/** Reasons by network error, besides those of SMS. EC_UNKNOWN_USER: the recipient has no RCS. */
const REASONS: Readonly<Record<string, string>> = { EC_UNKNOWN_USER: 'no_rcs' };

/** Infobip reports the channel only if a failover was configured; without one it was RCS. */
const viaOf = ({ channel }: InfobipReport): 'rcs' | 'sms' | undefined =>
  channel === undefined || channel === 'RCS' ? 'rcs' : channel === 'SMS' ? 'sms' : undefined;

const receiptOf = (report: InfobipReport): ReceiptEvent[] => {
  const found = infobipReceipt(report);
  if (!found) return [];
  const via = viaOf(report);
  const status = found.status === 'undelivered' ? 'failed' : found.status;
  const reason = status === 'failed' ? (REASONS[report.error?.name ?? ''] ?? found.reason) : undefined;
  const { reason: _, ...rest } = found;
  // A message that RCS has sent may still fall back to SMS: its carrier is not known yet.
  const carrier = status === 'sent' && via === 'rcs' ? undefined : via;
  return [
    {
      ...rest,
      status,
      ...definedFields({ reason, via: carrier }),
      receipt: { ...found.receipt, channel: via === 'rcs' ? 'RCS' : via === 'sms' ? 'SMS' : null },
    },
  ];
};

/** A seen report, in which `from` is the recipient. Only RCS has them. */
const readOf = ({ messageId, from, seenAt }: z.infer<typeof seen>): ReceiptEvent => {
  const at = infobipInstant(seenAt);
  return {
    kind: 'receipt',
    messageId,
    providerMessageId: messageId,
    status: 'read',
    via: 'rcs',
    ...(at === undefined ? {} : { at }),
    receipt: {
      id: messageId,
      type: 'api_message',
      to: e164Of(from),
      reference: messageId,
      status: 'SEEN',
      ...definedTimes({ received: at }),
      channel: 'RCS',
    },
  };
};

const contentOfInbound = (message: z.infer<typeof inboundContent>) => {
  switch (message.type) {
    case 'TEXT':
      return typedText(message.text);
    case 'SUGGESTION':
      return tappedButton(message.text, message.postbackData);
    case 'LOCATION':
      return sharedLocation(message.latitude, message.longitude);
    case 'FILE':
      return sentFile(message.url, message.contentType, message.name);
  }
};

const inboundOf = (found: z.infer<typeof inbound>, now: number): ProviderEvent[] => {
  const message = inboundContent.safeParse(found.message).data;
  if (!message) return [];
  return [
    {
      kind: 'inbound',
      providerMessageId: found.messageId,
      channel: 'rcs',
      from: e164Of(found.sender),
      ...(found.to === undefined ? {} : { to: found.to }),
      ...contentOfInbound(message),
      ...(found.pairedMessageId ? { inReplyTo: found.pairedMessageId } : {}),
      at: infobipInstant(found.receivedAt) ?? now,
    },
  ];
};

const eventsOf =
  (now: number) =>
  (found: z.infer<typeof entry>): readonly ProviderEvent[] => {
    if ('status' in found) return receiptOf(found);
    return 'seenAt' in found ? [readOf(found)] : inboundOf(found, now);
  };

/**
 * Infobip's RCS API v2 (https://www.infobip.com/docs/api/channels/rcs). Our message id is also Infobip's: reports of the RCS message and of
 * its SMS failover repeat it, and the logs are queried by it. Of a failover Infobip reports only the last step.
 */
export const infobipRcs: ProviderDeclaration<RcsContent, InfobipRcsSettings> = {
  channel: 'rcs',
  name: 'infobip',
  settings: infobipRcsSettings,
  create: (settings, io) => ({
    name: 'infobip',
    send: (dispatch) => {
      const { messageId, to, content } = dispatch;
      const options = optionsOf(settings, content);
      return sendByInfobip(settings, io, '/rcs/2/messages', messageId, {
        sender: content.senderId ?? settings.sender,
        destinations: [infobipDestination(to, messageId)],
        content: contentOf(content),
        ...(Object.keys(options).length > 0 ? { options } : {}),
        webhooks: infobipWebhooks(settings, dispatch, ['delivery', 'seen']),
      });
    },
    queryStatus: (messageId, sentAt) => queryInfobipStatus(settings, io, '/rcs/2/logs', messageId, sentAt),
  }),
  callbacks: callbacksWith(infobipCallbackSettings, ({ callbackAuth }, io) => ({
    readCallback: async (request) => {
      const now = io.now();
      return readInfobipCallback(callbackAuth, now, request, entry, eventsOf(now));
    },
  })),
};
