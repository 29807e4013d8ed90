import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Clock } from '../core/time.ts';
import { isoTime } from '../core/time.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import { type Activity, MOMENTS, type Moment } from './activity.ts';

const MINUTE_MS = 60_000;

/** The time of an activity's moment, in ms; undefined if it doesn't have it. */
const timeOf = ({ dueAt, reminderMinutes }: Activity, moment: Moment): number | undefined => {
  if (dueAt === undefined || moment === 'vencimento') return dueAt;
  return reminderMinutes === undefined ? undefined : dueAt - reminderMinutes * MINUTE_MS;
};

/** The first pending moment of an activity, and its time in ms; none if it is completed. */
export const nextMoment = (activity: Activity): { readonly moment: Moment; readonly at: number } | undefined => {
  if (activity.completedAt !== undefined) return undefined;
  for (const moment of MOMENTS) {
    const at = activity.notifiedMoments.includes(moment) ? undefined : timeOf(activity, moment);
    if (at !== undefined) return { moment, at };
  }
  return undefined;
};

/**
 * An activity with its moments scheduled after a change at `now` (ms). A new due time raises its event again, immediately if it is already
 * past; a new reminder only if it is in the future. Moments that passed while the activity was completed raise nothing.
 */
export const armed = (before: Activity | undefined, after: Activity, now: number): Activity => {
  const isOver = (moment: Moment): boolean => {
    const at = timeOf(after, moment);
    if (at === undefined) return false;
    const isSame = before !== undefined && timeOf(before, moment) === at;
    if (isSame && before.notifiedMoments.includes(moment)) return true;
    if (at > now) return false;
    return isSame ? before.completedAt !== undefined : moment === 'lembrete' || after.completedAt !== undefined;
  };
  return { ...after, notifiedMoments: MOMENTS.filter(isOver) };
};

const dueEvent = (activity: Activity, moment: Moment, now: number): DomainEvent => {
  const { id, organizationId, env, type, dueAt, cardId, contactId, companyId, responsibleId } = activity;
  const links = { cardId, contatoId: contactId, empresaId: companyId, responsavelId: responsibleId };
  const venceEm = dueAt === undefined ? undefined : isoTime(dueAt);
  const data = definedFields({ activityId: id, tipo: type, momento: moment, venceEm, ...links });
  return newEvent({ type: 'activity.due', organizationId, env, createdAt: now, data });
};

export interface MomentPorts {
  readonly clock: Clock;
  /** An activity with its links resolved, strongly consistent. */
  readonly read: (id: Id<'activity'>) => Promise<Activity | undefined>;
  /** Stores an activity over its previous version, with its event. False if it changed meanwhile. */
  readonly record: (activity: Activity, event: DomainEvent) => Promise<boolean>;
}

/** Raises activity.due once for each moment of an activity that has come. Idempotent (docs/spec/activities.md#reminders). */
export const publishMoments = (ports: MomentPorts, id: Id<'activity'>): Promise<void> =>
  retryOnConflict<void>('The activity', async () => {
    for (;;) {
      const activity = await ports.read(id);
      const now = ports.clock();
      const next = activity && nextMoment(activity);
      if (!activity || !next || next.at > now) return undefined;
      const { notifiedMoments, version } = activity;
      const after = { ...activity, notifiedMoments: [...notifiedMoments, next.moment], version: version + 1 };
      if (!(await ports.record(after, dueEvent(activity, next.moment, now)))) return CONFLICT;
    }
  });
