import type { ChannelRules, SandboxPlay } from '../messages/channel.ts';
import { maskPhone } from '../phone.ts';

/** What the ending of a recipient chooses (interface 4.1, rule 4); any other ending is delivered. */
const PLAYS: Readonly<Record<string, SandboxPlay>> = {
  '0006': { kind: 'accepted', reports: [{ status: 'undelivered', reason: 'carrier_rejected' }] },
  '0008': { kind: 'accepted', reports: [{ status: 'failed', reason: 'invalid_number' }] },
  '0013': { kind: 'accepted', reports: [{ status: 'failed', reason: 'expired' }] },
  '0018': { kind: 'accepted', reports: [{ status: 'failed', reason: 'blacklisted' }] },
  '0099': { kind: 'accepted', reports: [] },
  '0114': { kind: 'refused', cause: 'credit', detail: 'the sandbox plays a provider without credit' },
};
const DELIVERED: SandboxPlay = { kind: 'accepted', reports: [{ status: 'delivered' }] };

export const smsRules: ChannelRules = {
  channel: 'sms',
  recipient: 'phone',
  countsVolume: true,
  eventOf: { delivered: 'sms.delivered', failed: 'sms.failed', undelivered: 'sms.undelivered' },
  engagementOf: { clicked: 'sms.clicked' },
  reasonOf: { recipient: 'invalid_number', content: 'carrier_rejected', blacklisted: 'blacklisted' },
  mask: maskPhone,
  sandbox: (to) => PLAYS[to.slice(-4)] ?? DELIVERED,
};
