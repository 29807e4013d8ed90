import type { Decision, MessageRecord } from './message.ts';

/** The fields that a message gets when a resend replaces it (docs/spec/messages.md#archive). `originalError` keeps the first error. */
export const archivedBy = (
  { lastError, originalError, reason }: MessageRecord,
  replacement: MessageRecord,
): { readonly lastError: string; readonly originalError: string | undefined; readonly decision: Decision } => ({
  lastError: `Replaced by ${replacement.id}.`,
  originalError: originalError ?? lastError ?? reason,
  decision: { at: replacement.createdAt, kind: 'operator', detail: `replaced by ${replacement.id}` },
});
