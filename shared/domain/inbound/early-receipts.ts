import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { MessageRecord } from '../message/message.ts';
import type { ReceiptEvent } from '../message/provider-port.ts';
import { type TakeReceiptPorts, takeReceipt } from '../sending/apply-receipt.ts';

/*
 * Receipts of providers that name a message by their own id only. Such a receipt may come before the message has that id: within
 * milliseconds of the provider's answer, before it, or after a call that timed out and before recovery has found the answer. So it waits,
 * and is matched again (docs/spec/callbacks.md#receipts).
 */

/** When receipts are matched again, in ms after the first of them came; after the last time they belong to no message of ours. */
const TRIES_MS = [2_000, 10_000, 30_000, 90_000, 300_000] as const;
/** The longest receipt that waits, as JSON: providers' are about 300 characters. */
const MAX_LENGTH = 1_000;
/** Different receipts of one id that wait. A provider reports a few statuses of a message, and repeats are not counted. */
export const MAX_EARLY_RECEIPTS = 8;
/** Attempts against further receipts of the same id that come meanwhile. */
const MAX_ATTEMPTS = 5;

/** A message, by its provider's id of it. */
export interface ProviderReference {
  readonly provider: string;
  readonly channel: Channel;
  readonly reference: string;
}

/** The receipts that wait for the message of a reference. */
export interface EarlyReceipts extends ProviderReference {
  /** When the first of them came (ms). */
  readonly since: number;
  /** In the order in which they came, and without the recipient: the message has it, and a stranger's is not stored. */
  readonly receipts: readonly ReceiptEvent[];
}

export interface KeepEarlyPorts {
  readonly clock: () => number;
  /** Adds a receipt to those of its reference, and makes new ones due. `full`: there are as many as may wait. */
  readonly keepEarlyReceipt: (
    of: ProviderReference,
    receipt: ReceiptEvent,
    times: { readonly now: number; readonly dueAt: number },
  ) => Promise<'full' | 'kept' | 'repeated'>;
}

/** Ports of the later tries; `Place` is where the receipts of a reference are. */
export interface MatchEarlyPorts<Place> extends TakeReceiptPorts {
  /** The receipts as they are now; undefined once they are gone. */
  readonly earlyReceipts: (place: Place) => Promise<EarlyReceipts | undefined>;
  /** The message with a provider's id, also one whose row was written just now. */
  readonly correlate: (provider: string, reference: string) => Promise<Id<'message'> | undefined>;
  /** Makes them due again at `at` (ms). */
  readonly postponeEarlyReceipts: (early: EarlyReceipts, at: number) => Promise<void>;
  /** Deletes them; false if others came since they were read, or they are gone. */
  readonly dropEarlyReceipts: (early: EarlyReceipts) => Promise<boolean>;
  /** Counts receipts that belong to no message of ours. */
  readonly countUnmatched: (provider: string, count: number) => void;
}

/** A message, if this provider sent it: after a failover, events of the provider that refused it are ignored. */
export const ifSentBy = (
  { channel, provider }: Omit<ProviderReference, 'reference'>,
  message: MessageRecord | undefined,
): MessageRecord | undefined => (message?.provider === provider && message.channel === channel ? message : undefined);

const withRecipient = (event: ReceiptEvent, to: string): ReceiptEvent =>
  event.receipt ? { ...event, receipt: { ...event.receipt, to } } : event;

/** Stores a receipt that has no message yet. `unmatched` if it is too long, or one too many of its id: that bounds what is stored. */
export const keepEarlyReceipt = async (
  ports: KeepEarlyPorts,
  { provider, channel }: Omit<ProviderReference, 'reference'>,
  event: ReceiptEvent,
): Promise<'pending' | 'repeated' | 'unmatched'> => {
  const receipt = withRecipient(event, '');
  if (JSON.stringify(receipt).length > MAX_LENGTH) return 'unmatched';
  const now = ports.clock();
  const of = { provider, channel, reference: event.providerMessageId };
  const outcome = await ports.keepEarlyReceipt(of, receipt, { now, dueAt: now + TRIES_MS[0] });
  if (outcome === 'full') return 'unmatched';
  return outcome === 'kept' ? 'pending' : 'repeated';
};

const takeAll = async <Place>(ports: MatchEarlyPorts<Place>, message: MessageRecord, early: EarlyReceipts) => {
  // One after the other: at once they would compete for the message.
  for (const event of early.receipts) await takeReceipt(ports, message, withRecipient(event, message.to));
};

/**
 * Takes the receipts of a reference as those of its message, once it has one; else makes them due again, and drops them after the last
 * try. Safe under repeats, at any time, and while further receipts come.
 */
export const matchEarlyReceipts = async <Place>(ports: MatchEarlyPorts<Place>, place: Place): Promise<void> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const early = await ports.earlyReceipts(place);
    if (!early) return;
    const id = await ports.correlate(early.provider, early.reference);
    const message = ifSentBy(early, id && (await ports.messageStore.read(id)));
    if (message) await takeAll(ports, message, early);
    else {
      const next = TRIES_MS.map((ms) => early.since + ms).find((at) => at > ports.clock());
      if (next !== undefined) return ports.postponeEarlyReceipts(early, next);
    }
    if (await ports.dropEarlyReceipts(early)) {
      if (!message) ports.countUnmatched(early.provider, early.receipts.length);
      return;
    }
  }
  throw new Error('further receipts of the message came at every try');
};
