import type { Id } from '../core/ids.ts';

/** The final statuses for which a receipt is requested (SMPP 3.4, 5.2.17). */
export const RECEIPT_WISHES = ['never', 'always', 'failure', 'success'] as const;
export type ReceiptWish = (typeof RECEIPT_WISHES)[number];

/** The response to one submit_sm or data_sm of a message, and the receipts that it requested. */
export interface SmppReceipt {
  /** The `message_id` of the response; absent if it is the message's own, as it is unless the message came in parts. */
  readonly id?: string | undefined;
  readonly wants: ReceiptWish;
  /** An intermediate notification is requested, too: when the message was sent. */
  readonly intermediate?: true | undefined;
}

/** The parts of a concatenated message (docs/spec/smpp.md#messages-in-parts), at assembly. */
export interface AssembledFrom {
  readonly id: Id<'smppParts'>;
  readonly version: number;
  /**
   * The part whose submit response reported the send's result, and its length in characters; absent if no submitter
   * waited.
   */
  readonly last?: { readonly number: number; readonly characters: number } | undefined;
}

/** The account that submitted a message over SMPP, which receives its reports and replies. */
export interface SmppOrigin {
  readonly accountId: Id<'smppAccount'>;
  /** One for a whole message; for a message in parts one per part, in order. */
  readonly receipts: readonly SmppReceipt[];
  readonly assembled?: AssembledFrom | undefined;
}
