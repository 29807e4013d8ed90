import { createHash } from 'node:crypto';
import { channelOf } from '../channels/registry.ts';
import type { Id } from '../core/ids.ts';
import { advances, type MessageRecord, type QueuedMessage } from '../message/message.ts';
import type { ReceiptEvent } from '../message/provider-port.ts';
import { SANDBOX_REPORT_DELAY_MS, type SandboxReport } from '../message/sandbox.ts';
import { eventsOfStatus } from '../tracking/events.ts';
import { carrierRefund } from './carrier-price.ts';
import type { SendPorts } from './ports.ts';

/** A receipt stored until its message is settled; duplicates have the same fingerprint. */
export interface PendingReceipt {
  readonly messageId: Id<'message'>;
  readonly fingerprint: string;
  readonly event: ReceiptEvent;
}

/** Identifies duplicates of a receipt: the same provider id, status, reason and carrier. */
export const receiptFingerprint = ({ providerMessageId, status, reason, via }: ReceiptEvent): string =>
  createHash('sha256')
    .update(`${providerMessageId}\n${status}\n${reason ?? ''}${via === undefined ? '' : `\n${via}`}`)
    .digest('base64url')
    .slice(0, 22);

/** Ports of pending receipts. */
export interface ReceiptPorts extends SendPorts {
  readonly pendingReceipt: (messageId: Id<'message'>, fingerprint: string) => Promise<PendingReceipt | undefined>;
  /** Moves the receipt's due time (ms). */
  readonly postponeReceipt: (receipt: PendingReceipt, at: number) => Promise<void>;
  readonly dropReceipt: (receipt: PendingReceipt) => Promise<void>;
}

/** Ports of receipts as they come. */
export interface TakeReceiptPorts extends Pick<SendPorts, 'clock' | 'messageStore'> {
  /** Stores a receipt until it is applied. Idempotent. */
  readonly addPendingReceipt: (message: QueuedMessage, event: ReceiptEvent, now: number) => Promise<PendingReceipt>;
  /** Enqueues a pending receipt. Best effort. */
  readonly enqueueReceipt: (message: QueuedMessage, receipt: PendingReceipt) => void;
}

/** When to retry a receipt whose message is not settled yet, in ms. */
const RECHECK_MS = 2_000;
/** Attempts against concurrent changes of the message. */
const MAX_ATTEMPTS = 5;

type Report = Omit<ReceiptEvent, 'kind' | 'providerMessageId'>;

/** A report and the change that it makes, for the timeline. */
const detailOf = (message: MessageRecord, report: Report, namesCarrier: boolean): string => {
  const reported = report.receipt?.status ?? report.status;
  if (advances(message.status, report.status)) return `${reported}: ${report.status}`;
  if (namesCarrier) return `${reported}: carried by ${report.via}, still ${message.status}`;
  return `${reported}: changes nothing after ${message.status}`;
};

/**
 * Applies a report to a message. One that neither advances the status nor is the first to name the carrier is only recorded. The carrier is
 * named once: the price was settled by it, and a later report of another cannot change it.
 */
const advance = (
  ports: Pick<SendPorts, 'clock' | 'messageStore'>,
  message: MessageRecord,
  report: Report,
  more: { readonly receiptFingerprint?: string; readonly outcomeAt?: number | undefined },
) => {
  const now = ports.clock();
  const isAdvance = advances(message.status, report.status);
  const status = isAdvance ? report.status : message.status;
  const reason = isAdvance ? report.reason : message.reason;
  const namesCarrier = message.via === undefined && report.via !== undefined;
  const via = message.via ?? report.via;
  const refund = isAdvance || namesCarrier ? carrierRefund(message, { status, via }) : undefined;
  return ports.messageStore.advance(message, {
    // A status is never dated before `sentAt`, whatever the provider's clock says.
    at: Math.max(Math.min(report.at ?? now, now), message.sentAt ?? 0),
    recordedAt: now,
    ...(isAdvance ? { status } : {}),
    reason,
    ...(namesCarrier ? { via } : {}),
    refund,
    receipt: report.receipt,
    decisions: [
      { at: now, kind: 'receipt', detail: detailOf(message, report, namesCarrier) },
      ...(refund === undefined
        ? []
        : [{ at: now, kind: 'resolution', detail: `sent by ${via ?? message.channel}`, coins: refund } as const]),
    ],
    events: isAdvance && status !== 'sent' ? eventsOfStatus({ ...message, reason, via }, status, now) : [],
    ...more,
  });
};

