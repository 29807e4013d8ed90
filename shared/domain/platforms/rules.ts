import type { ChannelRules } from '../messages/channel.ts';
import { playsByEnding, reported } from '../messages/sandbox.ts';
import { maskPhone } from '../phone.ts';

/** 0025 is read as well (decisions, part 4). */
const sandbox = playsByEnding(reported({ status: 'delivered' }), {
  '0006': reported({ status: 'failed', reason: 'undeliverable' }),
  '0025': reported({ status: 'delivered' }, { status: 'read' }),
});

/** An id that is neither phone nor address: its ends tell it from others, its middle stays hidden. */
export const maskId = (id: string): string => (id.length <= 6 ? '****' : `${id.slice(0, 2)}****${id.slice(-4)}`);

const REASONS = {
  recipient: 'invalid_recipient',
  content: 'content_rejected',
  blacklisted: 'blacklisted',
} as const;
const common = {
  countsVolume: false,
  reasonOf: REASONS,
  engagementOf: {},
  sandbox,
} as const;

export const whatsappRules: ChannelRules = {
  ...common,
  channel: 'whatsapp',
  recipient: 'phone',
  eventOf: {
    sent: 'message.sent',
    delivered: 'message.delivered',
    read: 'message.read',
    failed: 'message.failed',
  },
  mask: maskPhone,
};
export const pushRules: ChannelRules = {
  ...common,
  channel: 'push',
  recipient: 'device',
  eventOf: { sent: 'message.sent', delivered: 'message.delivered', failed: 'message.failed' },
  mask: maskId,
};
export const instagramRules: ChannelRules = {
  ...common,
  channel: 'instagram',
  recipient: 'platform',
  eventOf: { sent: 'instagram.message.sent', failed: 'instagram.message.failed' },
  mask: maskId,
};
