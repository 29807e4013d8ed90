import { bandEdges } from '../../domain/pricing/prices.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { checkLanes } from '../../storage/wallet/recall.ts';
import { clock, table } from '../process/aws.ts';
import { prices } from './quote.ts';

/** Adjusts the number of a wallet's lanes to its traffic, and returns the coins and positions of closed ones. */
export const processLaneCheck = async (item: WorkItem): Promise<void> => {
  const { table: rows } = await prices();
  await checkLanes(table, PARSE_KEY.wallet(item), bandEdges(rows, 'sms'), clock());
};
