import * as z from 'zod';
import type { EmailReason } from '../../domain/channels/email/content.ts';
import type {
  CallbackReading,
  EngagementEvent,
  ProviderEvent,
  ReceiptEvent,
} from '../../domain/message/provider-port.ts';
import { parseJson } from '../http.ts';
import { inboundEmail, receivedEmail } from './ses-inbound.ts';

/** The message tag that carries our message id and comes back in the events. */
export const REFERENCE_TAG = 'messageId';

const timestampField = z.iso.datetime({ offset: true }).optional().catch(undefined);
const shortText = z.string().max(60).optional().catch(undefined);
const recipient = z.object({ status: shortText, diagnosticCode: z.string().optional().catch(undefined) });

/**
 * An event of a configuration set, or a feedback notification of an identity. The latter has the same objects under `notificationType` and
 * no tags (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html and notification-contents.html).
 */
const eventFields = z.object({
  mail: z.object({
    messageId: z.string().min(1),
    timestamp: timestampField,
    tags: z.record(z.string(), z.array(z.string())).optional().catch(undefined),
  }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: shortText,
      bouncedRecipients: z.array(recipient).default([]),
      timestamp: timestampField,
    })
    .optional(),
  complaint: z
    .object({ complaintSubType: shortText.nullable(), complaintFeedbackType: shortText, timestamp: timestampField })
    .optional(),
  delivery: z.object({ timestamp: timestampField }).optional(),
  open: z.object({ timestamp: timestampField }).optional(),
  click: z.object({ timestamp: timestampField, link: z.string().optional() }).optional(),
});
const sesEvent = z.union([
  eventFields
    .extend({ eventType: z.string().min(1) })
    .transform(({ eventType, ...rest }) => ({ type: eventType, ...rest })),
  eventFields
    .extend({ notificationType: z.string().min(1) })
    .transform(({ notificationType, ...rest }) => ({ type: notificationType, ...rest })),
]);
type SesEvent = z.output<typeof sesEvent>;

/** SES publishes this once when a topic is set up; it is about no message. */
const topicValidated = z.object({ notificationType: z.literal('AmazonSnsSubscriptionSucceeded') });
const TOPIC_VALIDATED_TEXT = 'Successfully validated SNS topic for Amazon SES event publishing.';

/** Reasons by `type/subtype`, then by type alone (same page, "Bounce types"). */
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

type ReceiptFields = Pick<ReceiptEvent, 'status'> & { readonly reason?: EmailReason; readonly at?: string | undefined };

const bounceOf = ({ bounce }: SesEvent): ReceiptFields | undefined => {
  if (!bounce) return undefined;
  const { bounceType, bounceSubType, bouncedRecipients, timestamp } = bounce;
  const reported = bouncedRecipients.some(({ status, diagnosticCode }) => status ?? diagnosticCode);
  // An automatic reply (out of office) is reported as a transient bounce without a delivery report: the message was delivered.
  if (bounceType === 'Transient' && bounceSubType === 'General' && !reported) return undefined;
  const reason = BOUNCES[`${bounceType}/${bounceSubType}`] ?? BOUNCES[bounceType] ?? 'provider_error';
  return { status: 'bounced', reason, at: timestamp };
};

const complaintOf = ({ complaint }: SesEvent): ReceiptFields | undefined => {
  if (complaint?.complaintFeedbackType === 'not-spam') return undefined;
  // Not a complaint about this message: the address complained earlier, and SES did not send.
  if (complaint?.complaintSubType === 'OnAccountSuppressionList')
    return { status: 'bounced', reason: 'suppressed', at: complaint.timestamp };
  return { status: 'complained', reason: 'complaint', at: complaint?.timestamp };
};

/** Receipts by event type. Types that are not listed (DeliveryDelay, Subscription) change nothing. */
const RECEIPTS: Readonly<Record<string, (event: SesEvent) => ReceiptFields | undefined>> = {
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
  const receipt = RECEIPTS[type]?.(event);
  if (!receipt) return [];
  const { at, ...rest } = receipt;
  return [{ kind: 'receipt', ...about, ...rest, at: momentOf(at) }];
};

/** Converts a verified notification; `at` is when SNS published it, in ms. */
export const readSesEvent = (message: string, at: number): CallbackReading => {
  if (message.startsWith(TOPIC_VALIDATED_TEXT) || parseJson(topicValidated, message))
    return { kind: 'events', events: [] };
  const received = parseJson(receivedEmail, message);
  if (received) {
    const inbound = inboundEmail(received, at);
    return { kind: 'events', events: inbound ? [inbound] : [] };
  }
  const event = parseJson(sesEvent, message);
  return event
    ? { kind: 'events', events: eventsOf(event, at) }
    : { kind: 'malformed', detail: 'ses: no event of a message' };
};
