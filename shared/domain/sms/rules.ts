import type { ChannelRules } from '../messages/channel.ts';
import { playsByEnding, reported } from '../messages/sandbox.ts';
import { maskPhone } from '../phone.ts';

/** Interface 4.1, rule 4. */
const sandbox = playsByEnding(reported({ status: 'delivered' }), {
  '0006': reported({ status: 'undelivered', reason: 'carrier_rejected' }),
});

export const smsRules: ChannelRules = {
  channel: 'sms',
  recipient: 'phone',
  countsVolume: true,
  eventOf: { delivered: 'sms.delivered', failed: 'sms.failed', undelivered: 'sms.undelivered' },
  engagementOf: { clicked: 'sms.clicked' },
  reasonOf: { recipient: 'invalid_number', content: 'carrier_rejected', blacklisted: 'blacklisted' },
  mask: maskPhone,
  sandbox,
};
