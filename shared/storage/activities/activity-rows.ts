import * as z from 'zod';
import { ACTIVITY_TYPES, type Activity, MOMENTS } from '../../domain/activities/activity.ts';
import { nextMoment } from '../../domain/activities/moments.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import { type ActivityState, INDEX_KEYS } from '../index-patterns.ts';

export const stateOf = ({ completedAt }: Pick<Activity, 'completedAt'>): ActivityState =>
  completedAt === undefined ? 'open' : 'done';

/** Activities without a due time sort last, by creation: `~` sorts after every time. */
const orderOf = ({ dueAt, createdAt }: Activity): string =>
  dueAt === undefined ? `~${isoTime(createdAt)}` : isoTime(dueAt);

/** A moment that had passed when it was set is due from then on: an earlier due time would count as delayed work. */
const dueEntry = (activity: Activity) => {
  const next = nextMoment(activity);
  return next ? INDEX_KEYS.due('tell_activity', activity.id, Math.max(next.at, activity.updatedAt)) : {};
};

/** The rows of activities. Filterable fields have the attribute names that the list indexes project. */
export const activityRows = defineRow<Activity>()({
  attributes: {
    id: id('activity'),
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
    type: z.enum(ACTIVITY_TYPES),
    title: z.string(),
    description: z.string().optional(),
    cardId: id('card').optional(),
    contactId: id('contact').optional(),
    companyId: id('company').optional(),
    responsibleId: id('account').optional(),
    dueAt: time.optional(),
    reminderMinutes: z.int().optional(),
    completedAt: time.optional(),
    notifiedMoments: z.array(z.enum(MOMENTS)),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  rename: {
    organizationId: 'org',
    type: 'channel',
    cardId: 'batchId',
    companyId: 'campaignId',
    responsibleId: 'sentByAccountId',
    // Not the sort key of the due index.
    dueAt: 'venceEm',
    notifiedMoments: 'told',
  },
  key: (activity) => KEYS.activity(activity.id),
  index(activity) {
    const { id: activityId, organizationId, cardId, contactId, companyId } = activity;
    const [state, order] = [stateOf(activity), orderOf(activity)];
    return {
      ...INDEX_KEYS.activitiesOf(organizationId, state, order, activityId),
      ...(contactId ? INDEX_KEYS.activitiesOfContact(contactId, state, order, activityId) : {}),
      ...(cardId ? INDEX_KEYS.activitiesOfCard(cardId, state, order, activityId) : {}),
      ...(companyId ? INDEX_KEYS.activitiesOfCompany(companyId, state, order, activityId) : {}),
      ...dueEntry(activity),
    };
  },
});
