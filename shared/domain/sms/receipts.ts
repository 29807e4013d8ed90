import { createHash } from 'node:crypto';
import { newEvent } from '../events/event.ts';
import { advances, type MessageRecord } from '../messages/message.ts';
import { isoTime } from '../time.ts';
import { smsEventData } from './events.ts';
import type { SmsPorts } from './ports.ts';
import type { SmsCallbackEvent } from './provider.ts';
import { sandboxOutcome } from './sandbox.ts';

export type SmsReceiptEvent = Extract<SmsCallbackEvent, { kind: 'receipt' }>;

/** A receipt that waits for its message to be settled; `fingerprint` makes the same receipt twice one. */
export interface ParkedReceipt {
  readonly messageId: string;
  readonly fingerprint: string;
  readonly event: SmsReceiptEvent;
}

/** What makes two receipts the same. */
export const receiptFingerprint = ({ providerMessageId, status, reason }: SmsReceiptEvent): string =>
  createHash('sha256')
    .update(`${providerMessageId}\n${status}\n${reason ?? ''}`)
    .digest('base64url')
    .slice(0, 22);

export interface ReceiptPorts extends SmsPorts {
  readonly parkedReceipt: (messageId: string, fingerprint: string) => Promise<ParkedReceipt | undefined>;
  /** Looks again at this moment (ms). */
  readonly postponeReceipt: (receipt: ParkedReceipt, at: number) => Promise<void>;
  readonly dropReceipt: (receipt: ParkedReceipt) => Promise<void>;
}

/** How long a receipt waits for a message under way before it is looked at again, in ms. */
const LOOK_AGAIN_MS = 2_000;
/** Tries against a message that moves at the same time. */
const TRIES = 5;

const EVENT_OF = { delivered: 'sms.delivered', failed: 'sms.failed', undelivered: 'sms.undelivered' } as const;

const advance = (
  ports: SmsPorts,
  message: MessageRecord,
  event: Omit<SmsReceiptEvent, 'kind' | 'providerMessageId'>,
  fingerprint?: string,
) => {
  const now = ports.clock();
  const moves = advances(message.status, event.status);
  const status = moves ? event.status : undefined;
  const reason = moves ? event.reason : message.reason;
  const type = status && status !== 'sent' ? EVENT_OF[status] : undefined;
  const detail = moves
    ? `${event.receipt.status}: ${event.status}`
    : `${event.receipt.status}: changes nothing after ${message.status}`;
  return ports.journal.advance(message, {
    // A status never stands before the one it follows, whatever the provider's clock says.
    at: Math.max(Math.min(event.at ?? now, now), message.sentAt ?? 0),
    recordedAt: now,
    ...(status ? { status } : {}),
    reason,
    receipt: event.receipt,
    decisions: [{ at: now, kind: 'receipt', detail }],
    events: type
      ? [
          newEvent({
            type,
            organizationId: message.organizationId,
            env: message.env,
            createdAt: now,
            data: smsEventData({ ...message, status: event.status, reason }),
          }),
        ]
      : [],
    ...(fingerprint ? { receiptFingerprint: fingerprint } : {}),
  });
};

/**
 * Applies a parked receipt, once, and only after its message was accepted; a late one never takes a status back
 * (faults 16 and 19). A receipt of a message whose provider gave no certain answer waits for the resolver, which takes it as proof.
 */
export const applyReceipt = async (ports: ReceiptPorts, messageId: string, fingerprint: string): Promise<void> => {
  for (let turn = 0; turn < TRIES; turn++) {
    const parked = await ports.parkedReceipt(messageId, fingerprint);
    if (!parked) return;
    const message = await ports.journal.read(messageId);
    if (!message) return ports.dropReceipt(parked);
    if (message.hold === 'open') return ports.postponeReceipt(parked, ports.clock() + LOOK_AGAIN_MS);
    if (await advance(ports, message, parked.event, fingerprint)) return;
  }
  throw new Error('the message moved at every try');
};

/** Plays the sandbox's delivery report of an accepted message (interface 4.1, rule 4). */
export const applySandboxOutcome = async (ports: SmsPorts, messageId: string): Promise<void> => {
  for (let turn = 0; turn < TRIES; turn++) {
    const message = await ports.journal.read(messageId);
    if (message?.status !== 'sent' || message.provider !== 'sandbox_provider') return;
    const outcome = sandboxOutcome(message.to);
    if (typeof outcome === 'string') return;
    const done = await advance(ports, message, {
      status: outcome.status,
      ...(outcome.reason && outcome.reason !== 'indeterminate' && outcome.reason !== 'abandoned'
        ? { reason: outcome.reason }
        : {}),
      receipt: {
        id: message.providerMessageId ?? message.id,
        type: 'api_message',
        to: message.to,
        reference: message.id,
        status: outcome.status.toUpperCase(),
        received: isoTime(ports.clock()),
        bill_factor: message.segments,
        channel: 'SMS',
      },
    });
    if (done) return;
  }
  throw new Error('the message moved at every try');
};
