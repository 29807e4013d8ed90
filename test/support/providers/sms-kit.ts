import { expect } from 'vitest';
import type { SmsContent, SmsDispatch } from '../../../shared/domain/channels/sms/content.ts';
import { newId } from '../../../shared/domain/core/ids.ts';
import type { ChannelKit } from './kit.ts';
import type { ReceiptOutcome } from './stand-in.ts';

const TO = '+5511987654321';
const TEXT = 'Olá, código 9182 [conformance]';

const content = (over: Partial<SmsContent> = {}): SmsContent => ({
  text: TEXT,
  encoding: 'GSM-7',
  length: 30,
  segments: 1,
  ...over,
});

/** A text to send. */
export const smsDispatch = (over: Partial<SmsDispatch> = {}): SmsDispatch => ({
  messageId: newId('message'),
  to: TO,
  route: 'otp',
  content: content(),
  callbackUrl: 'https://callbacks.test/callbacks/provider',
  ...over,
});

const lost = (reason: ReceiptOutcome) => ({ status: expect.stringMatching(/^(failed|undelivered)$/), reason });
const OUTCOMES: Readonly<Record<ReceiptOutcome, object>> = {
  sent: { status: 'sent' },
  delivered: { status: 'delivered' },
  invalid_number: lost('invalid_number'),
  carrier_rejected: lost('carrier_rejected'),
  blacklisted: lost('blacklisted'),
  expired: lost('expired'),
};

/** What the conformance suite requires of every provider of SMS. */
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
  receipt: ({ messageId, to }) => ({ to, reference: messageId, channel: 'SMS' }),
};
