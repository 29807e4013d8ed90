import type { MessageRecord, MessageStatus } from '../../message/message.ts';
import type { RefusedAnswer } from '../../message/provider-port.ts';
import { type EmailReason, isSimulated } from './content.ts';
import type { EmailDispatch } from './provider.ts';
import { emailSandbox } from './sandbox.ts';

/**
 * How long an address is suppressed after a provider's report, in ms. The provider's list changes without notice, so afterwards one e-mail
 * is tried again and its report may renew the suppression.
 */
export const SUPPRESSION_MS = 14 * 24 * 3_600_000;

/** Bounce reasons that put an address on the provider's suppression list: nonexistent, or already listed. Not a full mailbox. */
const SUPPRESSING_REASONS: ReadonlySet<string | undefined> = new Set<EmailReason>(['invalid_address', 'suppressed']);

/**
 * Whether a report means that the provider suppresses the address from now on: a permanent bounce or a complaint
 * (https://docs.aws.amazon.com/ses/latest/dg/sending-email-suppression-list.html). Never for mailbox simulator addresses, whose outcome is
 * fixed.
 */
export const suppresses = (
  { channel, provider, to }: Pick<MessageRecord, 'channel' | 'provider' | 'to'>,
  { status, reason }: { readonly status?: MessageStatus; readonly reason?: string | undefined },
): boolean => {
  if (channel !== 'email' || provider === 'sandbox_provider' || isSimulated(to)) return false;
  return status === 'complained' || (status === 'bounced' && SUPPRESSING_REASONS.has(reason));
};

const SUPPRESSED: RefusedAnswer = {
  kind: 'refused',
  cause: 'blacklisted',
  detail: 'our suppression list has the address, which a report of its provider put there',
  notCalled: true,
};

/** The refusal of an e-mail that needs no provider call: a simulator address, or a suppressed one. Undefined if it may be sent. */
export const refusalBeforeSend = (to: string, suppressed: boolean): RefusedAnswer | undefined => {
  const { refuse } = emailSandbox(to);
  if (refuse) return { ...refuse, notCalled: true };
  return suppressed ? SUPPRESSED : undefined;
};

/**
 * The refusal of an e-mail to a suppressed address, or undefined. Amazon SES would accept it and report a bounce later; we refuse it before
 * sending (docs/spec/email.md#suppressed-addresses).
 */
export const refusalBeforeDispatch = async ({ to, content }: EmailDispatch): Promise<RefusedAnswer | undefined> =>
  refusalBeforeSend(to, (await content.suppressed) === true);
