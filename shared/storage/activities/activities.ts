import { type Activity, LINK_FIELDS } from '../../domain/activities/activity.ts';
import type { MomentPorts } from '../../domain/activities/moments.ts';
import type { ActivityOutcome, ActivityStore, LinkField } from '../../domain/activities/ports.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countWrite } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import { type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import type { Table } from '../client/table.ts';
import { checkCardLink, checkCompanyLink, linkWrite } from '../crm/links.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { readOwnRow, readRow } from '../read-row.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { activityPage } from './activity-list.ts';
import { activityRows, stateOf } from './activity-rows.ts';
import { readShown } from './shown.ts';

type Counter = 'doneActivities' | 'openActivities';
const counterOf = (activity: Activity): Counter => (stateOf(activity) === 'open' ? 'openActivities' : 'doneActivities');

const count = (activity: Activity, by: 1 | -1): WriteOp =>
  countWrite(activity.organizationId, counterOf(activity), activity.id, by);

/** The writes that delete an activity, if unchanged since it was read. */
export const activityDeletion = (activity: Activity): WriteOp[] => {
  const { id, version } = activity;
  const when = { text: '#version = :version', values: { version } };
  return [{ delete: KEYS.activity(id), when }, count(activity, -1)];
};

/** The conditions that the objects of new links exist. */
const linkWrites = (before: Activity | undefined, after: Activity): readonly (readonly [LinkField, WriteOp])[] => {
  const { id, organizationId, cardId, contactId, companyId } = after;
  const writes: Readonly<Record<LinkField, WriteOp | undefined>> = {
    cardId: cardId && checkCardLink(organizationId, cardId),
    contactId: contactId && linkWrite(organizationId, contactId),
    companyId: companyId && checkCompanyLink(organizationId, companyId, id),
  };
  return LINK_FIELDS.flatMap((field) => {
    const write = after[field] === before?.[field] ? undefined : writes[field];
    return write ? [[field, write] as const] : [];
  });
};

const outcomeOf = (outcome: CommitOutcome, links: ReturnType<typeof linkWrites>): ActivityOutcome => {
  if (outcome.kind !== 'refused') return outcome.kind;
  const [field] = links[outcome.at] ?? [];
  return field ? { unknown: field } : 'conflict';
};

const readOne = async (table: Table, activity: Activity | undefined): Promise<Activity | undefined> =>
  activity && (await readShown(table, activity.organizationId, [activity]))[0];

/** Activities in the table of one stage. */
export const activityStore = (table: Table): ActivityStore => ({
  async create(activity) {
    const links = linkWrites(undefined, activity);
    const also = [...links.map(([, write]) => write), count(activity, 1)];
    return outcomeOf(await commit(table, { row: activityRows.write(activity), also }), links);
  },
  read: async (organizationId, id) =>
    readOne(table, await readOwnRow(table, organizationId, KEYS.activity(id), activityRows.read)),
  async change(before, after) {
    const links = linkWrites(before, after);
    const counts = counterOf(before) === counterOf(after) ? [] : [count(before, -1), count(after, 1)];
    const also = [...links.map(([, write]) => write), ...counts];
    return outcomeOf(await commit(table, { row: activityRows.write(after), over: before.version, also }), links);
  },
  delete: async (activity) => (await table.transact(activityDeletion(activity))).ok,
  page: (organizationId, filter, page) => activityPage(table, organizationId, filter, page),
});

/** Storage for raising due events of activities. `raised` receives committed events for early publication; best effort. */
export const momentStore = (
  table: Table,
  raised: (events: readonly DomainEvent[]) => void,
): Pick<MomentPorts, 'read' | 'record'> => ({
  read: async (id: Id<'activity'>) => readOne(table, await readRow(table, KEYS.activity(id), activityRows.read)),
  async record(activity, event) {
    const events = await takenEvents(table, activity.organizationId, [event]);
    const row = activityRows.write(activity);
    const outcome = await commit(table, { row, over: activity.version - 1, also: events.map(eventWrite) });
    if (outcome.kind !== 'saved') return false;
    raised(events);
    return true;
  },
});