/** Whether a message already shows what a receipt reports, including the provider's own status; a carrier is shown once one is known. */
const isRepeat = ({ status, reason, via, providerReceipt }: MessageRecord, event: ReceiptEvent): boolean =>
  status === event.status &&
  reason === event.reason &&
  providerReceipt?.status === event.receipt?.status &&
  (via !== undefined || event.via === undefined);

/**
 * Applies a receipt to a message whose hold is resolved; `message` as it was read. False when the hold is still open or every attempt met
 * a concurrent change: the receipt is then stored as pending. A duplicate writes nothing.
 */
export const applySettled = async (
  ports: Pick<SendPorts, 'clock' | 'messageStore'>,
  message: MessageRecord,
  event: ReceiptEvent,
): Promise<boolean> => {
  let current: MessageRecord | undefined = message;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (current?.hold !== 'captured' && current?.hold !== 'released') return false;
    if (isRepeat(current, event) || (await advance(ports, current, event, {}))) return true;
    current = await ports.messageStore.read(message.id);
  }
  return false;
};

/** Applies a receipt of a settled message immediately; stores an early one as pending until its message is settled. */
export const takeReceipt = async (
  ports: TakeReceiptPorts,
  message: MessageRecord,
  event: ReceiptEvent,
): Promise<'applied' | 'pending'> => {
  if (await applySettled(ports, message, event)) return 'applied';
  ports.enqueueReceipt(message, await ports.addPendingReceipt(message, event, ports.clock()));
  return 'pending';
};

/**
 * Applies a pending receipt once its message's hold is resolved; a late one never lowers a status
 * (docs/spec/reliability.md#receipts-in-any-order). After an uncertain provider answer the receipt waits for recovery, which takes it as proof.
 */
export const applyReceipt = async (
  ports: ReceiptPorts,
  messageId: Id<'message'>,
  fingerprint: string,
): Promise<void> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const pending = await ports.pendingReceipt(messageId, fingerprint);
    if (!pending) return;
    const message = await ports.messageStore.read(messageId);
    if (!message) return ports.dropReceipt(pending);
    if (message.hold === 'open') return ports.postponeReceipt(pending, ports.clock() + RECHECK_MS);
    if (await advance(ports, message, pending.event, { receiptFingerprint: fingerprint })) return;
  }
  throw new Error('the message moved at every try');
};

/** The sandbox reports not yet applied to a message, in order. */
const remainingReports = (message: MessageRecord): readonly SandboxReport[] => {
  const channel = channelOf(message.channel);
  const script = channel.sandbox(message.to);
  if (script.kind === 'refused') return [];
  const reports = channel.sandboxReports?.(message, script.reports) ?? script.reports;
  return reports.filter(({ status }) => advances(message.status, status));
};

/**
 * Applies the sandbox's next delivery report to an accepted message (docs/spec/sends.md#sandbox). `prefetched`: the message as read by a
 * batch; it is read again after a concurrent change.
 */
export const applySandboxReport = async (
  ports: SendPorts,
  messageId: Id<'message'>,
  prefetched?: MessageRecord | undefined,
): Promise<void> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const message = (attempt === 0 && prefetched) || (await ports.messageStore.read(messageId));
    if (message?.hold !== 'captured' || message.provider !== 'sandbox_provider') return;
    const [report, ...rest] = remainingReports(message);
    if (!report) return;
    const now = ports.clock();
    const outcomeAt = rest.length > 0 ? now + SANDBOX_REPORT_DELAY_MS : undefined;
    const receipt = channelOf(message.channel).sandboxReceipt?.(message, report.status, now);
    if (await advance(ports, message, { ...report, at: now, receipt } as Report, { outcomeAt })) {
      if (outcomeAt !== undefined) ports.enqueueSandboxReport(message, outcomeAt);
      return;
    }
  }
  throw new Error('the message moved at every try');
};
