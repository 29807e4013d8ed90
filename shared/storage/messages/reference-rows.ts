import type { MessageRecord } from '../../domain/message/message.ts';
import type { Settlement } from '../../domain/sending/message-store.ts';
import { KEYS } from '../access-patterns.ts';
import type { Row } from '../client/row.ts';
import { lastSentRows } from './last-sent.ts';

/** A correlation is kept as long as a provider may still report on the message. */
const CORRELATION_SECONDS = 30 * 24 * 3600;

/**
 * The rows by which callbacks find a message: by its provider's references, and as the organization's last message to its recipient.
 * Written before it is settled, and harmless if it never is: until then a callback is pending.
 */
export const referenceRows = (
  { organizationId, id: messageId }: MessageRecord,
  { lastSent, provider, correlations, at }: Settlement,
): Row[] => {
  const ttl = Math.ceil(at / 1000) + CORRELATION_SECONDS;
  return [
    ...correlations.map((reference) => ({ ...KEYS.correlation(provider, reference), messageId, ttl })),
    ...(lastSent === undefined
      ? []
      : [{ ...lastSentRows.write({ organizationId, messageId, at }, provider, lastSent), ttl }]),
  ];
};
