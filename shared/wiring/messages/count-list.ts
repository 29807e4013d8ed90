import type { WorkItem } from '../../queues/queues.ts';
import { rowKey } from '../../storage/due-work/rows-of-kind.ts';
import { countListOn } from '../../storage/messages/count-list.ts';
import { publishWork } from '../process/aws.ts';
import { listReading } from './lists.ts';

/** Counts more of a list of messages, and hands the rest on. */
export const processListCounting = async (item: WorkItem): Promise<void> => {
  const { organizationId: owner = 'stage', ...work } = item;
  if (await countListOn(listReading, rowKey(item))) publishWork([{ ...work, owner }]);
};
