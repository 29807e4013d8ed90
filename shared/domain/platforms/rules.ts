import type { ChannelRules, SandboxPlay } from '../messages/channel.ts';
import { maskPhone } from '../phone.ts';

/** Endings as on SMS, and 0025 is read as well (decisions, part 4). */
const PLAYS: Readonly<Record<string, SandboxPlay>> = {
  '0006': { kind: 'accepted', reports: [{ status: 'failed', reason: 'undeliverable' }] },
  '0008': { kind: 'accepted', reports: [{ status: 'failed', reason: 'invalid_number' }] },
  '0013': { kind: 'accepted', reports: [{ status: 'failed', reason: 'expired' }] },
  '0018': { kind: 'accepted', reports: [{ status: 'failed', reason: 'blacklisted' }] },
  '0025': { kind: 'accepted', reports: [{ status: 'delivered' }, { status: 'read' }] },
  '0099': { kind: 'accepted', reports: [] },
  '0114': { kind: 'refused', cause: 'credit', detail: 'the sandbox plays a provider without credit' },
};
const DELIVERED: SandboxPlay = { kind: 'accepted', reports: [{ status: 'delivered' }] };

/** An id that is neither phone nor address: its ends tell it from others, its middle stays hidden. */
export const maskId = (id: string): string => (id.length <= 6 ? '****' : `${id.slice(0, 2)}****${id.slice(-4)}`);

const REASONS = { recipient: 'invalid_recipient', content: 'content_rejected', blacklisted: 'blacklisted' } as const;
const common = {
  countsVolume: false,
  reasonOf: REASONS,
  engagementOf: {},
  sandbox: (to: string) => PLAYS[to.slice(-4)] ?? DELIVERED,
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
  recipient: 'platform',
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
