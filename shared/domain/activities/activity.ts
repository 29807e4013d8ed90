import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { linkNow, type Tombstones, withLinksNow } from '../core/tombstones.ts';

export const ACTIVITY_TYPES = ['ligacao', 'reuniao', 'tarefa', 'email', 'outro'] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** The times at which an activity raises an event: its reminder, and its due time. */
export const MOMENTS = ['lembrete', 'vencimento'] as const;
export type Moment = (typeof MOMENTS)[number];

/** The objects that an activity refers to, and the person responsible. */
export interface ActivityLinks {
  readonly cardId?: Id<'card'> | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly companyId?: Id<'company'> | undefined;
  readonly responsibleId?: Id<'account'> | undefined;
}

/** A call, a meeting, a task (docs/spec/activities.md). Times in ms. */
export interface Activity extends Tenant, ActivityLinks {
  readonly id: Id<'activity'>;
  readonly type: ActivityType;
  readonly title: string;
  readonly description?: string | undefined;
  readonly dueAt?: number | undefined;
  /** How long before `dueAt` its reminder is raised, in minutes. */
  readonly reminderMinutes?: number | undefined;
  /** Absent while it is open. */
  readonly completedAt?: number | undefined;
  /** The moments that are done: their events were raised, or they were already past when set. */
  readonly notifiedMoments: readonly Moment[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Incremented by each change. */
  readonly version: number;
}

/** The links of an activity to objects that may be deleted. */
export const LINK_FIELDS = ['cardId', 'contactId', 'companyId'] as const;

/** Activities with their links resolved. Those of a deleted card are about to be deleted with it, and are omitted. */
export const shownActivities = (tombstones: Tombstones, activities: readonly Activity[]): readonly Activity[] =>
  withLinksNow(
    tombstones,
    activities.filter(({ cardId }) => cardId === undefined || linkNow(tombstones, cardId) !== undefined),
    LINK_FIELDS,
  );
