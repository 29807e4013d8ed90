import * as z from 'zod';
import { parseAddress, SUBJECT_LENGTH } from '../../domain/email/address.ts';
import type { InboundEvent } from '../../domain/messages/provider.ts';

const verdict = z.object({ status: z.string() }).optional().catch(undefined);

/**
 * An e-mail that SES received (https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html), by an SNS action
 * or by the alert of another. Its content is not read: the service keeps no e-mail's body.
 */
export const receivedEmail = z.object({
  notificationType: z.literal('Received'),
  receipt: z.object({
    recipients: z.array(z.string()).default([]),
    spamVerdict: verdict,
    virusVerdict: verdict,
    dmarcVerdict: verdict,
  }),
  mail: z.object({
    messageId: z.string().min(1),
    timestamp: z.iso.datetime({ offset: true }).optional().catch(undefined),
    source: z.string(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
    commonHeaders: z.object({ from: z.array(z.string()).optional(), subject: z.string().optional() }).default({}),
  }),
});
type ReceivedEmail = z.output<typeof receivedEmail>;

/** A message id that SES gave (ses/latest/dg/header-fields.html: SES writes Message-ID itself): its own id, at a host of its own. */
const OURS = /<([0-9a-zA-Z-]{1,100})@(?:[a-z0-9-]+\.)?amazonses\.com>/;

const headerOf = ({ mail }: ReceivedEmail, name: string): string | undefined =>
  mail.headers.find((header) => header.name.toLowerCase() === name)?.value;

/** Spam, malware, what its own domain disowns, and what a machine answered (RFC 3834, section 5) are nobody's message. */
const isRefused = (email: ReceivedEmail): boolean => {
  const { spamVerdict, virusVerdict, dmarcVerdict } = email.receipt;
  const automatic = headerOf(email, 'auto-submitted')?.trim().toLowerCase() ?? 'no';
  return automatic !== 'no' || [spamVerdict, virusVerdict, dmarcVerdict].some((found) => found?.status === 'FAIL');
};

/** The address of a From header, whatever its name looks like. Linear in the text. */
const addressOf = (text: string): string | undefined => {
  const open = text.lastIndexOf('<');
  const close = text.lastIndexOf('>');
  return parseAddress((open >= 0 && close > open ? text.slice(open + 1, close) : text).trim());
};

/** The event of an e-mail that came in; undefined for one that no person sent. `publishedAt` (ms) is when SNS told of it. */
export const inboundEmail = (email: ReceivedEmail, publishedAt: number): InboundEvent | undefined => {
  const { mail, receipt } = email;
  const from = addressOf(mail.commonHeaders.from?.[0] ?? mail.source);
  if (from === undefined || isRefused(email)) return undefined;
  const [to] = receipt.recipients;
  const [, answered] = OURS.exec(headerOf(email, 'in-reply-to') ?? '') ?? [];
  return {
    kind: 'inbound',
    providerMessageId: mail.messageId,
    channel: 'email',
    from,
    ...(to === undefined ? {} : { to }),
    type: 'text',
    payload: { email: { subject: (mail.commonHeaders.subject ?? '').slice(0, SUBJECT_LENGTH) } },
    ...(answered === undefined ? {} : { inReplyTo: answered }),
    at: mail.timestamp === undefined ? publishedAt : Date.parse(mail.timestamp),
  };
};
