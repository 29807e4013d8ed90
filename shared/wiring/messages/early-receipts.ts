import { matchEarlyReceipts } from '../../domain/inbound/early-receipts.ts';
import type { ReceiptPorts } from '../../domain/sending/apply-receipt.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { earlyReceiptStore, earlyReceiptsWork } from '../../storage/messages/early-receipts.ts';
import { receiptStore, receiptWorkItem } from '../../storage/messages/receipts.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { publishWork, publishWorkAt, table } from '../process/aws.ts';
import { measure } from '../process/observe.ts';

const early = earlyReceiptStore(table);
const { addPendingReceipt, correlate } = receiptStore(table);

/** Matches receipts that came before their message had its provider's id. `ports`: those of outcomes. */
export const processEarlyReceipts = (
  item: WorkItem,
  { clock, messageStore }: Pick<ReceiptPorts, 'clock' | 'messageStore'>,
): Promise<void> =>
  matchEarlyReceipts(
    {
      ...early,
      clock,
      messageStore,
      addPendingReceipt,
      enqueueReceipt: (message, receipt) => publishWork([receiptWorkItem(message, receipt)]),
      correlate: (provider, reference) => correlate(provider, reference, { consistent: true }),
      postponeEarlyReceipts: async (found, at) => {
        await early.postponeEarlyReceipts(found, at);
        publishWorkAt([earlyReceiptsWork(found)], at);
      },
      countUnmatched: (provider, count) => measure({ provider, effect: 'unmatched' }, { Callbacks: count }),
    },
    PARSE_KEY.earlyReceipts(item),
  );
