import type { ChannelRules } from '../messages/channel.ts';
import type { MessageRecord } from '../messages/message.ts';
import { playsByEnding, reported } from '../messages/sandbox.ts';
import { maskPhone } from '../phone.ts';

/** 0025 is read as well, and 0021 has no RCS (decisions, part 4). */
const sandbox = playsByEnding(reported({ status: 'delivered', via: 'rcs' }), {
  '0006': reported({ status: 'failed', reason: 'carrier_rejected' }),
  '0021': reported({ status: 'failed', reason: 'no_rcs', unlessFallback: { status: 'delivered', via: 'sms' } }),
  '0025': reported({ status: 'delivered', via: 'rcs' }, { status: 'read', via: 'rcs' }),
});

const via = ({ via: carriedBy }: MessageRecord) => (carriedBy ? { channel: carriedBy } : {});

export const rcsRules: ChannelRules = {
  channel: 'rcs',
  recipient: 'phone',
  countsVolume: false,
  eventOf: { delivered: 'rcs.delivered', read: 'rcs.read', failed: 'rcs.failed' },
  engagementOf: { clicked: 'rcs.clicked' },
  reasonOf: { recipient: 'invalid_number', content: 'content_rejected', blacklisted: 'blacklisted' },
  mask: maskPhone,
  sandbox,
  // interface, part 6: `data.channel` tells whether it left by RCS or by its SMS fallback.
  eventData: via,
};
