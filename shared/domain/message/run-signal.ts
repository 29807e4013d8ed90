import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { MessageRecord, MessageStatus } from './message.ts';

/** What a run may wait for a message to become: delivered, read, clicked, answered. The words are the wire's. */
export const HAPPENINGS = ['entregue', 'lida', 'clicada', 'respondida'] as const;
export type Happening = (typeof HAPPENINGS)[number];

/** What became of a message that its run waits for. */
export interface RunSignal extends Tenant {
  readonly runId: Id<'run'>;
  readonly journeyId: Id<'journey'>;
  readonly stepId: string;
  /** The message as its run knows it: the first one, where a fallback or a resend got there. */
  readonly messageId: Id<'message'>;
  readonly happening: Happening;
  /** When it was recorded, in ms. */
  readonly at: number;
}

/** What a message's new status is for its run; undefined where a run waits for nothing of the kind. */
export const happeningOf = (before: MessageStatus, after: MessageStatus | undefined): Happening | undefined => {
  if (after === 'read') return 'lida';
  return after === 'delivered' || (after === 'complained' && before === 'sent') ? 'entregue' : undefined;
};

/** What to tell the run of a message; undefined for a message that no run waits for. */
export const runSignal = (
  message: MessageRecord | undefined,
  happening: Happening | undefined,
  at: number,
): RunSignal | undefined => {
  if (!message?.journey?.awaited || happening === undefined) return undefined;
  const { id, organizationId, env, fallbackId, journey } = message;
  const { runId, journeyId, stepId, firstId } = journey;
  return { organizationId, env, runId, journeyId, stepId, messageId: firstId ?? fallbackId ?? id, happening, at };
};
