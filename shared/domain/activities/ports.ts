import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import type { Activity, ActivityType, LINK_FIELDS } from './activity.ts';

/**
 * Filters of a list of activities; an absent field does not filter. Times in ms, both inclusive: an activity without a due time matches no
 * range.
 */
export interface ActivityFilter extends Pick<Activity, (typeof LINK_FIELDS)[number] | 'responsibleId'> {
  readonly type?: ActivityType | undefined;
  readonly isCompleted?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export type LinkField = (typeof LINK_FIELDS)[number];
/** `conflict`: the activity changed since it was read. A link: the object of a new link does not exist. */
export type ActivityOutcome = 'conflict' | 'saved' | { readonly unknown: LinkField };

export interface ActivityStore {
  /** Stores a new activity, and counts it. */
  create(activity: Activity): Promise<ActivityOutcome>;
  /** An activity of the organization with its links resolved, strongly consistent. */
  read(organizationId: Id<'organization'>, id: Id<'activity'>): Promise<Activity | undefined>;
  /** Stores an activity over its previous version. */
  change(before: Activity, after: Activity): Promise<ActivityOutcome>;
  /** Deletes an activity if it is unchanged since it was read. */
  delete(activity: Activity): Promise<boolean>;
  /** A page ordered by due time; those without one come last, by creation. */
  page(organizationId: Id<'organization'>, filter: ActivityFilter, page: PageRequest): Promise<Page<Activity>>;
}

export interface ActivityPorts {
  readonly clock: Clock;
  readonly store: ActivityStore;
  /** Whether an account is an active one of the organization. */
  readonly isActiveAccount: (organizationId: Id<'organization'>, id: Id<'account'>) => Promise<boolean>;
}
