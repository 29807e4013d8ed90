import type { MessageRecord, MessageStatus } from './message.ts';
import type { SmppReceipt } from './smpp-origin.ts';

/** Whether a submit_sm asked to be told of a status: that its message has left, or what finally became of it. */
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

/** The ids that a status is to be reported under, in the order of the parts of the message; none for what did not come over SMPP. */
export const reportedIds = (
  { id, smpp }: Pick<MessageRecord, 'id' | 'smpp'>,
  status: MessageStatus,
): readonly string[] =>
  (smpp?.receipts ?? []).filter((receipt) => isReportWanted(receipt, status)).map((receipt) => receipt.id ?? id);
