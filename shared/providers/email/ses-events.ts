import * as z from 'zod';
import type { EmailReason } from '../../domain/email/content.ts';
import type { CallbackReading, EngagementEvent, ProviderEvent, ReceiptEvent } from '../../domain/messages/provider.ts';
import { parseJson } from '../http.ts';
import { inboundEmail, receivedEmail } from './ses-inbound.ts';

/** The tag by which our reference travels with a message and comes back in its events. */
export const REFERENCE_TAG = 'messageId';

const moment = z.iso.datetime({ offset: true }).optional().catch(undefined);
const word = z.string().max(60).optional().catch(undefined);
const recipient = z.object({ status: word, diagnosticCode: z.string().optional().catch(undefined) });

/**
 * An event of a configuration set, or a feedback notification of an identity, which has the same objects under `notificationType` and
 * carries no tags (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html and
 * notification-contents.html).
 */
const record = z.object({
  mail: z.object({
    messageId: z.string().min(1),
    timestamp: moment,
    tags: z.record(z.string(), z.array(z.string())).optional().catch(undefined),
  }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: word,
      bouncedRecipients: z.array(recipient).default([]),
      timestamp: moment,
    })
    .optional(),
  complaint: z.object({ complaintSubType: word.nullable(), complaintFeedbackType: word, timestamp: moment }).optional(),
  delivery: z.object({ timestamp: moment }).optional(),
  open: z.object({ timestamp: moment }).optional(),
  click: z.object({ timestamp: moment, link: z.string().optional() }).optional(),
});
const named = z.union([
  record.extend({ eventType: z.string().min(1) }).transform(({ eventType, ...rest }) => ({ type: eventType, ...rest })),
  record
    .extend({ notificationType: z.string().min(1) })
    .transform(({ notificationType, ...rest }) => ({ type: notificationType, ...rest })),
]);
type SesEvent = z.output<typeof named>;

/** What SES publishes when a topic is set up: no event of any message. */
const setUp = z.object({ notificationType: z.literal('AmazonSnsSubscriptionSucceeded') });
const SET_UP_TEXT = 'Successfully validated SNS topic for Amazon SES event publishing.';

/** Why a message bounced, by `type/subtype` and then by type alone (same page, "Bounce types"). */
const BOUNCES: Readonly<Record<string, EmailReason>> = {
  'Permanent/Suppressed': 'suppressed',
  'Permanent/OnAccountSuppressionList': 'suppressed',
  'Permanent/UnsubscribedRecipient': 'suppressed',
  Permanent: 'invalid_address',
  'Transient/MailboxFull': 'mailbox_full',
  'Transient/MessageTooLarge': 'content_rejected',
  'Transient/ContentRejected': 'content_rejected',
  'Transient/AttachmentRejected': 'content_rejected',
};

type Meaning = Pick<ReceiptEvent, 'status'> & { readonly reason?: EmailReason; readonly at?: string | undefined };

const bounceOf = ({ bounce }: SesEvent): Meaning | undefined => {
  if (!bounce) return undefined;
  const { bounceType, bounceSubType, bouncedRecipients, timestamp } = bounce;
  const reported = bouncedRecipients.some(({ status, diagnosticCode }) => status ?? diagnosticCode);
  // An automatic answer (out of office) comes as a transient bounce without a delivery report: the message has arrived.
  if (bounceType === 'Transient' && bounceSubType === 'General' && !reported) return undefined;
  const reason = BOUNCES[`${bounceType}/${bounceSubType}`] ?? BOUNCES[bounceType] ?? 'provider_error';
  return { status: 'bounced', reason, at: timestamp };
};

const complaintOf = ({ complaint }: SesEvent): Meaning | undefined => {
  if (complaint?.complaintFeedbackType === 'not-spam') return undefined;
  // SES took the message and kept it: the address complained earlier.
  if (complaint?.complaintSubType === 'OnAccountSuppressionList')
    return { status: 'bounced', reason: 'suppressed', at: complaint.timestamp };
  return { status: 'complained', reason: 'complaint', at: complaint?.timestamp };
};

/** What each type of event says; a type that is not here (DeliveryDelay, Subscription) changes nothing. */
const MEANINGS: Readonly<Record<string, (event: SesEvent) => Meaning | undefined>> = {
  Send: ({ mail }) => ({ status: 'sent', at: mail.timestamp }),
  Delivery: ({ delivery }) => ({ status: 'delivered', at: delivery?.timestamp }),
  Bounce: bounceOf,
  Complaint: complaintOf,
  Reject: () => ({ status: 'failed', reason: 'content_rejected' }),
  'Rendering Failure': () => ({ status: 'failed', reason: 'content_rejected' }),
};
const ENGAGEMENTS: Readonly<Record<string, EngagementEvent['what']>> = { Open: 'opened', Click: 'clicked' };

const eventsOf = (event: SesEvent, publishedAt: number): readonly ProviderEvent[] => {
  const { type, mail, open, click } = event;
  const reference = mail.tags?.[REFERENCE_TAG]?.[0];
  const about = { ...(reference ? { messageId: reference } : {}), providerMessageId: mail.messageId };
  const momentOf = (text: string | undefined) => (text === undefined ? publishedAt : Date.parse(text));
  const what = ENGAGEMENTS[type];
  if (what) {
    const at = momentOf((open ?? click)?.timestamp);
    return [{ kind: 'engagement', ...about, what, ...(click?.link === undefined ? {} : { url: click.link }), at }];
  }
  const meaning = MEANINGS[type]?.(event);
  if (!meaning) return [];
  const { at, ...rest } = meaning;
  return [{ kind: 'receipt', ...about, ...rest, at: momentOf(at) }];
};

/** Reads a notification whose signature was checked; `at` is when SNS published it, in ms. */
export const readSesEvent = (message: string, at: number): CallbackReading => {
  if (message.startsWith(SET_UP_TEXT) || parseJson(setUp, message)) return { kind: 'events', events: [] };
  const received = parseJson(receivedEmail, message);
  if (received) {
    const inbound = inboundEmail(received, at);
    return { kind: 'events', events: inbound ? [inbound] : [] };
  }
  const event = parseJson(named, message);
  return event
    ? { kind: 'events', events: eventsOf(event, at) }
    : { kind: 'malformed', detail: 'ses: no event of a message' };
};
