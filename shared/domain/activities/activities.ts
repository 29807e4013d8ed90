import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import { isSameValue } from '../core/same-value.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import type { Activity } from './activity.ts';
import { type ActivityChange, type ActivityFields, changedFields, newFields } from './fields.ts';
import { armed } from './moments.ts';
import type { ActivityFilter, ActivityPorts, LinkField } from './ports.ts';

const UNKNOWN = {
  cardId: { path: 'cardId', message: 'is not a card of the organization' },
  contactId: { path: 'contatoId', message: 'is not a contact of the organization' },
  companyId: { path: 'empresaId', message: 'is not a company of the organization' },
  responsibleId: { path: 'responsavelId', message: 'is not an active account of the organization' },
} as const satisfies Record<LinkField | 'responsibleId', { path: string; message: string }>;

/** 422 for a new link that is not allowed. */
const refuseLink = (field: keyof typeof UNKNOWN): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', {
    detail: 'The activity cannot be linked to this.',
    meta: { code: 'VINCULO_INVALIDO', campo: UNKNOWN[field].path },
    errors: [UNKNOWN[field]],
  });

/** 422 for a reminder without a due time. */
const checkReminder = ({ dueAt, reminderMinutes }: Activity): Refusal<'VALIDATION_ERROR'> | undefined =>
  dueAt === undefined && reminderMinutes !== undefined
    ? refuseField('The activity has no due time for a reminder.', 'lembreteMinutos', 'needs a venceEm')
    : undefined;

/** The 422 for a responsible account that is not active; only checked if it changes. */
const checkResponsible = async (
  { isActiveAccount }: ActivityPorts,
  before: Activity | undefined,
  { organizationId, responsibleId }: Activity,
): Promise<Refusal<'VALIDATION_ERROR'> | undefined> => {
  if (responsibleId === undefined || responsibleId === before?.responsibleId) return undefined;
  return (await isActiveAccount(organizationId, responsibleId)) ? undefined : refuseLink('responsibleId');
};

/** Creates an activity. 422 for a link to what does not exist (docs/spec/activities.md#activity-shape). */
export const createActivity = async (
  ports: ActivityPorts,
  { organizationId, env }: Tenant,
  given: ActivityFields,
): Promise<Activity | Refusal<'VALIDATION_ERROR'>> => {
  const now = ports.clock();
  const common = {
    id: newId('activity'),
    organizationId,
    env,
    notifiedMoments: [],
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const activity = armed(undefined, { ...newFields(given, now), ...common }, now);
  const refused = checkReminder(activity) ?? (await checkResponsible(ports, undefined, activity));
  if (refused) return refused;
  const outcome = await ports.store.create(activity);
  return typeof outcome === 'object' ? refuseLink(outcome.unknown) : activity;
};

/** An activity of the caller's organization, or 404. */
export const findActivity = async (
  { store }: Pick<ActivityPorts, 'store'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  id: Id<'activity'>,
): Promise<Activity | Refusal<'NOT_FOUND'>> =>
  (await store.read(organizationId, id)) ?? refuse('NOT_FOUND', 'There is no such activity.');

type ChangeRefusal = Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>;

/** Changes an activity; a change without effect writes nothing. Events are raised again for new dates. */
export const changeActivity = (
  ports: ActivityPorts,
  tenant: Tenant,
  id: Id<'activity'>,
  change: ActivityChange,
): Promise<Activity | ChangeRefusal> =>
  retryOnConflict<Activity | ChangeRefusal>('The activity', async () => {
    const before = await findActivity(ports, tenant, id);
    if (isRefusal(before)) return before;
    const now = ports.clock();
    const changed = { ...before, ...changedFields(before, change, now) };
    if (isSameValue(changed, before)) return before;
    const after = armed(before, { ...changed, updatedAt: now, version: before.version + 1 }, now);
    const refused = checkReminder(after) ?? (await checkResponsible(ports, before, after));
    if (refused) return refused;
    const outcome = await ports.store.change(before, after);
    if (typeof outcome === 'object') return refuseLink(outcome.unknown);
    return outcome === 'saved' ? after : CONFLICT;
  });

/** Completes an activity; no effect if it is already completed. */
export const completeActivity = (ports: ActivityPorts, tenant: Tenant, id: Id<'activity'>) =>
  changeActivity(ports, tenant, id, { concluida: true });

/** Deletes an activity permanently. */
export const deleteActivity = (
  ports: Pick<ActivityPorts, 'store'>,
  tenant: Tenant,
  id: Id<'activity'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The activity',
    () => findActivity(ports, tenant, id),
    (activity) => ports.store.delete(activity),
  );

/** A page of the organization's activities (docs/spec/activities.md#list). */
export const listActivities = (
  { store }: Pick<ActivityPorts, 'store'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  filter: ActivityFilter,
  page: PageRequest,
): Promise<Page<Activity>> => store.page(organizationId, filter, page);
