import { actionOf, proceed, reachGoal } from './advance.ts';
import { UNIT_MS } from './durations.ts';
import type { Graph, Step } from './graph.ts';
import { EVENT_PRECISION_MS, type Run, type RunEvent, type SentMessage, type Signal, visitOf } from './run.ts';
import type { EffectResult, Input, Moment, Turn } from './turn.ts';
import { Walk } from './walk.ts';

/** The delays before retries of a webhook, in ms; after the last attempt the run ends in `erro`. */
export const WEBHOOK_BACKOFF_MS = [30_000, 2 * UNIT_MS.minutos, 10 * UNIT_MS.minutos, UNIT_MS.horas] as const;
/** How long after a run's end its journey's goal still counts. */
export const GOAL_AFTER_END_MS = 30 * UNIT_MS.dias;
/** Maximum number of outcomes kept before a run knows of the send: a message and its fallbacks have fewer statuses. */
const MAX_EARLY = 24;

/** The last message of each step, with a new one, or without one if the step sent none this time. */
const sentAfter = (walk: Walk, step: string, sent: SentMessage | undefined): void => {
  const { [step]: _, ...others } = walk.run.sent;
  walk.change({ sent: sent ? { ...others, [step]: sent } : others, early: [] });
};

/** A sent message with the outcomes that arrived before its send was known. */
const messageSent = (walk: Walk, messageId: SentMessage['messageId']): SentMessage => {
  const heard = walk.run.early.filter((signal) => signal.messageId === messageId);
  return { messageId, reached: Object.fromEntries(heard.map(({ status, at }) => [status, at])) };
};

/** Handles a failed webhook attempt: schedules a retry, or ends the run. */
const retryOrEnd = (walk: Walk, attempt: number, detail: string): void => {
  const after = WEBHOOK_BACKOFF_MS[attempt - 1];
  if (after === undefined) walk.end('erro', { result: 'erro', detail });
  else walk.wait({ kind: 'retry', until: walk.time + after, attempt: attempt + 1 });
};

/** Ends the visit of a step whose effect has completed or failed. */
const settle = (walk: Walk, step: Step, result: Exclude<EffectResult, { kind: 'blocked' }>): void => {
  if (step.kind === 'enviar')
    sentAfter(walk, step.key, result.kind === 'sent' ? messageSent(walk, result.messageId) : undefined);
  if (result.kind === 'sent') walk.leave(step, { result: 'enviada', messageId: result.messageId });
  else if (result.kind === 'done') walk.leave(step, { result: 'feito', detail: result.detail });
  else walk.leave(step, { result: result.kind === 'skipped' ? 'pulada' : 'falhou', detail: result.detail });
  proceed(walk);
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

/** Consumes the result of the awaited effect; any other is a repeat, or too late. */
const takeResult = (walk: Walk, input: Extract<Input, { kind: 'result' }>): void => {
  const { run, step } = walk;
  if (!step || run.wait?.kind !== 'ready' || actionOf(step) === undefined) return;
  if (input.step !== run.step || input.visit !== visitOf(run) || input.attempt !== run.wait.attempt) return;
  applyResult(walk, step, input.attempt, input.result);
};

/** Whether an event happened after the run's trigger, to the second. */
const isOfRun = ({ run, moment }: Walk, { at = moment.now }: RunEvent): boolean =>
  at > (run.since ?? run.beganAt) - EVENT_PRECISION_MS;

/** Counts a goal after the end of its run, within a time limit and once. */
const takeLateGoal = (walk: Walk, event: RunEvent): void => {
  const { endedAt = 0, convertedAt, taken } = walk.run;
  const counts = event.name === walk.graph.goal && convertedAt === undefined && !taken.includes(event.id);
  const { at = walk.moment.now } = event;
  if (counts && isOfRun(walk, event) && at - endedAt < GOAL_AFTER_END_MS) reachGoal(walk, event);
};

/** Keeps the first event of a name until the journey is resumed. */
const keep = (walk: Walk, event: RunEvent): void => {
  const { kept } = walk.run;
  const { now, pausedMs } = walk.moment;
  // An event that happened in time counts, even if it is reported slightly late.
  const at = Math.min(walk.time, (event.at ?? now) - pausedMs);
  if (!kept.some((each) => each.event.name === event.name)) walk.change({ kept: [...kept, { event, at }] });
};

/** Handles an event that the run waits for, or its goal. A previously kept one is consumed first. */
const takeEvent = (walk: Walk, event: RunEvent): void => {
  if (walk.run.kept.length > 0) proceed(walk);
  if (!walk.isActive) return;
  const { wait, taken } = walk.run;
  const isAwaited = wait?.kind === 'event' && 'event' in wait.awaits && wait.awaits.event === event.name;
  // An event that the run has not started to wait for yet is found by its later wait.
  const isOfUse = isAwaited || walk.continues || event.name === walk.graph.goal;
  if (!isOfUse || taken.includes(event.id) || !isOfRun(walk, event)) return;
  keep(walk, event);
  proceed(walk);
};

/** Records an outcome of a message that a step sent last, or whose send is not known yet. */
const takeSignal = (walk: Walk, signal: Signal): void => {
  const { run, graph, time } = walk;
  const { step, messageId, status } = signal;
  if (!graph.watched.has(step)) return;
  const sent = walk.sentBy(step);
  if (sent?.messageId === messageId) {
    if (sent.reached[status] !== undefined) return;
    walk.change({ sent: { ...run.sent, [step]: { messageId, reached: { ...sent.reached, [status]: time } } } });
    if (run.wait?.kind === 'event') proceed(walk);
    return;
  }
  const isKnown = run.early.some((each) => each.messageId === messageId && each.status === status);
  if (run.step !== step || run.wait?.kind !== 'ready' || isKnown) return;
  walk.change({ early: [...run.early.slice(1 - MAX_EARLY), { ...signal, at: time }] });
};

const take = (walk: Walk, input: Input): void => {
  switch (input.kind) {
    case 'due':
      proceed(walk);
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
 * Applies an input to a run at a moment (docs/spec/journeys.md#runs): returns the run, the requested effects, and the new history entries.
 * Pure and total: the same run, graph, moment and input give the same turn, and it never throws. `added`: history entries of other turns in
 * the same transaction.
 */
export const step = (run: Run, graph: Graph, moment: Moment, input: Input, added = 0): Turn => {
  const walk = new Walk(run, graph, moment, added);
  if (walk.isActive) take(walk, input);
  else if (input.kind === 'event') takeLateGoal(walk, input.event);
  return { run: walk.run, effects: walk.effects, history: walk.history, continues: walk.continues };
};
