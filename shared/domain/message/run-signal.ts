import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { MessageRecord, MessageStatus } from './message.ts';

/** Outcomes of a message that a run may wait for: delivered, read, clicked, answered. Names as on the wire. */
export const HAPPENINGS = ['entregue', 'lida', 'clicada', 'respondida'] as const;
export type Happening = (typeof HAPPENINGS)[number];

/** An outcome of a message that its run waits for. */
export interface RunSignal extends Tenant {
  readonly runId: Id<'run'>;
  readonly journeyId: Id<'journey'>;
  readonly stepId: string;
  /** The message as its run knows it: the first one, if a fallback or a resend produced the outcome. */
  readonly messageId: Id<'message'>;
  readonly happening: Happening;
  /** When it was recorded, in ms. */
  readonly at: number;
}

/** The outcome that a status change is for the message's run; undefined if runs don't wait for it. */
export const happeningOf = (before: MessageStatus, after: MessageStatus | undefined): Happening | undefined => {
  if (after === 'read') return 'lida';
  return after === 'delivered' || (after === 'complained' && before === 'sent') ? 'entregue' : undefined;
};

/** The signal to a message's run; undefined if no run waits for it. */
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
