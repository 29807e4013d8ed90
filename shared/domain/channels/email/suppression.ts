import type { ChannelSuppression } from '../../message/define-channel.ts';
import type { RefusedAnswer } from '../../message/provider-port.ts';
import { type EmailReason, isSimulated } from './content.ts';
import type { EmailDispatch } from './provider.ts';
import { emailSandbox } from './sandbox.ts';

/** Bounce reasons that put an address on the provider's suppression list: nonexistent, or already listed. Not a full mailbox. */
const SUPPRESSING_REASONS: ReadonlySet<string | undefined> = new Set<EmailReason>(['invalid_address', 'suppressed']);

const SUPPRESSED: RefusedAnswer = {
  kind: 'refused',
  cause: 'blacklisted',
  detail: 'the address is on our suppression list, after a report of its provider',
  notCalled: true,
};

export const emailSuppression: ChannelSuppression<'email'> = {
  // The provider's list changes without notice, so afterwards one e-mail is tried again and its report may renew the suppression.
  ms: 14 * 24 * 3_600_000,
  // A permanent bounce or a complaint (https://docs.aws.amazon.com/ses/latest/dg/sending-email-suppression-list.html). Never for mailbox
  // simulator addresses, whose outcome is fixed.
  isReportedBy: ({ provider, to }, { status, reason }) => {
    if (provider === 'sandbox_provider' || isSimulated(to)) return false;
    return status === 'complained' || (status === 'bounced' && SUPPRESSING_REASONS.has(reason));
  },
  // A simulator address, or a suppressed one.
  refusal: (to, suppressed) => {
    const { refuse } = emailSandbox(to);
    if (refuse) return { ...refuse, notCalled: true };
    return suppressed ? SUPPRESSED : undefined;
  },
  withLookup: (content, suppressed) => ({ ...content, suppressed }),
};

/**
 * The refusal of an e-mail to a suppressed address, or undefined. Amazon SES would accept it and report a bounce later; we refuse it before
 * sending (docs/spec/email.md#suppressed-addresses).
 */
export const refusalBeforeDispatch = async ({ to, content }: EmailDispatch): Promise<RefusedAnswer | undefined> =>
  emailSuppression.refusal(to, (await content.suppressed) === true);
