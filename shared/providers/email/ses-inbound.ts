import * as z from 'zod';
import { MAX_SUBJECT_LENGTH, parseAddress } from '../../domain/core/email-address.ts';
import type { InboundEvent } from '../../domain/message/provider-port.ts';

const verdict = z.object({ status: z.string() }).optional().catch(undefined);

/**
 * An e-mail that SES received (https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html), published by an SNS
 * action or as the notification of another action. Its body is not read: docs/spec/email.md#e-mail-content.
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

/** A Message-ID that SES generated (ses/latest/dg/header-fields.html): the SES message id at a host of amazonses.com. */
const OURS = /<([0-9a-zA-Z-]{1,100})@(?:[a-z0-9-]+\.)?amazonses\.com>/;

const headerOf = ({ mail }: ReceivedEmail, name: string): string | undefined =>
  mail.headers.find((header) => header.name.toLowerCase() === name)?.value;

/** Drops spam, malware, DMARC failures and automatic replies (RFC 3834, section 5). */
const isRefused = (email: ReceivedEmail): boolean => {
  const { spamVerdict, virusVerdict, dmarcVerdict } = email.receipt;
  const automatic = headerOf(email, 'auto-submitted')?.trim().toLowerCase() ?? 'no';
  return automatic !== 'no' || [spamVerdict, virusVerdict, dmarcVerdict].some((found) => found?.status === 'FAIL');
};

/** The address in a From header, whatever the display name contains. Linear in the length of the text. */
const addressOf = (text: string): string | undefined => {
  const open = text.lastIndexOf('<');
  const close = text.lastIndexOf('>');
  return parseAddress((open >= 0 && close > open ? text.slice(open + 1, close) : text).trim());
};

/** Converts a received e-mail; undefined if it is spam, automatic or has no valid sender. `publishedAt` is when SNS published it, in ms. */
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
    payload: { email: { subject: (mail.commonHeaders.subject ?? '').slice(0, MAX_SUBJECT_LENGTH) } },
    ...(answered === undefined ? {} : { inReplyTo: answered }),
    at: mail.timestamp === undefined ? publishedAt : Date.parse(mail.timestamp),
  };
};
