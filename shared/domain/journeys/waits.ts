import type { SentStatus } from './definition.ts';
import type { Graph, SentCheck } from './graph.ts';
import type { JourneyTime, Run } from './run.ts';

/** The statuses that satisfy a check: a read, clicked or answered message was also delivered. */
const AT_LEAST: { readonly [S in SentStatus]: readonly SentStatus[] } = {
  entregue: ['entregue', 'lida', 'clicada', 'respondida'],
  lida: ['lida', 'clicada', 'respondida'],
  clicada: ['clicada'],
  respondida: ['respondida'],
};

/** When a step's last message first reached the checked outcome; undefined while it has not. */
export const reachedAt = ({ sent }: Pick<Run, 'sent'>, { step, status }: SentCheck): JourneyTime | undefined => {
  const reached = Object.hasOwn(sent, step) ? (sent[step]?.reached ?? {}) : {};
  const times = AT_LEAST[status].map((each) => reached[each]).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
};

/**
 * When (ms) a run is next due: `now` if it can continue immediately, undefined if it ended. `pausedMs`: the total time that its journey was
 * paused; if that has grown since, the run keeps waiting when it gets `due`.
 */
export const dueAt = (run: Run, pausedMs: number, now: number): number | undefined => {
  const { wait } = run;
  if (!wait) return undefined;
  if (wait.kind === 'ready' || run.kept.length > 0) return now;
  if (wait.kind === 'moment' || wait.kind === 'quiet') return wait.until;
  const isReached = wait.kind === 'event' && 'step' in wait.awaits && reachedAt(run, wait.awaits) !== undefined;
  return isReached ? now : wait.until + pausedMs;
};

/** The customer events that affect an active run: the one that its step waits for, and the journey's goal. */
export const awaitedEvents = ({ wait }: Run, { goal }: Graph): { readonly step?: string; readonly goal?: string } => {
  const awaits = wait?.kind === 'event' && 'event' in wait.awaits ? wait.awaits.event : undefined;
  return { ...(awaits === undefined ? {} : { step: awaits }), ...(wait && goal !== undefined ? { goal } : {}) };
};
