import * as z from 'zod';
import type { ReceiptEvent } from '../domain/messages/provider.ts';
import { type ParkedReceipt, receiptFingerprint } from '../domain/messages/receipts.ts';
import type { DueHint } from '../queues/queues.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Row, Table } from './table.ts';

/** A receipt that no message claims is forgotten after this time. */
const KEEP_SECONDS = 7 * 24 * 3600;

const receiptRow = z.object({
  messageId: z.string(),
  fingerprint: z.string(),
  event: z.custom<ReceiptEvent>(
    (value) => typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'receipt',
  ),
});
const parse = (row: Row): ParkedReceipt => receiptRow.parse(row);

/** The hint to apply a receipt. */
export const receiptHint = (messageId: string, fingerprint: string): DueHint => ({
  kind: 'apply_receipt',
  ...KEYS.receipt(messageId, fingerprint),
});

/** Receipts on their way to their messages. */
export const receiptStore = (table: Table) => ({
  /** Keeps a receipt, due at once. The same one twice is one row. */
  async park(messageId: string, event: ReceiptEvent, now: number): Promise<ParkedReceipt> {
    const receipt = { messageId, fingerprint: receiptFingerprint(event), event };
    const key = KEYS.receipt(messageId, receipt.fingerprint);
    await table.write({
      put: {
        ...key,
        ...FINDS.due('apply_receipt', messageId, now),
        ...receipt,
        ttl: Math.ceil(now / 1000) + KEEP_SECONDS,
      },
    });
    return receipt;
  },
  async parkedReceipt(messageId: string, fingerprint: string): Promise<ParkedReceipt | undefined> {
    const row = await table.get(KEYS.receipt(messageId, fingerprint));
    return row ? parse(row) : undefined;
  },
  async parkedReceipts(messageId: string): Promise<readonly ParkedReceipt[]> {
    const { rows } = await table.query({
      partition: KEYS.message(messageId).pk,
      sort: { text: 'begins_with(#sk, :receipts)', values: { receipts: 'RCPT#' } },
      consistent: true,
      limit: 20,
    });
    return rows.map(parse);
  },
  async postponeReceipt({ messageId, fingerprint }: ParkedReceipt, at: number): Promise<void> {
    await table.write({
      update: KEYS.receipt(messageId, fingerprint),
      set: { dueAt: at },
      when: { text: 'attribute_exists(#pk)' },
    });
  },
  async dropReceipt({ messageId, fingerprint }: ParkedReceipt): Promise<void> {
    await table.write({ delete: KEYS.receipt(messageId, fingerprint) });
  },
  /** The message that a provider's own reference stands for. */
  async correlate(provider: string, reference: string): Promise<string | undefined> {
    const row = await table.get(KEYS.correlation(provider, reference), { eventual: true });
    return row ? z.string().parse(row.messageId) : undefined;
  },
});
