import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { linkNow, type Tombstones, withLinksNow } from '../core/tombstones.ts';

export const ACTIVITY_TYPES = ['ligacao', 'reuniao', 'tarefa', 'email', 'outro'] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** When an activity makes itself heard: some minutes before it is due, and when it is. */
export const MOMENTS = ['lembrete', 'vencimento'] as const;
export type Moment = (typeof MOMENTS)[number];

/** What an activity is about, and who does it. */
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
  /** How long before `dueAt` it is remembered, in minutes. */
  readonly reminderMinutes?: number | undefined;
  /** Absent while it is open. */
  readonly completedAt?: number | undefined;
  /** The moments that are over: events were raised at them, or they had passed when they were set. */
  readonly told: readonly Moment[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Counts changes. */
  readonly version: number;
}

/** The links of an activity to what may be deleted. */
export const LINK_FIELDS = ['cardId', 'contactId', 'companyId'] as const;

/** Activities with their links as they are now. Those of a deleted card are about to go with it, and are left out. */
export const shownActivities = (tombstones: Tombstones, activities: readonly Activity[]): readonly Activity[] =>
  withLinksNow(
    tombstones,
    activities.filter(({ cardId }) => cardId === undefined || linkNow(tombstones, cardId) !== undefined),
    LINK_FIELDS,
  );
