import { type InfobipApi, type InfobipMessage, inboundOf, infobipStatus, startInfobipApi } from './infobip-api.ts';
import type { ReceiptOutcome, SmsStandIn, UnderTest } from './stand-in.ts';

const REPORTS: Readonly<Record<ReceiptOutcome, readonly [status: ReturnType<typeof infobipStatus>, error?: string]>> = {
  sent: [infobipStatus(3, 2, 'DELIVERED_TO_OPERATOR')],
  delivered: [infobipStatus(3, 5, 'DELIVERED_TO_HANDSET')],
  invalid_number: [infobipStatus(2, 9, 'UNDELIVERABLE_NOT_DELIVERED'), 'EC_UNKNOWN_SUBSCRIBER'],
  carrier_rejected: [infobipStatus(2, 4, 'UNDELIVERABLE_REJECTED_OPERATOR')],
  blacklisted: [infobipStatus(5, 14, 'REJECTED_DESTINATION_BLOCKLISTED')],
  expired: [infobipStatus(4, 15, 'EXPIRED_EXPIRED')],
};

/** The part of Infobip that sending a text needs; it also signs Infobip's callbacks. */
export interface InfobipStandIn extends SmsStandIn, InfobipApi {}

interface SmsMessage extends InfobipMessage {
  readonly sender?: string;
  readonly content: { readonly text: string };
}

/** Starts a stand-in of Infobip's SMS API v3 (infobip.com/docs/api/channels/sms). */
export const startInfobipStandIn = async (now: () => number = Date.now): Promise<InfobipStandIn> => {
  const { bucket, ...api } = await startInfobipApi<SmsMessage>(now, '/sms/3', ({ sender = '', content }) => ({
    from: sender,
    text: content.text,
  }));
  return {
    provider: 'infobip',
    ...api,
    settings: { ...api.settings, from: 'InfoSMS' },
    receipt: (message, outcome) => api.report(message, ...REPORTS[outcome]),
    reply: (message, text) => {
      const { number, ...entry } = inboundOf(message);
      return bucket(
        message,
        { ...entry, from: number, to: '28000', text, cleanText: text, smsCount: 1 },
        { messageCount: 1, pendingMessageCount: 0 },
      );
    },
  };
};

export const infobipUnderTest: UnderTest = {
  channel: 'sms',
  name: 'infobip',
  start: startInfobipStandIn,
  refusals: {
    recipient: ['8:REJECTED_PREFIX_MISSING', '52:REJECTED_DESTINATION'],
    content: ['25:REJECTED_MESSAGE_TOO_LONG', '87:SIGNALS_BLOCKED'],
    blacklisted: ['14:REJECTED_DESTINATION_BLOCKLISTED', '10:REJECTED_DND'],
    throttled: ['20:REJECTED_FLOODING_FILTER'],
    credit: ['12:REJECTED_NOT_ENOUGH_CREDITS', '17:REJECTED_PREPAID_PACKAGE_EXPIRED'],
    credentials: ['401', '403'],
    unavailable: ['6:REJECTED_NETWORK', '19:REJECTED_ROUTE_NOT_AVAILABLE', '400', '999:REJECTED_OF_THE_FUTURE'],
  },
  wrongCredentials: { apiKey: 'another' },
  replies: true,
};
