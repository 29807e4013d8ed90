import type { MessageRecord, MessageStatus } from './message.ts';
import type { SmppReceipt } from './smpp-origin.ts';

/** Whether a submit_sm requested a report of a status: an intermediate one, or the final status. */
export const isReportWanted = ({ wants, intermediate }: SmppReceipt, status: MessageStatus): boolean => {
  switch (status) {
    case 'sent':
      return intermediate === true;
    case 'delivered':
      return wants === 'always' || wants === 'success';
    case 'failed':
    case 'undelivered':
      return wants === 'always' || wants === 'failure';
    default:
      return false;
  }
};

/**
 * The ids under which a status is reported, in the order of the message's parts; empty if it was not submitted over
 * SMPP.
 */
export const reportedIds = (
  { id, smpp }: Pick<MessageRecord, 'id' | 'smpp'>,
  status: MessageStatus,
): readonly string[] =>
  (smpp?.receipts ?? []).filter((receipt) => isReportWanted(receipt, status)).map((receipt) => receipt.id ?? id);
