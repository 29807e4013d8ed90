import { channelOf } from '../channels/registry.ts';
import type { Id } from '../core/ids.ts';
import { type Decision, givenAt, type MessageRecord, wasQueued } from '../message/message.ts';
import { eventsOfStatus } from '../tracking/events.ts';
import type { PendingReceipt } from './apply-receipt.ts';
import { settleAccepted } from './dispatch.ts';
import type { SendPorts } from './ports.ts';

/** How long a recovery holds its claim before another worker may claim the message, in ms. */
const CLAIM_MS = 15_000;
/** How long to wait for a receipt when the provider has no status query, from the dispatch, in ms. */
const MAX_RECEIPT_WAIT_MS = 90_000;

/** Ports of recovery. */
export interface RecoverPorts extends SendPorts {
  /** Receipts that arrived before the message was settled, oldest first. */
  readonly pendingReceipts: (messageId: Id<'message'>) => Promise<readonly PendingReceipt[]>;
}

const release = async (
  ports: RecoverPorts,
  message: MessageRecord,
  reason: 'abandoned' | 'indeterminate',
  detail: string,
) => {
  const at = ports.clock();
  // Abandoned: certainly not sent. Indeterminate: it may have been sent.
  const certain = reason === 'abandoned';
  const released = await ports.messageStore.release(message, {
    at,
    reason,
    lastError: detail,
    decisions: [{ at, kind: 'resolution', detail: `${reason}: ${detail}; hold released`, coins: message.coins }],
    certain,
    freeKey: certain && !wasQueued(message),
    events: eventsOfStatus({ ...message, reason }, 'failed', at),
  });
  if (released)
    ports.observe.resolved(message.channel, reason, { organizationId: message.organizationId, messageId: message.id });
};

const settle = async (ports: RecoverPorts, message: MessageRecord, providerMessageId: string, detail: string) => {
  const decision: Decision = { at: ports.clock(), kind: 'resolution', detail, coins: message.coins };
  await settleAccepted(ports, message, providerMessageId, decision);
  ports.observe.resolved(message.channel, 'accepted', {
    organizationId: message.organizationId,
    messageId: message.id,
  });
};

/**
 * Resolves a hold that its sender left open: after a crash, or after an ambiguous answer. A receipt proves acceptance,
 * unless it reports the provider's refusal; otherwise the provider's status is queried; if neither decides in time, the message becomes `indeterminate` and is
 * refunded (docs/spec/sends.md#uncertain-answers). Raising the fence first excludes the original sender
 * (docs/spec/reliability.md#a-sender-that-is-taken-over).
 */
export const recoverSend = async (ports: RecoverPorts, messageId: Id<'message'>): Promise<void> => {
  const found = await ports.messageStore.read(messageId);
  const now = ports.clock();
  if (found?.hold !== 'open' || found.status === 'queued' || found.deadline > now) return;
  // The fan-out itself queries the status of each device.
  if (channelOf(found.channel).fansOut) return;
  const message = await ports.messageStore.claimExpired(found, now, now + CLAIM_MS);
  if (!message) return;
  const receipt = (await ports.pendingReceipts(messageId)).find(({ event }) => !event.refused);
  if (receipt)
    return settle(ports, message, receipt.event.providerMessageId, 'a receipt proved that the provider accepted');
  const dispatchedAt = givenAt(message);
  const provider = await ports.routing.provider(message.channel, message.provider);
  if (provider?.queryStatus) {
    const answer = await provider.queryStatus(message.id, dispatchedAt);
    if (answer.kind === 'accepted')
      return settle(ports, message, answer.providerMessageId, 'the provider confirmed that it accepted');
    if (answer.kind === 'not_found')
      return release(ports, message, 'abandoned', 'the provider has no message of ours by this id');
  }
  if (now - dispatchedAt >= MAX_RECEIPT_WAIT_MS)
    return release(ports, message, 'indeterminate', 'the provider could not tell and no receipt came');
};
