import type { Environment } from '../actor.ts';
import { type Id, newId } from '../ids.ts';
import type { EventType } from './catalogue.ts';

/**
 * Something that happened, written in the transaction of its change and delivered after it.
 * `data` carries ids, states and what the interface names per event; recipients only masked.
 */
export interface DomainEvent {
  readonly id: Id<'event'>;
  readonly type: EventType;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  /** ms. */
  readonly createdAt: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A fresh event. */
export const newEvent = (fields: Omit<DomainEvent, 'id'>): DomainEvent => ({ id: newId('event'), ...fields });
