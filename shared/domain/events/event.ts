import type { Tenant } from '../core/actor.ts';
import { type Id, newId } from '../core/ids.ts';
import type { Priority } from '../core/priority.ts';
import type { EventType } from './catalogue.ts';

/**
 * An event: written in the same transaction as its change, delivered afterwards. `data` holds ids, states and the documented fields of the
 * event type; recipients only masked.
 */
export interface DomainEvent extends Tenant {
  readonly id: Id<'event'>;
  readonly type: EventType;
  /** In ms. */
  readonly createdAt: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** The priority of its message; absent: normal. */
  readonly priority?: Priority;
}

/** The fields of an event that its work items need. */
export type QueuedEvent = Pick<DomainEvent, 'id' | 'organizationId' | 'priority'>;

/** Creates an event with a new id. */
export const newEvent = (fields: Omit<DomainEvent, 'id'>): DomainEvent => ({ id: newId('event'), ...fields });
