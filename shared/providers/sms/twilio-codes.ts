import type { RefusalCause as Cause, ReceiptEvent as Receipt } from '../../domain/message/provider-port.ts';

/** How a Twilio error code is mapped: `cause` when it refuses a send, `reason` when a receipt carries it. */
interface TwilioCode {
  /** Twilio's title without the phone number that Twilio's own message contains. */
  readonly title: string;
  readonly cause: Cause;
  readonly reason?: NonNullable<Receipt['reason']>;
}

/**
 * Twilio's Error and Warning Dictionary (https://www.twilio.com/docs/api/errors), as far as it applies to sending SMS. An unlisted code in
 * the response to a send is still a refusal, treated as a fault of the route.
 */
export const TWILIO_CODES: Readonly<Record<number, TwilioCode>> = {
  10001: { title: 'Account is not active', cause: 'credit' },
  10002: { title: 'Trial account does not support this feature', cause: 'credit' },
  14107: { title: 'SMS send rate limit exceeded', cause: 'throttled' },
  20003: { title: 'Permission denied', cause: 'credentials' },
  20005: { title: 'Account not active', cause: 'credit' },
  20006: { title: 'Access denied', cause: 'credentials' },
  20008: { title: 'Test credentials', cause: 'credentials' },
  20010: { title: 'Action disabled for account', cause: 'credentials' },
  20101: { title: 'Invalid access token', cause: 'credentials' },
  20403: { title: 'Forbidden', cause: 'credentials' },
  20404: { title: 'Not found', cause: 'credentials' },
  20429: { title: 'Too many requests', cause: 'throttled' },
  21211: { title: "Invalid 'To' phone number", cause: 'recipient', reason: 'invalid_number' },
  21212: { title: "Invalid 'From' number", cause: 'unavailable' },
  21214: { title: "'To' phone number cannot be reached", cause: 'recipient', reason: 'invalid_number' },
  21217: { title: 'Phone number does not appear to be valid', cause: 'recipient', reason: 'invalid_number' },
  21265: { title: "'To' number cannot be a short code", cause: 'recipient', reason: 'invalid_number' },
  21266: { title: "'To' and 'From' number cannot be the same", cause: 'recipient', reason: 'invalid_number' },
  21268: { title: "'To' cannot be a premium rate number", cause: 'recipient', reason: 'invalid_number' },
  21408: { title: "Permission to send has not been enabled for the region of 'To'", cause: 'unavailable' },
  21602: { title: 'Message body is required', cause: 'content' },
  21603: { title: "'From' or 'MessagingServiceSid' is required", cause: 'unavailable' },
  21604: { title: "'To' phone number is required", cause: 'recipient', reason: 'invalid_number' },
  21606: { title: "'From' is not a message-capable number for this destination", cause: 'unavailable' },
  21608: { title: "'To' is not verified for this trial account", cause: 'unavailable' },
  21609: { title: "Invalid 'StatusCallback'", cause: 'unavailable' },
  21610: { title: 'Attempt to send to unsubscribed recipient', cause: 'blacklisted', reason: 'blacklisted' },
  21611: { title: "'From' has exceeded the maximum number of queued messages", cause: 'throttled' },
  21612: { title: "'To' is not currently reachable via SMS", cause: 'unavailable', reason: 'carrier_rejected' },
  21614: { title: "'To' number is not a valid mobile number", cause: 'recipient', reason: 'invalid_number' },
  21617: { title: 'Message body exceeds the 1600 character limit', cause: 'content' },
  21618: { title: 'Message body cannot be sent', cause: 'content', reason: 'carrier_rejected' },
  21619: { title: 'A message body is required', cause: 'content' },
  21635: { title: "'To' number cannot be a landline", cause: 'recipient', reason: 'invalid_number' },
  21654: { title: 'ContentSid required', cause: 'content' },
  21701: { title: 'The Messaging Service does not exist', cause: 'unavailable' },
  21702: { title: 'The Messaging Service is not available', cause: 'unavailable' },
  21703: { title: 'The Messaging Service has no number for this message', cause: 'unavailable' },
  21704: { title: 'The Messaging Service contains no senders', cause: 'unavailable' },
  21705: { title: 'The Messaging Service is invalid', cause: 'unavailable' },
  30001: { title: 'Queue overflow', cause: 'throttled' },
  30002: { title: 'Account suspended', cause: 'credit' },
  30003: { title: 'Unreachable destination handset', cause: 'recipient' },
  30004: { title: 'Message blocked', cause: 'blacklisted', reason: 'blacklisted' },
  30005: { title: 'Unknown destination handset', cause: 'recipient', reason: 'invalid_number' },
  30006: { title: 'Landline or unreachable carrier', cause: 'recipient', reason: 'invalid_number' },
  30007: { title: 'Message filtered', cause: 'content', reason: 'carrier_rejected' },
  30008: { title: 'Unknown error', cause: 'unavailable' },
  30010: { title: 'Message price exceeds max price', cause: 'unavailable' },
  30017: { title: 'Carrier network congestion', cause: 'unavailable', reason: 'carrier_rejected' },
  30018: { title: 'Carrier requires sender ID pre-registration', cause: 'unavailable', reason: 'carrier_rejected' },
  30019: { title: 'Content size exceeds carrier limit', cause: 'content', reason: 'carrier_rejected' },
  30022: { title: 'US A2P 10DLC - rate limits exceeded', cause: 'throttled', reason: 'carrier_rejected' },
  30023: { title: 'US A2P 10DLC - daily message cap reached', cause: 'throttled', reason: 'carrier_rejected' },
  30027: { title: 'US A2P 10DLC - T-Mobile daily message limit', cause: 'throttled', reason: 'carrier_rejected' },
  30032: { title: 'Toll-free number has not been verified', cause: 'unavailable', reason: 'carrier_rejected' },
  30033: { title: 'US A2P 10DLC - campaign suspended', cause: 'unavailable', reason: 'carrier_rejected' },
  30034: { title: 'US A2P 10DLC - unregistered number', cause: 'unavailable', reason: 'carrier_rejected' },
  30035: { title: 'US A2P 10DLC - number still being configured', cause: 'unavailable', reason: 'carrier_rejected' },
  30036: { title: 'Validity period expired', cause: 'unavailable', reason: 'expired' },
  30410: { title: 'Provider timeout error', cause: 'unavailable' },
  30450: { title: 'Message delivery blocked', cause: 'blacklisted', reason: 'blacklisted' },
  90010: { title: 'Account is not active', cause: 'credit' },
};

/** HTTP statuses that are certain refusals even without an error body (twilio.com/docs/usage/twilios-response). */
export const TWILIO_STATUSES: Readonly<Record<number, Cause>> = { 401: 'credentials', 429: 'throttled' };

/**
 * Twilio message statuses (twilio.com/docs/messaging/api/message-resource, status values). Unlisted ones do not change an accepted message.
 */
export const TWILIO_RECEIPTS: Readonly<Record<string, Receipt['status']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'undelivered',
  failed: 'failed',
  canceled: 'failed',
};
