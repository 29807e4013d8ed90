import type { Decision, MessageRecord } from './message.ts';

/** What an original says of itself once another message took its place (interface 2.10): the pointer, and its first error for good. */
export const archivedBy = (
  { lastError, originalError, reason }: MessageRecord,
  replacement: MessageRecord,
): { readonly lastError: string; readonly originalError: string | undefined; readonly decision: Decision } => ({
  lastError: `Replaced by ${replacement.id}.`,
  originalError: originalError ?? lastError ?? reason,
  decision: { at: replacement.createdAt, kind: 'operator', detail: `replaced by ${replacement.id}` },
});
