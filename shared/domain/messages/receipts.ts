import { createHash } from 'node:crypto';
import { isoTime } from '../time.ts';
import { rulesOf } from './channels.ts';
import { eventsOfStatus } from './events.ts';
import { advances, type MessageRecord } from './message.ts';
import type { SendPorts } from './ports.ts';
import type { ReceiptEvent } from './provider.ts';
import { SANDBOX_OUTCOME_MS, type SandboxReport } from './sandbox.ts';

/** A receipt that waits for its message to be settled; `fingerprint` makes the same receipt twice one. */
export interface ParkedReceipt {
  readonly messageId: string;
  readonly fingerprint: string;
  readonly event: ReceiptEvent;
}

/** What makes two receipts the same. */
export const receiptFingerprint = ({ providerMessageId, status, reason }: ReceiptEvent): string =>
  createHash('sha256')
    .update(`${providerMessageId}\n${status}\n${reason ?? ''}`)
    .digest('base64url')
    .slice(0, 22);

export interface ReceiptPorts extends SendPorts {
  readonly parkedReceipt: (messageId: string, fingerprint: string) => Promise<ParkedReceipt | undefined>;
  /** Looks again at this moment (ms). */
  readonly postponeReceipt: (receipt: ParkedReceipt, at: number) => Promise<void>;
  readonly dropReceipt: (receipt: ParkedReceipt) => Promise<void>;
}

/** How long a receipt waits for a message under way before it is looked at again, in ms. */
const LOOK_AGAIN_MS = 2_000;
/** Tries against a message that moves at the same time. */
const TRIES = 5;

type Report = Omit<ReceiptEvent, 'kind' | 'providerMessageId'>;

/** Moves a message on by a report; a late one is only noted. */
const advance = (
  ports: SendPorts,
  message: MessageRecord,
  report: Report,
  more: { readonly receiptFingerprint?: string; readonly outcomeAt?: number | undefined },
) => {
  const now = ports.clock();
  const moves = advances(message.status, report.status);
  const reason = moves ? report.reason : message.reason;
  const via = moves ? (report.via ?? message.via) : message.via;
  const said = report.receipt?.status ?? report.status;
  const detail = moves ? `${said}: ${report.status}` : `${said}: changes nothing after ${message.status}`;
  return ports.journal.advance(message, {
    // A status never stands before the one it follows, whatever the provider's clock says.
    at: Math.max(Math.min(report.at ?? now, now), message.sentAt ?? 0),
    recordedAt: now,
    ...(moves ? { status: report.status } : {}),
    reason,
    via,
    receipt: report.receipt,
    decisions: [{ at: now, kind: 'receipt', detail }],
    events: moves && report.status !== 'sent' ? eventsOfStatus({ ...message, reason, via }, report.status, now) : [],
    ...more,
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
    if (await advance(ports, message, parked.event, { receiptFingerprint: fingerprint })) return;
  }
  throw new Error('the message moved at every try');
};

/** The sandbox's receipt, in the words of a provider's. */
const sandboxReceipt = (message: MessageRecord, status: string, at: number): ReceiptEvent['receipt'] =>
  message.channel === 'sms'
    ? {
        id: message.providerMessageId ?? message.id,
        type: 'api_message',
        to: message.to,
        reference: message.id,
        status: status.toUpperCase(),
        received: isoTime(at),
        bill_factor: message.units,
        channel: 'SMS',
      }
    : undefined;

/** The reports that the sandbox has still to make of a message, in order. */
const reportsLeft = (message: MessageRecord): readonly SandboxReport[] => {
  const play = rulesOf(message.channel).sandbox(message.to);
  if (play.kind === 'refused') return [];
  const hasFallback = message.channel === 'rcs' && message.content.fallback !== undefined;
  return play.reports
    .map((report) => (hasFallback ? (report.unlessFallback ?? report) : report))
    .filter(({ status }) => advances(message.status, status));
};

/**
 * Plays the sandbox's next delivery report of an accepted message (interface 4.1, rule 4). `seen` is the message as a batch read it:
 * when it has moved since, it is read again.
 */
export const applySandboxOutcome = async (
  ports: SendPorts,
  messageId: string,
  seen?: MessageRecord | undefined,
): Promise<void> => {
  for (let turn = 0; turn < TRIES; turn++) {
    const message = (turn === 0 && seen) || (await ports.journal.read(messageId));
    if (message?.hold !== 'captured' || message.provider !== 'sandbox_provider') return;
    const [report, ...rest] = reportsLeft(message);
    if (!report) return;
    const now = ports.clock();
    const outcomeAt = rest.length > 0 ? now + SANDBOX_OUTCOME_MS : undefined;
    const { unlessFallback: _, ...said } = report;
    const played = { ...said, at: now, receipt: sandboxReceipt(message, report.status, now) } as Report;
    if (await advance(ports, message, played, { outcomeAt })) {
      if (outcomeAt !== undefined) ports.hintOutcome(message.id, outcomeAt);
      return;
    }
  }
  throw new Error('the message moved at every try');
};
