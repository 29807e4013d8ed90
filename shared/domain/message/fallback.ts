import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { type Priority, priorityOf } from '../core/priority.ts';
import type { QueuedMessage, StepRefusal } from './message.ts';
import type { SendRequest } from './send-request.ts';

/** A send that is tried when the step before it did not deliver. */
export interface FallbackStep extends Omit<SendRequest, 'to'> {
  /** Absent if the contact's address is used: it is read when the step is planned. */
  readonly to?: string | undefined;
  /** How long to wait for a delivery of the previous step, in ms. */
  readonly afterMs: number;
  /** The step is skipped when it would cost more. */
  readonly maxCoins?: number | undefined;
  /** Its price when the first message was accepted, in coins. */
  readonly coins?: number | undefined;
  /** Why it could not have been sent at that time; checked again when it is due. */
  readonly refusal?: StepRefusal | undefined;
}

/** Whether a step's recipient is known only through the contact that has the first message's recipient. */
export const needsMatch = (first: Pick<SendRequest, 'contactId'>, { to }: Pick<FallbackStep, 'to'>): boolean =>
  to === undefined && first.contactId === undefined;

/** Marks such a step in the terms of its first message's acceptance. */
export const MATCHED_MARK = '*';

/** Value of `waitUntil` after a step was skipped: the next one starts at once. */
export const NO_WAIT = 0;

/** A message's fallbacks (docs/spec/v1.md#fallbacks): tried in order, each billed at its own rate, until one delivers. */
export interface Fallback extends Tenant {
  /** The id of the first message. */
  readonly id: Id<'message'>;
  readonly steps: readonly FallbackStep[];
  /** Index of the next step. */
  readonly next: number;
  /** The message whose delivery is awaited, and until when (ms) if it is sent on schedule; or NO_WAIT. */
  readonly current: Id<'message'>;
  readonly waitUntil: number;
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'cancelled';
  /**
   * The priority of its first message, which its steps inherit: the fallback of a one-time password is as urgent, on
   * any route. Absent: normal.
   */
  readonly priority?: Priority;
}

/** The fields of a fallback that its work items need. */
export type QueuedFallback = Pick<Fallback, 'id' | 'organizationId' | 'priority'>;

/** The fallback of a message, as its work items need it; undefined if it has none. */
export const fallbackOfMessage = (
  message: QueuedMessage & { readonly fallbackId?: Id<'message'> | undefined },
): QueuedFallback | undefined =>
  message.fallbackId && {
    id: message.fallbackId,
    organizationId: message.organizationId,
    priority: priorityOf(message),
  };

/** Moves a fallback to its next step. Condition: the fallback is unchanged since it was read, and its current message is not delivered. */
export interface StepTransition {
  readonly fallback: Fallback;
  readonly waitUntil: number;
}
