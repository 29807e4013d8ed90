import type { ChannelRules, SandboxPlay } from '../messages/channel.ts';
import type { MessageRecord } from '../messages/message.ts';
import { maskPhone } from '../phone.ts';

/** Endings as on SMS; 0025 is read as well, and 0021 has no RCS (decisions, part 4). */
const PLAYS: Readonly<Record<string, SandboxPlay>> = {
  '0006': { kind: 'accepted', reports: [{ status: 'failed', reason: 'carrier_rejected' }] },
  '0008': { kind: 'accepted', reports: [{ status: 'failed', reason: 'invalid_number' }] },
  '0013': { kind: 'accepted', reports: [{ status: 'failed', reason: 'expired' }] },
  '0018': { kind: 'accepted', reports: [{ status: 'failed', reason: 'blacklisted' }] },
  '0021': {
    kind: 'accepted',
    reports: [{ status: 'failed', reason: 'no_rcs', unlessFallback: { status: 'delivered', via: 'sms' } }],
  },
  '0025': {
    kind: 'accepted',
    reports: [
      { status: 'delivered', via: 'rcs' },
      { status: 'read', via: 'rcs' },
    ],
  },
  '0099': { kind: 'accepted', reports: [] },
  '0114': { kind: 'refused', cause: 'credit', detail: 'the sandbox plays a provider without credit' },
};
const DELIVERED: SandboxPlay = { kind: 'accepted', reports: [{ status: 'delivered', via: 'rcs' }] };

const via = ({ via: carriedBy }: MessageRecord) => (carriedBy ? { channel: carriedBy } : {});

export const rcsRules: ChannelRules = {
  channel: 'rcs',
  recipient: 'phone',
  countsVolume: false,
  eventOf: { delivered: 'rcs.delivered', read: 'rcs.read', failed: 'rcs.failed' },
  engagementOf: { clicked: 'rcs.clicked' },
  reasonOf: { recipient: 'invalid_number', content: 'content_rejected', blacklisted: 'blacklisted' },
  mask: maskPhone,
  sandbox: (to) => PLAYS[to.slice(-4)] ?? DELIVERED,
  // interface, part 6: `data.channel` tells whether it left by RCS or by its SMS fallback.
  eventData: via,
};
