import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { mergeChanges } from '../../storage/audience/merge.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { table } from '../process/aws.ts';
import { memberPorts } from '../segments/members.ts';
import { gramIndex } from './grams.ts';

/** Changed contacts after which a block is merged. */
const AT_LEAST = 16;
/** The latest merge of each organization in this process: items of one batch would only conflict with each other. */
const latest = new Map<Id<'organization'>, Promise<unknown>>();

/**
 * Updates the audience's index and segment members with a changed contact, and with others of its organization: of many items only the
 * first finds its mark still due. Throws if another process was faster.
 */
export const processChangedContact = async (item: WorkItem): Promise<void> => {
  const { organizationId, contactId } = PARSE_KEY.changedContact(item);
  const before = latest.get(organizationId) ?? Promise.resolve();
  const merging = before
    .catch(() => {})
    .then(async () => {
      if (!(await table.get(item, { only: ['duePk'] }))?.duePk) return;
      const ports = { ...memberPorts, indexOf: await gramIndex() };
      if (!(await mergeChanges(ports, organizationId, { atLeast: AT_LEAST, contactId })))
        throw new Unavailable('The index was merged by another process.');
    });
  latest.set(organizationId, merging);
  try {
    await merging;
  } finally {
    if (latest.get(organizationId) === merging) latest.delete(organizationId);
  }
};
