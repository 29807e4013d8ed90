import * as z from 'zod';
import { CHANNELS } from '../../domain/channels/registry.ts';
import {
  type EarlyReceipts,
  type KeepEarlyPorts,
  MAX_EARLY_RECEIPTS,
  type ProviderReference,
} from '../../domain/inbound/early-receipts.ts';
import type { ReceiptEvent } from '../../domain/message/provider-port.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { jsonText, time } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { digest } from '../key-parts.ts';
import type { PARSE_KEY } from '../parse-key.ts';
import { isReceipt } from './receipts.ts';

/** Rows are deleted after the last try; this is for those whose work came to a halt. */
const KEEP_SECONDS = 24 * 3600;

const asReceipt = (json: unknown): ReceiptEvent => {
  if (isReceipt(json)) return json;
  throw new TypeError('not a receipt');
};

const earlyRows = defineRow<EarlyReceipts>()({
  attributes: {
    provider: z.string(),
    channel: z.enum(CHANNELS),
    reference: z.string(),
    since: time,
    // As text: a condition compares texts, and a repeat is the same text.
    receipts: z.array(jsonText(asReceipt)),
  },
  key: ({ provider, reference }) => KEYS.earlyReceipts(provider, digest(reference)),
});

const keyOf = ({ provider, reference }: ProviderReference) => KEYS.earlyReceipts(provider, digest(reference));

/** The work item that matches the receipts of a reference. They belong to no organization yet. */
export const earlyReceiptsWork = (of: ProviderReference): Publishable => ({
  kind: 'apply_receipt',
  ...keyOf(of),
  owner: 'stage',
});

/** Receipts that wait for their message, in the table of a stage: one row for each id of a provider. */
export const earlyReceiptStore = (table: Table) => ({
  keepEarlyReceipt: async (
    of: ProviderReference,
    receipt: ReceiptEvent,
    { now, dueAt }: Parameters<KeepEarlyPorts['keepEarlyReceipt']>[2],
  ): Promise<'full' | 'kept' | 'repeated'> => {
    const { receipts, ...others } = earlyRows.set({ ...of, since: now, receipts: [receipt] });
    const [text] = receipts as readonly string[];
    const { ok, row } = await table.write({
      update: keyOf(of),
      append: { receipts: [text] },
      setOnce: {
        ...others,
        ...INDEX_KEYS.due('apply_receipt', digest(of.reference), dueAt),
        ttl: Math.ceil(now / 1000) + KEEP_SECONDS,
      },
      when: {
        text: 'attribute_not_exists(#receipts) OR (size(#receipts) < :most AND NOT contains(#receipts, :receipt))',
        values: { most: MAX_EARLY_RECEIPTS, receipt: text },
      },
    });
    if (ok) return 'kept';
    const isKnown = Array.isArray(row?.receipts) && row.receipts.includes(text);
    return isKnown ? 'repeated' : 'full';
  },
  earlyReceipts: async ({
    provider,
    referenceHash,
  }: ReturnType<typeof PARSE_KEY.earlyReceipts>): Promise<EarlyReceipts | undefined> => {
    const row = await table.get(KEYS.earlyReceipts(provider, referenceHash));
    return row && earlyRows.read(row);
  },
  postponeEarlyReceipts: async (early: EarlyReceipts, at: number): Promise<void> => {
    await table.write({ update: keyOf(early), set: { dueAt: at }, when: EXISTS });
  },
  dropEarlyReceipts: async (early: EarlyReceipts): Promise<boolean> => {
    const { receipts } = earlyRows.set({ receipts: early.receipts });
    const unchanged = { text: '#receipts = :receipts', values: { receipts } };
    return (await table.write({ delete: keyOf(early), when: unchanged })).ok;
  },
});
