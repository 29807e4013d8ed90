import { treeSelection } from '../../domain/audience/selection.ts';
import { enterCurrent } from '../../domain/journeys/enter-current.ts';
import { moveDueRun } from '../../domain/journeys/move-run.ts';
import { sweepRuns } from '../../domain/journeys/sweep-runs.ts';
import { setOff } from '../../domain/journeys/triggers.ts';
import { treeOfSegment } from '../../domain/segments/segments.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { contactsOfNumbers } from '../../storage/contacts/contact-numbers.ts';
import { endJoin, joinedBelow, moveJoin, readJoin } from '../../storage/lists/list-joins.ts';
import { readMembers } from '../../storage/lists/stored-lists.ts';
import { isJourneyEntries, isListJoin, PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, publishWork, table } from '../process/aws.ts';
import { remainingMs } from '../process/scope.ts';
import { entryPorts } from '../runs/engine.ts';
import { journeys } from '../runs/store.ts';
import { segmentPorts } from '../segments/segments.ts';
import { enginePorts } from './engine.ts';

/** The time limit of a page and its position, in ms. */
const PAGE_MS = 8_000;
/** Contacts of a page. */
const PAGE = 192;
const timeLeft = () => remainingMs() > PAGE_MS;

type Members = Parameters<typeof enterCurrent>[0]['members'];

/** The members of a list or segment with numbers below one. */
const numbersBelow = async (
  ...[organizationId, source, below = Number.POSITIVE_INFINITY, limit]: Parameters<Members>
) => {
  if (source.kind === 'lista') {
    const members = await readMembers(table, organizationId, source.listId);
    const found: number[] = [];
    for (const number of members ?? []) {
      if (found.length === limit) break;
      if (number < below) found.push(number);
    }
    return found;
  }
  const segment = await segmentPorts.store.read(organizationId, source.segmentId);
  if (!segment) return [];
  const found = await segmentPorts.index.find(organizationId, treeSelection(treeOfSegment(segment), clock()));
  return found.numbers({ skip: 0, limit, below });
};

const members: Members = async (organizationId, source, below, limit) => {
  const numbers = await numbersBelow(organizationId, source, below, limit);
  const ids = await contactsOfNumbers(table, organizationId, numbers);
  const next = numbers.length < limit ? undefined : numbers.at(-1);
  return { ids: ids.filter((id) => id !== undefined), next };
};

/**
 * Enters contacts that joined a list in an edit into journeys, page by page, while there is time. Returns whether it is due again
 * immediately.
 */
const enterJoined = async (item: WorkItem): Promise<boolean> => {
  for (let join = await readJoin(table, item); join; join = await readJoin(table, item)) {
    const { organizationId, listId, edit, at } = join;
    const numbers = await joinedBelow(table, join, PAGE);
    const ids = await contactsOfNumbers(table, organizationId, numbers);
    const cause = { key: `list ${listId} ${edit}`, at };
    const candidates = ids.flatMap((contactId) => (contactId ? [{ contactId, cause }] : []));
    await setOff(entryPorts, organizationId, { kind: 'lista', target: listId }, candidates);
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < PAGE) {
      await endJoin(table, join);
      return false;
    }
    await moveJoin(table, join, last);
    if (!timeLeft()) return true;
  }
  return false;
};

/** Advances a run that is due. */
export const processRun = (item: WorkItem): Promise<void> => moveDueRun(enginePorts, PARSE_KEY.run(item));

const processPart = (item: WorkItem): Promise<boolean> => {
  if (isListJoin(item)) return enterJoined(item);
  const id = PARSE_KEY.journey(item);
  return isJourneyEntries(item)
    ? enterCurrent({ ...entryPorts, jobs: journeys, members, timeLeft }, id)
    : sweepRuns({ ...enginePorts, jobs: journeys, timeLeft }, id);
};

/**
 * Continues the background work of an activation, a pause or an archiving on a journey's runs and entries, or of contacts that joined a
 * list.
 */
export const processJourneyWork = async (item: WorkItem): Promise<void> => {
  const hasMore = await processPart(item);
  const { organizationId: owner, kind, pk, sk } = item;
  if (hasMore && owner) publishWork([{ kind, pk, sk, owner }]);
};
