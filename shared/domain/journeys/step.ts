import { actionOf, goOn, reachGoal } from './advance.ts';
import { UNIT_MS } from './durations.ts';
import type { Graph, Step } from './graph.ts';
import { EVENT_PRECISION_MS, type Run, type RunEvent, type SentMessage, type Signal, visitOf } from './run.ts';
import type { EffectResult, Input, Moment, Turn } from './turn.ts';
import { Walk } from './walk.ts';

/** The waits before the tries of a webhook but the first, in ms; after the last try the run ends in `erro`. */
export const WEBHOOK_BACKOFF_MS = [30_000, 2 * UNIT_MS.minutos, 10 * UNIT_MS.minutos, UNIT_MS.horas] as const;
/** How long after a run's end its journey's goal still counts. */
export const GOAL_AFTER_END_MS = 30 * UNIT_MS.dias;
/** What became of messages before a run knew of them, at most: a message and its fallbacks have fewer statuses. */
const MAX_EARLY = 24;

/** The last message of each step, with a new one, or without any where the step sent none this time. */
const sentAfter = (walk: Walk, step: string, sent: SentMessage | undefined): void => {
  const { [step]: _, ...others } = walk.run.sent;
  walk.change({ sent: sent ? { ...others, [step]: sent } : others, early: [] });
};

/** A message with what was heard of it before it was known. */
const messageSent = (walk: Walk, messageId: SentMessage['messageId']): SentMessage => {
  const heard = walk.run.early.filter((signal) => signal.messageId === messageId);
  return { messageId, reached: Object.fromEntries(heard.map(({ status, at }) => [status, at])) };
};

/** A try of a webhook that failed: another one later, or none. */
const retryOrEnd = (walk: Walk, attempt: number, detail: string): void => {
  const after = WEBHOOK_BACKOFF_MS[attempt - 1];
  if (after === undefined) walk.end('erro', { result: 'erro', detail });
  else walk.wait({ kind: 'retry', until: walk.time + after, attempt: attempt + 1 });
};

/** Ends the visit of a step whose effect is done with, one way or another. */
const settle = (walk: Walk, step: Step, result: Exclude<EffectResult, { kind: 'blocked' }>): void => {
  if (step.kind === 'enviar')
    sentAfter(walk, step.key, result.kind === 'sent' ? messageSent(walk, result.messageId) : undefined);
  if (result.kind === 'sent') walk.leave(step, { result: 'enviada', messageId: result.messageId });
  else if (result.kind === 'done') walk.leave(step, { result: 'feito', detail: result.detail });
  else walk.leave(step, { result: result.kind === 'skipped' ? 'pulada' : 'falhou', detail: result.detail });
  goOn(walk);
};

const applyResult = (walk: Walk, step: Step, attempt: number, result: EffectResult): void => {
  if (result.kind === 'blocked') {
    const { key, label } = step;
    if (!walk.isPaused) walk.effects.push({ kind: 'pause_journey', reason: result.reason, step: key, label });
  } else if (step.kind === 'webhook' && result.kind === 'failed') retryOrEnd(walk, attempt, result.detail);
  else if (step.kind === 'webhook' && result.kind === 'refused')
    walk.end('erro', { result: 'erro', detail: result.detail });
  else settle(walk, step, result);
};

/** Takes the result of the effect that the run waits for; of any other it is a repeat, or too late. */
const takeResult = (walk: Walk, input: Extract<Input, { kind: 'result' }>): void => {
  const { run, step } = walk;
  if (!step || run.wait?.kind !== 'ready' || actionOf(step) === undefined) return;
  if (input.step !== run.step || input.visit !== visitOf(run) || input.attempt !== run.wait.attempt) return;
  applyResult(walk, step, input.attempt, input.result);
};

/** Whether an event happened after what let the contact in, to the second. */
const isOfRun = ({ run, moment }: Walk, { at = moment.now }: RunEvent): boolean =>
  at > (run.since ?? run.beganAt) - EVENT_PRECISION_MS;

/** A goal after the end of its run counts for a time, and once. */
const takeLateGoal = (walk: Walk, event: RunEvent): void => {
  const { endedAt = 0, convertedAt, taken } = walk.run;
  const counts = event.name === walk.graph.goal && convertedAt === undefined && !taken.includes(event.id);
  const { at = walk.moment.now } = event;
  if (counts && isOfRun(walk, event) && at - endedAt < GOAL_AFTER_END_MS) reachGoal(walk, event);
};

/** Keeps the first event of a name until the journey goes on. */
const keep = (walk: Walk, event: RunEvent): void => {
  const { kept } = walk.run;
  const { now, pausedMs } = walk.moment;
  // One that happened in time is in time, even if it is told a little later.
  const at = Math.min(walk.time, (event.at ?? now) - pausedMs);
  if (!kept.some((each) => each.event.name === event.name)) walk.change({ kept: [...kept, { event, at }] });
};

/** An event that the run waits for, or its goal. One that was kept before it is taken first. */
const takeEvent = (walk: Walk, event: RunEvent): void => {
  if (walk.run.kept.length > 0) goOn(walk);
  if (!walk.isActive) return;
  const { wait, taken } = walk.run;
  const isAwaited = wait?.kind === 'event' && 'event' in wait.awaits && wait.awaits.event === event.name;
  // What a run waits for that has not come to its wait yet, is seen there.
  const isOfUse = isAwaited || walk.goesOn || event.name === walk.graph.goal;
  if (!isOfUse || taken.includes(event.id) || !isOfRun(walk, event)) return;
  keep(walk, event);
  goOn(walk);
};

/** Notes what became of a message that a step sent last, or is about to have sent. */
const takeSignal = (walk: Walk, signal: Signal): void => {
  const { run, graph, time } = walk;
  const { step, messageId, status } = signal;
  if (!graph.watched.has(step)) return;
  const sent = walk.sentBy(step);
  if (sent?.messageId === messageId) {
    if (sent.reached[status] !== undefined) return;
    walk.change({ sent: { ...run.sent, [step]: { messageId, reached: { ...sent.reached, [status]: time } } } });
    if (run.wait?.kind === 'event') goOn(walk);
    return;
  }
  const isKnown = run.early.some((each) => each.messageId === messageId && each.status === status);
  if (run.step !== step || run.wait?.kind !== 'ready' || isKnown) return;
  walk.change({ early: [...run.early.slice(1 - MAX_EARLY), { ...signal, at: time }] });
};

const take = (walk: Walk, input: Input): void => {
  switch (input.kind) {
    case 'due':
      goOn(walk);
      break;
    case 'result':
      takeResult(walk, input);
      break;
    case 'event':
      takeEvent(walk, input.event);
      break;
    case 'signal':
      takeSignal(walk, input.signal);
      break;
    case 'cancel':
      walk.end('cancelada', { result: 'cancelada', detail: input.reason });
  }
};

/**
 * What an input makes of a run at a moment (docs/spec/journeys.md#runs): the run, what is to be done for it, and what its history gains. Pure and
 * total: the same run, graph, moment and input give the same turn, and it never throws. `added`: what other turns of the same transaction added to the history.
 */
export const step = (run: Run, graph: Graph, moment: Moment, input: Input, added = 0): Turn => {
  const walk = new Walk(run, graph, moment, added);
  if (walk.isActive) take(walk, input);
  else if (input.kind === 'event') takeLateGoal(walk, input.event);
  return { run: walk.run, effects: walk.effects, history: walk.history, goesOn: walk.goesOn };
};
