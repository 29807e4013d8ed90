import { settleAccepted } from './dispatch.ts';
import { eventsOfStatus } from './events.ts';
import type { Decision, MessageRecord } from './message.ts';
import type { SendPorts } from './ports.ts';
import type { ParkedReceipt } from './receipts.ts';

/** How long one resolver has before another may take over, in ms. */
const TURN_MS = 15_000;
/** How long a receipt may still tell of a message whose provider cannot be asked, from when it left, in ms. */
const PATIENCE_MS = 90_000;

export interface ResolvePorts extends SendPorts {
  /** Receipts that arrived before the message was settled, oldest first. */
  readonly parkedReceipts: (messageId: string) => Promise<readonly ParkedReceipt[]>;
}

const release = async (
  ports: ResolvePorts,
  message: MessageRecord,
  reason: 'abandoned' | 'indeterminate',
  detail: string,
) => {
  const at = ports.clock();
  const released = await ports.journal.release(message, {
    at,
    reason,
    lastError: detail,
    decisions: [{ at, kind: 'resolution', detail: `${reason}: ${detail}; hold released`, coins: message.coins }],
    // Abandoned is certain, so the caller's retry may be a first send; indeterminate is not.
    freeKey: reason === 'abandoned',
    events: eventsOfStatus({ ...message, reason }, 'failed', at),
  });
  if (released)
    ports.observe.resolved(message.channel, reason, { organizationId: message.organizationId, messageId: message.id });
};

const settle = async (ports: ResolvePorts, message: MessageRecord, providerMessageId: string, detail: string) => {
  const decision: Decision = { at: ports.clock(), kind: 'resolution', detail, coins: message.coins };
  await settleAccepted(ports, message, providerMessageId, decision);
  ports.observe.resolved(message.channel, 'accepted', {
    organizationId: message.organizationId,
    messageId: message.id,
  });
};

/**
 * Resolves a hold whose sender did not: after a crash, or after an ambiguous answer. A receipt proves acceptance; else the
 * provider is asked; where it cannot be asked and no receipt comes in time, the message is `indeterminate` and refunded
 * (faults 2, 3, 11, 20). The raised fence shuts the first sender out before anything is decided.
 */
export const resolveSend = async (ports: ResolvePorts, messageId: string): Promise<void> => {
  const found = await ports.journal.read(messageId);
  const now = ports.clock();
  if (found?.hold !== 'open' || found.status === 'queued' || found.deadline > now) return;
  const message = await ports.journal.takeOver(found, now, now + TURN_MS);
  if (!message) return;
  const [receipt] = await ports.parkedReceipts(messageId);
  if (receipt)
    return settle(ports, message, receipt.event.providerMessageId, 'a receipt proved that the provider accepted');
  const leftAt = message.leavingAt ?? message.createdAt;
  const provider = await ports.routing.provider(message.channel, message.provider);
  if (provider?.inquire) {
    const answer = await provider.inquire(message.id, leftAt);
    if (answer.kind === 'accepted')
      return settle(ports, message, answer.providerMessageId, 'the provider confirmed that it accepted');
    if (answer.kind === 'not_found')
      return release(ports, message, 'abandoned', 'the provider has no message of ours by this id');
  }
  if (now - leftAt >= PATIENCE_MS)
    return release(ports, message, 'indeterminate', 'the provider could not tell and no receipt came');
};
