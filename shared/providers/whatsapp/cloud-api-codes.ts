import type { ReceiptEvent } from '../../domain/message/provider-port.ts';
import { type ErrorTable, knownError } from '../meta/answers.ts';

/**
 * The Cloud API's error codes (developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes, as of August 2026)
 * that a send can meet, from its sections on authorization, integrity, throttling, templates, flows and sending. They come in the response
 * to a send or in a `failed` status. Codes that say "try again" without saying that nothing was sent are ambiguous. Left out, because our
 * sends never meet them: registration (133000, 133005, 133008, 133009, 133015, 133016, 136024), the marketing messages API (131055, 134100
 * to 134102), contact ids instead of phones (131062), template analytics and migration.
 */
export const CLOUD_API_ERRORS: ErrorTable = {
  33: { cause: 'sender', title: 'the phone number was deleted' },
  // The business blocked the person, in its app or through the Block Users API; only the business can undo it.
  130403: { cause: 'recipient', title: 'the business has blocked the recipient', reason: 'undeliverable' },
  130429: { cause: 'throttled', title: 'the throughput of the number is reached' },
  130472: { cause: 'recipient', title: 'the recipient is part of an experiment', reason: 'undeliverable' },
  130497: { cause: 'sender', title: 'the account may not message this country' },
  131000: { cause: 'ambiguous', title: 'something went wrong' },
  131005: { cause: 'credentials', title: 'access denied' },
  131008: { cause: 'content', title: 'a parameter is missing' },
  131009: { cause: 'content', title: 'a parameter is not valid' },
  131016: { cause: 'ambiguous', title: 'service unavailable' },
  131021: { cause: 'recipient', title: 'the recipient is the sender' },
  131026: { cause: 'recipient', title: 'the recipient cannot receive it', reason: 'undeliverable' },
  131030: { cause: 'recipient', title: 'the recipient is not on the list of the test number' },
  131031: { cause: 'sender', title: 'the account is locked' },
  131037: { cause: 'sender', title: 'the display name is not approved' },
  131042: { cause: 'credit', title: 'the business account cannot be billed' },
  131045: { cause: 'sender', title: 'the number is not registered rightly' },
  131047: { cause: 'recipient', title: 'more than 24 hours since the recipient wrote', reason: 'window_closed' },
  131048: { cause: 'throttled', title: 'too many messages of the number were blocked or flagged' },
  131049: { cause: 'recipient', title: 'not delivered to keep the platform healthy', reason: 'undeliverable' },
  131050: { cause: 'blacklisted', title: 'the recipient stopped marketing messages' },
  131051: { cause: 'content', title: 'unsupported type of message' },
  131052: { cause: 'content', title: 'the media could not be downloaded' },
  131053: { cause: 'content', title: 'the media could not be uploaded' },
  131056: { cause: 'throttled', title: 'too many messages to this recipient' },
  131057: { cause: 'unavailable', title: 'the account is in maintenance' },
  131063: { cause: 'sender', title: 'the account sends no marketing templates on this API' },
  // A penalty that lasts for days, so not worth a retry.
  131064: { cause: 'sender', title: 'the account is limited for wrong categories of templates' },
  132000: { cause: 'content', title: 'too few or too many variables', reason: 'invalid_template_variable' },
  132001: { cause: 'content', title: 'no such template in this language, or it is not approved' },
  132005: { cause: 'content', title: 'the translated text is too long', reason: 'invalid_template_variable' },
  132007: { cause: 'content', title: 'the template breaks a policy' },
  132012: { cause: 'content', title: 'a variable has not its format', reason: 'invalid_template_variable' },
  132015: { cause: 'content', title: 'the template is paused' },
  132016: { cause: 'content', title: 'the template is disabled' },
  132018: { cause: 'content', title: 'a variable breaks the rules', reason: 'invalid_template_variable' },
  132068: { cause: 'content', title: 'the flow is blocked' },
  132069: { cause: 'throttled', title: 'the flow is throttled' },
  133004: { cause: 'ambiguous', title: 'server temporarily unavailable' },
  133006: { cause: 'sender', title: 'the number must be verified again' },
  133010: { cause: 'sender', title: 'the number is not registered' },
  134011: { cause: 'sender', title: 'the terms of payments are not accepted' },
  // "Failed to send because of an unknown error with your request parameters": certainly refused, because of the request.
  135000: { cause: 'content', title: 'an unknown fault of the parameters' },
  2494100: { cause: 'unavailable', title: 'the number is in maintenance' },
};

/** Reasons of a message that was accepted and then failed, by the error's cause. */
const REASONS: Readonly<Record<string, string>> = {
  blacklisted: 'blacklisted',
  content: 'content_rejected',
  recipient: 'invalid_recipient',
};

/** Reason and loggable description of a failure; `undeliverable` if the error is unknown or not about the message. */
export const failureOf = (code: number): { readonly reason: string; readonly description: string } => {
  const known = knownError(CLOUD_API_ERRORS, { code });
  return {
    reason: known?.reason ?? REASONS[known?.cause ?? ''] ?? 'undeliverable',
    description: `${code}${known ? `: ${known.title}` : ''}`,
  };
};

/** Our status by the Cloud API's (webhooks/reference/messages/status); others, such as `played`, change nothing. */
export const STATUSES: Readonly<Record<string, ReceiptEvent['status']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
};
