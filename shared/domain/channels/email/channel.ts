import { maskEmail } from '../../core/phone.ts';
import { defineChannel } from '../../message/define-channel.ts';
import { EMAIL_PROVIDERS, type EmailReason, storedEmail } from './content.ts';
import type { EmailPlanPorts } from './plan.ts';
import { emailSandbox } from './sandbox.ts';
import { emailSuppression } from './suppression.ts';

const REASONS = {
  recipient: 'invalid_address',
  content: 'content_rejected',
  blacklisted: 'suppressed',
  sender: 'no_verified_sender',
} as const satisfies Record<string, EmailReason>;

export const email = defineChannel<'email', EmailPlanPorts>({
  channel: 'email',
  recipient: 'email',
  routes: [],
  providers: EMAIL_PROVIDERS,
  callbackKinds: ['receipts', 'replies', 'events'],
  countsVolume: false,
  receivesReplies: false,
  receivedEvent: 'message.received',
  eventOf: { delivered: 'email.delivered', bounced: 'email.bounced', complained: 'email.complained' },
  engagementOf: { opened: 'email.opened', clicked: 'email.clicked' },
  reasonOf: REASONS,
  templates: 'own',
  storedContent: storedEmail,
  erased: ({ from, bodyBytes }) => ({ from, subject: '', bodyBytes }),
  mask: maskEmail,
  sandbox: (to) => {
    const { refuse, reports } = emailSandbox(to);
    return refuse ?? { kind: 'accepted', reports };
  },
  payload: ({ subject }) => ({ email: { subject } }),
  // The body is not stored, so a resend must provide it.
  resendContent: () => undefined,
  suppression: emailSuppression,
  planning: () => import('./planning.ts'),
});
