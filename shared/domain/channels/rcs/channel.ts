import { definedFields } from '../../core/patch.ts';
import { maskPhone } from '../../core/phone.ts';
import { defineChannel } from '../../message/define-channel.ts';
import { acceptedThen, scriptByEnding } from '../../message/sandbox.ts';
import { RCS_ROUTES, type RcsContent, storedRcs } from './content.ts';
import type { RcsPlanPorts } from './plan.ts';

/** Card and SMS fallback in the form of the common payload. */
const partsOf = ({ card, fallback }: RcsContent) =>
  definedFields({ card, fallback: fallback && { text: fallback.text } });

export const rcs = defineChannel<'rcs', RcsPlanPorts>({
  channel: 'rcs',
  recipient: 'phone',
  routes: RCS_ROUTES,
  providers: ['aws_end_user_messaging', 'infobip'],
  callbackKinds: ['rcs-receipts'],
  countsVolume: false,
  receivesReplies: true,
  receivedEvent: 'message.received',
  eventOf: { delivered: 'rcs.delivered', read: 'rcs.read', failed: 'rcs.failed' },
  engagementOf: { clicked: 'rcs.clicked' },
  reasonOf: { recipient: 'invalid_number', content: 'content_rejected', blacklisted: 'blacklisted' },
  templates: 'as_text',
  storedContent: storedRcs,
  erased: () => ({ text: '' }),
  mask: maskPhone,
  // Recipient endings: 0021 has no RCS, 0025 is also read (docs/spec/rcs.md#rcs-sandbox).
  sandbox: scriptByEnding(acceptedThen({ status: 'delivered', via: 'rcs' }), {
    '0006': acceptedThen({ status: 'failed', reason: 'carrier_rejected' }),
    '0021': acceptedThen({ status: 'failed', reason: 'no_rcs' }),
    '0025': acceptedThen({ status: 'delivered', via: 'rcs' }, { status: 'read', via: 'rcs' }),
  }),
  // A device without RCS gets the SMS fallback, if the message has one.
  sandboxReports: ({ content }, reports) =>
    content.fallback === undefined
      ? reports
      : reports.map((report) => (report.reason === 'no_rcs' ? { status: 'delivered', via: 'sms' } : report)),
  // `data.channel`: whether it was delivered by RCS or by the SMS fallback (docs/spec/rcs.md#which-channel-carried-it).
  eventData: ({ via }) => (via ? { channel: via } : {}),
  payload: (content) => ({ ...definedFields({ text: content.text }), ...partsOf(content) }),
  resendContent: (content) => {
    const payload = partsOf(content);
    return definedFields({ text: content.text, payload: Object.keys(payload).length > 0 ? payload : undefined });
  },
  planning: () => import('./planning.ts'),
});
