import type { RefusedAnswer } from '../messages/provider.ts';
import type { SandboxReport } from '../messages/sandbox.ts';
import { type EmailReason, isSimulated } from './content.ts';

/** What the sandbox plays for a recipient: a refusal on the send, or the reports that follow its acceptance. */
export interface EmailPlay {
  readonly refuse?: RefusedAnswer;
  readonly reports: readonly (SandboxReport & { readonly reason?: EmailReason })[];
}

const DELIVERED: EmailPlay = { reports: [{ status: 'delivered' }] };

/** What the mailbox simulator plays for a local part (interface 4.5, rule 3); any other is delivered. */
const PLAYS: ReadonlyMap<string, EmailPlay> = new Map<string, EmailPlay>([
  ['success', DELIVERED],
  ['bounce', { reports: [{ status: 'bounced', reason: 'invalid_address' }] }],
  ['complaint', { reports: [{ status: 'complained', reason: 'complaint' }] }],
  // The automatic answer goes to the sender's mailbox: for the message itself it is a delivery.
  ['ooto', DELIVERED],
  [
    'suppressionlist',
    {
      refuse: {
        kind: 'refused',
        cause: 'blacklisted',
        detail: 'the mailbox simulator plays an address on the suppression list',
      },
      reports: [],
    },
  ],
]);

/** The sandbox's play for a recipient. Labels after `+` choose nothing: `bounce+order42` is `bounce`, as at the simulator itself. */
export const emailSandbox = (to: string): EmailPlay => {
  if (!isSimulated(to)) return DELIVERED;
  const [local = ''] = to.slice(0, to.lastIndexOf('@')).toLowerCase().split('+');
  return PLAYS.get(local) ?? DELIVERED;
};
