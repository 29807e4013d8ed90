import { undecidedMessages } from '../bulk/prepare.ts';
import type { Contact } from '../contacts/contact.ts';
import { campaignKey } from '../sending/automated.ts';
import type { Campaign } from './campaign.ts';
import { SENT_BEFORE, UNDECIDED_MS } from './judge.ts';
import type { PortionPorts } from './ports.ts';

type Recipient = readonly [number: number, contact: Contact];

/** Recipients by whether the campaign already wrote to a contact that was merged into theirs since. */
export interface WrittenBefore {
  /** Recipients without an earlier message. */
  readonly open: readonly Recipient[];
  readonly skipped: readonly (readonly [number: number, reason: string])[];
  /** When the undecided ones are retried (ms); absent if there are none. */
  readonly retryAt?: number | undefined;
}

/**
 * Finds recipients that already have a message of the campaign under a contact that was merged into theirs: one person gets one message,
 * however many contacts were merged. No cost without merges; otherwise one round trip per 100 merged contacts.
 */
export const writtenBefore = async (
  ports: Pick<PortionPorts, 'bulk' | 'clock'>,
  campaign: Campaign,
  recipients: readonly Recipient[],
): Promise<WrittenBefore> => {
  const earlier = recipients.flatMap(([number, { mergedContacts = [] }]) =>
    mergedContacts.map(({ id }) => ({ number, id })),
  );
  if (earlier.length === 0) return { open: recipients, skipped: [] };
  const now = ports.clock();
  const keys = earlier.map(({ id }) => campaignKey(campaign.id, id).callerKey);
  const records = await ports.bulk.idempotencyRecords(campaign.organizationId, keys, now);
  const messages = records.flatMap((record, at) =>
    record?.messageId ? [{ number: earlier[at]?.number, messageId: record.messageId }] : [],
  );
  const undecided = await undecidedMessages(
    ports.bulk,
    messages.map(({ messageId }) => messageId),
  );
  const numbersOf = (isUndecided: boolean) =>
    new Set(messages.filter(({ messageId }) => undecided.has(messageId) === isUndecided).map(({ number }) => number));
  const [written, waiting] = [numbersOf(false), numbersOf(true)];
  return {
    open: recipients.filter(([number]) => !written.has(number) && !waiting.has(number)),
    skipped: [...written].flatMap((number) => (number === undefined ? [] : [[number, SENT_BEFORE] as const])),
    ...(waiting.size > 0 ? { retryAt: now + UNDECIDED_MS } : {}),
  };
};
