import { Unavailable } from '../../domain/core/errors.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { mergeDirectory } from '../../storage/companies/directory-merge.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { table } from '../process/aws.ts';

/**
 * Updates an organization's directory with its changed companies: of many items only the first finds its mark still due. Throws if another
 * process was faster.
 */
export const processChangedCompany = async (item: WorkItem): Promise<void> => {
  const { organizationId } = PARSE_KEY.changedCompany(item);
  if (!(await table.get(item, { only: ['duePk'] }))?.duePk) return;
  if (!(await mergeDirectory(table, organizationId)))
    throw new Unavailable('The directory was merged by another process.');
};
