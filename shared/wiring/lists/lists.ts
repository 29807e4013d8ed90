import type { ListPorts, MemberPorts } from '../../domain/lists/ports.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { rowKey } from '../../storage/due-work/rows-of-kind.ts';
import { cleanUpEdit } from '../../storage/lists/clean-up.ts';
import { listStore } from '../../storage/lists/lists.ts';
import { memberStore } from '../../storage/lists/members.ts';
import { clock, publishWork, table, vaults } from '../process/aws.ts';
import { remainingMs } from '../process/scope.ts';

export const listPorts: ListPorts = { clock, store: listStore(table, clock) };

/** The time limit of a last attempt and the response, in ms: conflicts are retried until then. */
const LAST_ATTEMPT_MS = 5_000;
const untilLastAttempt = () => () => remainingMs() > LAST_ATTEMPT_MS;

export const memberPorts: MemberPorts = {
  members: memberStore(table, clock, vaults.recipients, untilLastAttempt, publishWork),
};

/** Cleans up after an edit of a list. */
export const processCleanUp = (item: WorkItem): Promise<void> => cleanUpEdit(table, clock, rowKey(item));
