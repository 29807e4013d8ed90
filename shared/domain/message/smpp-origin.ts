import type { Id } from '../core/ids.ts';

/** Of which final statuses a receipt is wanted (SMPP 3.4, 5.2.17). */
export const RECEIPT_WISHES = ['never', 'always', 'failure', 'success'] as const;
export type ReceiptWish = (typeof RECEIPT_WISHES)[number];

/** What one submit_sm or data_sm of a message was answered with, and the receipts that it asked for. */
export interface SmppReceipt {
  /** The `message_id` that it was answered with; absent where it is the message's own, which it is unless the message came in parts. */
  readonly id?: string | undefined;
  readonly wants: ReceiptWish;
  /** A notification when the message has left is wanted, too. */
  readonly intermediate?: true | undefined;
}

/** The parts that a message was put together of (docs/spec/smpp.md#messages-in-parts), as they were then. */
export interface AssembledFrom {
  readonly id: Id<'smppParts'>;
  readonly version: number;
  /** The part whose submitter was told what became of the message, and its characters; absent where nobody waited. */
  readonly last?: { readonly number: number; readonly characters: number } | undefined;
}

/** Which account submitted a message over SMPP: what becomes of it, and what answers it, is told to that account. */
export interface SmppOrigin {
  readonly accountId: Id<'smppAccount'>;
  /** One for a whole message; for a message in parts one a part, in the order of the parts. */
  readonly receipts: readonly SmppReceipt[];
  readonly assembled?: AssembledFrom | undefined;
}
