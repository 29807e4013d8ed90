import type { RcsContent, RcsSuggestion } from '../../../shared/domain/channels/rcs/content.ts';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import {
  type InfobipApi,
  type InfobipMessage,
  inboundOf,
  infobipStatus,
  NO_ERROR,
  startInfobipApi,
} from './infobip-api.ts';
import type { RcsOutcome } from './rcs-kit.ts';
import type { AcceptedMessage, StandIn, UnderTest } from './stand-in.ts';

type Report = readonly [status: ReturnType<typeof infobipStatus>, error?: string, over?: object];
const REPORTS: Readonly<Record<Exclude<RcsOutcome, 'read'>, Report>> = {
  sent: [infobipStatus(3, 2, 'DELIVERED_TO_OPERATOR')],
  delivered: [infobipStatus(3, 5, 'DELIVERED_TO_HANDSET')],
  no_rcs: [infobipStatus(2, 4, 'UNDELIVERABLE_REJECTED_OPERATOR'), 'EC_UNKNOWN_USER'],
  carrier_rejected: [infobipStatus(2, 4, 'UNDELIVERABLE_REJECTED_OPERATOR')],
  blacklisted: [infobipStatus(5, 14, 'REJECTED_DESTINATION_BLOCKLISTED')],
  expired: [infobipStatus(4, 15, 'EXPIRED_EXPIRED')],
  delivered_by_sms: [infobipStatus(3, 5, 'DELIVERED_TO_HANDSET'), NO_ERROR, { channel: 'SMS', sender: 'InfoSMS' }],
  failed_by_sms: [
    infobipStatus(2, 9, 'UNDELIVERABLE_NOT_DELIVERED'),
    'EC_UNKNOWN_SUBSCRIBER',
    { channel: 'SMS', sender: 'InfoSMS' },
  ],
};

interface Suggestion {
  readonly type: string;
  readonly text: string;
  readonly postbackData: string;
  readonly url?: string;
  readonly phoneNumber?: string;
}
interface RcsMessage extends InfobipMessage {
  readonly sender: string;
  readonly content:
    | { readonly type: 'TEXT'; readonly text: string }
    | {
        readonly type: 'CARD';
        readonly orientation: string;
        readonly alignment: string;
        readonly content: {
          readonly title: string;
          readonly description: string;
          readonly media?: { readonly file: { readonly url: string }; readonly height: string };
          readonly suggestions?: readonly Suggestion[];
        };
      };
  readonly options?: { readonly smsFailover?: { readonly text: string } };
}

/** A button in our form; throws for one that Infobip would refuse (docs/api, Suggestion). */
const suggestionOf = ({ type, text: label, postbackData, url, phoneNumber }: Suggestion): RcsSuggestion => {
  if (!label || label.length > 25 || !postbackData) throw new Error('a suggestion without text or postback data');
  if (type === 'OPEN_URL' && url) return { kind: 'openUrl', label, url };
  if (type === 'DIAL_PHONE' && phoneNumber) return { kind: 'call', label, phone: phoneNumber };
  if (type === 'REPLY') return { kind: 'reply', label, postback: postbackData };
  throw new Error(`no suggestion of Infobip: ${type}`);
};

const contentOf = ({ content, options }: RcsMessage): RcsContent => {
  const failover = options?.smsFailover;
  const fallback = failover ? { fallback: { text: failover.text, encoding: 'GSM-7' as const } } : {};
  if (content.type === 'TEXT') return { text: content.text, ...fallback };
  if (!content.orientation || !content.alignment) throw new Error('a card without orientation or alignment');
  const { title, description, media, suggestions } = content.content;
  const card = {
    title,
    description,
    ...(media ? { fileUrl: media.file.url } : {}),
    ...(suggestions ? { suggestions: suggestions.map(suggestionOf) } : {}),
  };
  return { card, ...fallback };
};

/** The part of Infobip that sending RCS needs; it also signs Infobip's callbacks. */
export interface InfobipRcsStandIn extends StandIn<RcsOutcome>, InfobipApi {
  /** A signed seen report. */
  seen(message: AcceptedMessage): CallbackRequest;
  /** A signed inbound message with this content. */
  inbound(message: AcceptedMessage, content: object): CallbackRequest;
}

/** Starts a stand-in of Infobip's RCS API v2 (infobip.com/docs/api/channels/rcs). */
export const startInfobipRcsStandIn = async (now: () => number = Date.now): Promise<InfobipRcsStandIn> => {
  const { bucket, ...api } = await startInfobipApi<RcsMessage>(now, '/rcs/2', (message) => {
    const content = contentOf(message);
    return { from: message.sender, text: content.text ?? content.card?.title ?? '', content };
  });
  const seen = (message: AcceptedMessage) =>
    bucket(message, {
      messageId: message.messageId,
      from: message.to.replace('+', ''),
      to: message.from,
      sentAt: '2019-11-09T16:00:00.000+0100',
      seenAt: '2019-11-09T16:01:00.000+0100',
    });
  return {
    provider: 'infobip',
    ...api,
    settings: { ...api.settings, sender: 'DemoSender' },
    seen,
    inbound: (message, content) => {
      const { number, ...entry } = inboundOf(message);
      return bucket(
        message,
        { ...entry, sender: number, to: message.from, integrationType: 'RCS', rcsCount: 1, message: content },
        { messageCount: 1, pendingMessageCount: 0 },
      );
    },
    receipt: (message, outcome) => (outcome === 'read' ? seen(message) : api.report(message, ...REPORTS[outcome])),
  };
};

export const infobipRcsUnderTest: UnderTest = {
  channel: 'rcs',
  name: 'infobip',
  start: startInfobipRcsStandIn,
  refusals: {
    recipient: ['8:REJECTED_PREFIX_MISSING', '52:REJECTED_DESTINATION'],
    content: ['25:REJECTED_MESSAGE_TOO_LONG', '87:SIGNALS_BLOCKED'],
    blacklisted: ['14:REJECTED_DESTINATION_BLOCKLISTED'],
    throttled: ['20:REJECTED_FLOODING_FILTER'],
    credit: ['12:REJECTED_NOT_ENOUGH_CREDITS'],
    credentials: ['401', '403'],
    unavailable: ['6:REJECTED_NETWORK', '400', '999:REJECTED_OF_THE_FUTURE'],
  },
  wrongCredentials: { apiKey: 'another' },
  replies: false,
};
