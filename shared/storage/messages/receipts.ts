import * as z from 'zod';
import { asId, type Id } from '../../domain/core/ids.ts';
import { PRIORITIES, type Priority, storedPriority } from '../../domain/core/priority.ts';
import type { QueuedMessage } from '../../domain/message/message.ts';
import type { ReceiptEvent } from '../../domain/message/provider-port.ts';
import { type PendingReceipt, receiptFingerprint } from '../../domain/sending/apply-receipt.ts';
import { type Publishable, workOf } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** A pending receipt that matches no message is deleted after this time. */
const KEEP_SECONDS = 7 * 24 * 3600;

export const isReceipt = (value: unknown): value is ReceiptEvent =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'receipt';
/** With the fields that its work item needs, absent from rows of earlier versions. */
interface StoredReceipt extends PendingReceipt {
  readonly organizationId?: Id<'organization'>;
  readonly priority?: Priority;
}
const receiptRows = defineRow<StoredReceipt>()({
  attributes: {
    messageId: id('message'),
    fingerprint: z.string(),
    event: z.custom<ReceiptEvent>(isReceipt),
    organizationId: id('organization').exactOptional(),
    priority: z.enum(PRIORITIES).exactOptional(),
  },
  key: (receipt) => KEYS.receipt(receipt.messageId, receipt.fingerprint),
});

/** The work item that applies a receipt. */
export const receiptWorkItem = (message: QueuedMessage, { fingerprint }: PendingReceipt): Publishable => ({
  kind: 'apply_receipt',
  ...KEYS.receipt(message.id, fingerprint),
  ...workOf(message),
});

/** Pending receipts. */
export const receiptStore = (table: Table) => ({
  /** Stores a receipt, due immediately. A duplicate is the same row. */
  async addPendingReceipt(message: QueuedMessage, event: ReceiptEvent, now: number): Promise<PendingReceipt> {
    const { id: messageId, organizationId } = message;
    const receipt = { messageId, fingerprint: receiptFingerprint(event), event };
    await table.write({
      put: {
        ...receiptRows.write({ ...receipt, organizationId, ...storedPriority(message) }),
        ...INDEX_KEYS.due('apply_receipt', messageId, now),
        ttl: Math.ceil(now / 1000) + KEEP_SECONDS,
      },
    });
    return receipt;
  },
  async pendingReceipt(messageId: Id<'message'>, fingerprint: string): Promise<PendingReceipt | undefined> {
    const row = await table.get(KEYS.receipt(messageId, fingerprint));
    return row && receiptRows.read(row);
  },
  async pendingReceipts(messageId: Id<'message'>): Promise<readonly PendingReceipt[]> {
    const { rows } = await table.query({
      partition: KEYS.message(messageId).pk,
      sort: { text: 'begins_with(#sk, :receipts)', values: { receipts: 'RCPT#' } },
      consistent: true,
      limit: 20,
    });
    return rows.map(receiptRows.read);
  },
  async postponeReceipt({ messageId, fingerprint }: PendingReceipt, at: number): Promise<void> {
    await table.write({
      update: KEYS.receipt(messageId, fingerprint),
      set: { dueAt: at },
      when: EXISTS,
    });
  },
  async dropReceipt({ messageId, fingerprint }: PendingReceipt): Promise<void> {
    await table.write({ delete: KEYS.receipt(messageId, fingerprint) });
  },
  /**
   * The message with a provider's reference: our own id, if the provider uses it, or the provider's. Misses one whose row was written
   * just now, unless `consistent`.
   */
  async correlate(
    provider: string,
    reference: string,
    { consistent = false } = {},
  ): Promise<Id<'message'> | undefined> {
    const own = asId('message', reference);
    if (own) return own;
    const row = await table.get(KEYS.correlation(provider, reference), { eventual: !consistent });
    return row ? id('message').parse(row.messageId) : undefined;
  },
});
