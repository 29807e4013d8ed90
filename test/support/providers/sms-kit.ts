import { expect } from 'vitest';
import type { SmsContent } from '../../../shared/domain/channels/sms/content.ts';
import { dispatchOf } from './dispatch.ts';
import type { ChannelKit } from './kit.ts';
import type { ReceiptOutcome } from './stand-in.ts';

const TEXT = 'Olá, código 9182 [conformance]';

const content = (over: Partial<SmsContent> = {}): SmsContent => ({
  text: TEXT,
  encoding: 'GSM-7',
  length: 30,
  segments: 1,
  ...over,
});

/** A text to send. */
export const smsDispatch = dispatchOf({ to: '+5511987654321', route: 'otp', content: content() });

const lost = (reason: ReceiptOutcome) => ({ status: expect.stringMatching(/^(failed|undelivered)$/), reason });
const OUTCOMES: Readonly<Record<ReceiptOutcome, object>> = {
  sent: { status: 'sent' },
  delivered: { status: 'delivered' },
  invalid_number: lost('invalid_number'),
  carrier_rejected: lost('carrier_rejected'),
  blacklisted: lost('blacklisted'),
  expired: lost('expired'),
};

/** The conformance suite's kit for every provider of SMS. */
export const smsKit: ChannelKit = {
  dispatch: smsDispatch,
  exact: [
    {
      what: 'the characters that encodings spoil',
      content: content({ text: 'ç€[]{}~\n+&=% ü 🙂', encoding: 'UCS-2' }),
      carried: { text: 'ç€[]{}~\n+&=% ü 🙂' },
    },
    {
      what: 'the sender of a message',
      content: content({ senderId: '+5511400009999' }),
      carried: { text: TEXT, from: '+5511400009999' },
    },
  ],
  outcomes: OUTCOMES,
  receipt: ({ messageId, to }) => ({ to, ...(messageId === '' ? {} : { reference: messageId }), channel: 'SMS' }),
};
