import type { ChannelRules } from '../messages/channel.ts';
import { maskEmail } from '../phone.ts';
import type { EmailReason } from './content.ts';
import { emailSandbox } from './sandbox.ts';

const REASONS = {
  recipient: 'invalid_address',
  content: 'content_rejected',
  blacklisted: 'suppressed',
  sender: 'no_verified_sender',
} as const satisfies Record<string, EmailReason>;

export const emailRules: ChannelRules = {
  channel: 'email',
  recipient: 'email',
  countsVolume: false,
  eventOf: { delivered: 'email.delivered', bounced: 'email.bounced', complained: 'email.complained' },
  engagementOf: { opened: 'email.opened', clicked: 'email.clicked' },
  reasonOf: REASONS,
  mask: maskEmail,
  sandbox: (to) => {
    const { refuse, reports } = emailSandbox(to);
    return refuse ?? { kind: 'accepted', reports };
  },
};
