import type { Advance } from '../messages/journal.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { RefusedAnswer } from '../messages/provider.ts';
import { type EmailReason, isSimulated } from './content.ts';
import type { EmailDispatch } from './provider.ts';
import { emailSandbox } from './sandbox.ts';

/**
 * How long an address is refused after its provider reported it, in ms. The provider's own list changes without a word to us: after this
 * time one e-mail is handed to it again, and its report renews the refusal or does not.
 */
export const SUPPRESSION_MS = 14 * 24 * 3_600_000;

/** The reasons for which a provider keeps a bounced address: it does not exist, or it was kept before. A full mailbox is neither. */
const KEPT: ReadonlySet<string | undefined> = new Set<EmailReason>(['invalid_address', 'suppressed']);

/**
 * Whether a step of a message tells that its provider holds the address back from now on
 * (https://docs.aws.amazon.com/ses/latest/dg/sending-email-suppression-list.html): it bounced for good, or its owner complained. The
 * mailbox simulator's addresses never are: each send to them has the same outcome.
 */
export const suppresses = (
  { channel, provider, to }: Pick<MessageRecord, 'channel' | 'provider' | 'to'>,
  { status, reason }: Pick<Advance, 'status' | 'reason'>,
): boolean => {
  if (channel !== 'email' || provider === 'sandbox_provider' || isSimulated(to)) return false;
  return status === 'complained' || (status === 'bounced' && KEPT.has(reason));
};

const SUPPRESSED: RefusedAnswer = {
  kind: 'refused',
  cause: 'blacklisted',
  detail: 'our suppression list has the address, which a report of its provider put there',
  unasked: true,
};

/**
 * What stops an e-mail to `to` before a provider is asked: the mailbox simulator's own play, or a report that is kept of the address;
 * undefined where it may go.
 */
export const stopOf = (to: string, suppressed: boolean): RefusedAnswer | undefined => {
  const { refuse } = emailSandbox(to);
  if (refuse) return { ...refuse, unasked: true };
  return suppressed ? SUPPRESSED : undefined;
};

/**
 * What stands for a provider's refusal of an address on its suppression list; undefined where it may go. Amazon SES takes such an e-mail,
 * keeps it and reports a bounce later: here it is refused before it leaves (interface, part 3).
 */
export const suppressionOf = async ({ to, content }: EmailDispatch): Promise<RefusedAnswer | undefined> =>
  stopOf(to, (await content.suppressed) === true);
