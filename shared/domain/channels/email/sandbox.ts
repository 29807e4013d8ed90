import type { RefusedAnswer } from '../../message/provider-port.ts';
import type { SandboxReport } from '../../message/sandbox.ts';
import { type EmailReason, isSimulated } from './content.ts';

/** The simulated outcome for a recipient: refused on send, or the reports after acceptance. */
export interface EmailSandboxOutcome {
  readonly refuse?: RefusedAnswer;
  readonly reports: readonly (SandboxReport & { readonly reason?: EmailReason })[];
}

const DELIVERED: EmailSandboxOutcome = { reports: [{ status: 'delivered' }] };

/** Outcomes by local part of a mailbox simulator address; any other is delivered (docs/spec/email.md#sandbox-recipients). */
const OUTCOMES: ReadonlyMap<string, EmailSandboxOutcome> = new Map<string, EmailSandboxOutcome>([
  ['success', DELIVERED],
  ['bounce', { reports: [{ status: 'bounced', reason: 'invalid_address' }] }],
  ['complaint', { reports: [{ status: 'complained', reason: 'complaint' }] }],
  // The auto-reply goes to the sender's mailbox; the message itself is delivered.
  ['ooto', DELIVERED],
  [
    'suppressionlist',
    {
      refuse: {
        kind: 'refused',
        cause: 'blacklisted',
        detail: 'the mailbox simulator simulates an address on the suppression list',
      },
      reports: [],
    },
  ],
]);

/** The simulated outcome for a recipient. Labels after `+` are ignored, as in Amazon's simulator: `bounce+order42` is `bounce`. */
export const emailSandbox = (to: string): EmailSandboxOutcome => {
  if (!isSimulated(to)) return DELIVERED;
  const [local = ''] = to.slice(0, to.lastIndexOf('@')).toLowerCase().split('+');
  return OUTCOMES.get(local) ?? DELIVERED;
};
