import type { Activity } from '../../domain/activities/activity.ts';
import type { ActivityFilter } from '../../domain/activities/ports.ts';
import type { Id } from '../../domain/core/ids.ts';
import { linksOf } from '../../domain/core/tombstones.ts';
import type { Page, PageRequest } from '../../domain/message/lists.ts';
import { readCount } from '../access/counters.ts';
import { allOf, equal, oneOf } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import { between, countAll, isEmpty, newestPage, type ShardedRange } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { readGoneCards, readTombstones } from '../crm/tombstones.ts';
import { type ActivityState, INDEX_KEYS } from '../index-patterns.ts';
import { activityRows } from './activity-rows.ts';
import { readShown } from './shown.ts';

const EMPTY: Page<Activity> = { items: [], total: 0 };

/** The index partition that contains the fewest activities for a filter, by their state. */
const placeOf = (organizationId: Id<'organization'>, { cardId, contactId, companyId }: ActivityFilter) => {
  const { activitiesOf, activitiesOfCard, activitiesOfCompany, activitiesOfContact } = INDEX_KEYS;
  if (cardId)
    return { index: 'gsi3', of: (state: ActivityState) => activitiesOfCard(cardId, state, '', '').gsi3pk } as const;
  if (contactId)
    return {
      index: 'gsi2',
      of: (state: ActivityState) => activitiesOfContact(contactId, state, '', '').gsi2pk,
    } as const;
  if (companyId)
    return {
      index: 'gsi4',
      of: (state: ActivityState) => activitiesOfCompany(companyId, state, '', '').gsi4pk,
    } as const;
  return { index: 'gsi1', of: (state: ActivityState) => activitiesOf(organizationId, state, '', '').gsi1pk } as const;
};

const isNotOf = (gone: readonly Id<'card'>[]): Condition | undefined => {
  if (gone.length === 0) return undefined;
  const { text, values = {} } = oneOf('batchId', gone);
  return { text: `(attribute_not_exists(#batchId) OR NOT (${text}))`, values };
};

const rangeOf = (
  organizationId: Id<'organization'>,
  filter: ActivityFilter,
  gone: readonly Id<'card'>[],
): ShardedRange => {
  const { index, of } = placeOf(organizationId, filter);
  const { contactId, companyId, responsibleId, type, isCompleted } = filter;
  const [partition, ...others] =
    isCompleted === undefined ? [of('open'), of('done')] : [of(isCompleted ? 'done' : 'open')];
  const wanted = { channel: type, sentByAccountId: responsibleId, campaignId: companyId, contactId };
  const own = index === 'gsi1' ? {} : { org: organizationId };
  const condition = allOf([equal({ ...own, ...wanted }), isNotOf(gone)]);
  return {
    index,
    partition: partition as string,
    others,
    sort: between(filter),
    filter: condition,
    newestFirst: false,
  };
};

/** The counted total of an organization's activities, by state. */
const countedTotal = async (table: Table, organizationId: Id<'organization'>, isCompleted: boolean | undefined) => {
  const counted = [
    ...(isCompleted === true ? [] : (['openActivities'] as const)),
    ...(isCompleted === false ? [] : (['doneActivities'] as const)),
  ];
  const counts = await Promise.all(counted.map((each) => readCount(table, organizationId, each)));
  return counts.reduce((sum, count) => sum + count, 0);
};

/**
 * A page of an organization's activities, ordered by due time. The totals of all, open or done ones come from counters; others are counted
 * on narrow index rows. Activities of a card that is being deleted are in neither.
 */
export const activityPage = async (
  table: Table,
  organizationId: Id<'organization'>,
  filter: ActivityFilter,
  page: PageRequest,
): Promise<Page<Activity>> => {
  const links = linksOf([filter], ['cardId', 'contactId', 'companyId']);
  const [tombstones, gone] = await Promise.all([
    readTombstones(table, organizationId, links),
    readGoneCards(table, organizationId),
  ]);
  if (isEmpty(filter) || links.some((link) => tombstones.has(link))) return EMPTY;
  const range = rangeOf(organizationId, filter, gone);
  const isCounted = range.index === 'gsi1' && range.filter === undefined && range.sort === undefined;
  const [rows, total] = await Promise.all([
    newestPage(table, range, page),
    isCounted ? countedTotal(table, organizationId, filter.isCompleted) : countAll(table, range),
  ]);
  return { items: await readShown(table, organizationId, rows.map(activityRows.read)), total };
};
