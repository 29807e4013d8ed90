import type { ErrorTable } from '../meta/answers.ts';

/**
 * Errors of the Send API on Instagram (developers.facebook.com/documentation/business-messaging/messenger-platform/error-codes, as of March
 * 2026, and messenger-platform/reference/send-api/error-codes for 10/2018065). A subcode refines its code. The 2534xxx subcodes are
 * Instagram's own and not in any published table; they are mapped by the texts that apps report ("This message is sent outside of allowed
 * window" for 10/2534022, in ComposioHQ/composio, issue 3604).
 */
export const MESSAGING_API_ERRORS: ErrorTable = {
  '10/2018065': { cause: 'recipient', title: 'outside of the allowed window', reason: 'window_closed' },
  '10/2018278': { cause: 'recipient', title: 'outside of the allowed window', reason: 'window_closed' },
  '10/2534022': { cause: 'recipient', title: 'outside of the allowed window', reason: 'window_closed' },
  '100/2018001': { cause: 'recipient', title: 'no such recipient' },
  '100/2534014': { cause: 'recipient', title: 'the recipient cannot be found' },
  // Conversation routing assigned it to another app of the account; the content is fine.
  '100/2534037': { cause: 'sender', title: 'another app owns the conversation' },
  '200/1545041': { cause: 'recipient', title: 'the recipient is not available' },
  551: { cause: 'recipient', title: 'the recipient is not available' },
  1200: { cause: 'ambiguous', title: 'temporary failure of the send' },
  1545041: { cause: 'recipient', title: 'the recipient is not available' },
};
