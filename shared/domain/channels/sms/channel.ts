import { maskPhone } from '../../core/phone.ts';
import { isoTime } from '../../core/time.ts';
import { defineChannel } from '../../message/define-channel.ts';
import { acceptedThen, scriptByEnding } from '../../message/sandbox.ts';
import { SMS_PROVIDERS, SMS_ROUTES, storedSms } from './content.ts';
import type { SmsPlanPorts } from './plan.ts';
import { prepareText } from './text.ts';

export const sms = defineChannel<'sms', SmsPlanPorts>({
  channel: 'sms',
  recipient: 'phone',
  routes: SMS_ROUTES,
  providers: SMS_PROVIDERS,
  callbackKinds: ['receipts', 'replies', 'events'],
  countsVolume: true,
  receivesReplies: true,
  receivedEvent: 'sms.received',
  receivedContent: ({ id, payload }) => ({ messageId: id, body: payload.text ?? '' }),
  eventOf: { delivered: 'sms.delivered', failed: 'sms.failed', undelivered: 'sms.undelivered' },
  engagementOf: { clicked: 'sms.clicked' },
  reasonOf: { recipient: 'invalid_number', content: 'carrier_rejected', blacklisted: 'blacklisted' },
  templates: 'as_text',
  storedContent: storedSms,
  erased: ({ encoding, length, segments }) => ({ text: '', encoding, length, segments }),
  writtenText: (text) => prepareText(text).text,
  mask: maskPhone,
  sandbox: scriptByEnding(acceptedThen({ status: 'delivered' }), {
    '0006': acceptedThen({ status: 'undelivered', reason: 'carrier_rejected' }),
  }),
  sandboxReceipt: ({ id, to, providerMessageId, units }, status, at) => ({
    id: providerMessageId ?? id,
    type: 'api_message',
    to,
    reference: id,
    status: status.toUpperCase(),
    received: isoTime(at),
    bill_factor: units,
    channel: 'SMS',
  }),
  payload: ({ text }) => ({ text }),
  resendContent: ({ text }) => ({ text }),
  keptOnResend: ({ senderId }) => (senderId === undefined ? {} : { senderId }),
  planning: () => import('./planning.ts'),
});
