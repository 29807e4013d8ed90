import { branchOf } from './branch.ts';
import { sendableFrom, untilMoment } from './calendar.ts';
import { outcomeKey, type Step } from './graph.ts';
import { type RunEvent, visitOf, type Wait } from './run.ts';
import type { Action } from './turn.ts';
import type { Walk } from './walk.ts';

/** The action of a step outside of the run; undefined for steps without one. */
export const actionOf = (step: Step): Action | undefined => {
  switch (step.kind) {
    case 'enviar':
      return { kind: 'send', message: step.config };
    case 'etiqueta':
      return { kind: 'tag', ...step.config };
    case 'atributo':
      return { kind: 'attribute', ...step.config };
    case 'mover_cartao':
      return { kind: 'move_card', ...step.config };
    case 'webhook':
      return { kind: 'webhook', ...step.config };
    default:
      return undefined;
  }
};

/** Requests the effect of the run's present step; the run stays there until the result arrives. */
const perform = (walk: Walk, step: Step, attempt: number): boolean => {
  const action = actionOf(step);
  if (action) walk.effects.push({ ...action, step: step.key, visit: visitOf(walk.run), attempt });
  return false;
};

const send = (walk: Walk, step: Step<'enviar'>, attempt: number): boolean => {
  const until = sendableFrom(walk.graph, walk.moment, step.config.channel);
  if (until <= walk.moment.now) return perform(walk, step, attempt);
  walk.wait({ kind: 'quiet', until });
  return false;
};

const startWait = (walk: Walk, { config }: Step<'esperar'>): boolean => {
  const { now, timeZone } = walk.moment;
  walk.wait(
    'ms' in config
      ? { kind: 'duration', until: walk.time + config.ms }
      : { kind: 'moment', until: untilMoment(config.until, timeZone, now) },
  );
  return true;
};

const startAwaiting = (walk: Walk, { config }: Step<'esperar_evento'>): boolean => {
  const { withinMs, ...awaits } = config;
  walk.wait({ kind: 'event', until: walk.time + withinMs, awaits });
  return true;
};

const decide = (walk: Walk, step: Step<'condicao'>): boolean => {
  const { config } = step;
  const isMet = 'tree' in config ? walk.moment.matches(config.tree) : walk.reachedAt(config) !== undefined;
  const outcome = isMet ? 'sim' : 'nao';
  walk.leave(step, { result: outcome }, outcome);
  return true;
};

const divide = (walk: Walk, step: Step<'divisao'>): boolean => {
  const branch = branchOf(walk.run, step.key, step.config.branches);
  walk.change({ branches: { ...walk.run.branches, [step.key]: branch } });
  walk.leave(step, { result: 'ramo', detail: branch }, outcomeKey('ramo', branch));
  return true;
};

/** Executes the step that the run has reached. Returns whether the run can continue immediately. */
const execute = (walk: Walk, step: Step, attempt: number): boolean => {
  switch (step.kind) {
    case 'enviar':
      return send(walk, step, attempt);
    case 'esperar':
      return startWait(walk, step);
    case 'esperar_evento':
      return startAwaiting(walk, step);
    case 'condicao':
      return decide(walk, step);
    case 'divisao':
      return divide(walk, step);
    case 'sair':
      walk.end('saida', { result: 'saiu' });
      return false;
    default:
      return perform(walk, step, attempt);
  }
};

/** Keeps the run waiting, and resets its count of steps without a wait. */
const keepWaiting = (walk: Walk): boolean => {
  if (walk.run.sinceWait > 0) walk.change({ sinceWait: 0 });
  return false;
};

const awaitEvent = (walk: Walk, step: Step, { awaits, until }: Extract<Wait, { kind: 'event' }>): boolean => {
  const kept = 'event' in awaits ? walk.run.kept.find(({ event }) => event.name === awaits.event) : undefined;
  const reached = 'event' in awaits ? kept?.at : walk.reachedAt(awaits);
  if (reached !== undefined && reached < until) {
    if (kept) walk.take(kept.event);
    walk.leave(step, { result: 'evento' }, 'evento');
  } else if (walk.time >= until) walk.leave(step, { result: 'tempo_esgotado' }, 'tempo_esgotado');
  else return keepWaiting(walk);
  return true;
};

/** Advances the run by one move. Returns whether another may follow immediately. */
const advance = (walk: Walk, step: Step, wait: Wait): boolean => {
  const now = wait.kind === 'moment' || wait.kind === 'quiet' ? walk.moment.now : walk.time;
  switch (wait.kind) {
    case 'ready':
      return execute(walk, step, wait.attempt);
    case 'duration':
    case 'moment':
      if (now < wait.until) return keepWaiting(walk);
      walk.leave(step, { result: 'passou' });
      return true;
    case 'event':
      return awaitEvent(walk, step, wait);
    case 'quiet':
    case 'retry':
      if (now < wait.until) return false;
      walk.wait({ kind: 'ready', attempt: wait.kind === 'retry' ? wait.attempt : 1 });
      return true;
  }
};

/** Counts the goal of a run, and ends the run if it is active. */
export const reachGoal = (walk: Walk, event: RunEvent): void => {
  walk.effects.push({ kind: 'convert', event });
  walk.change({ convertedAt: walk.moment.now });
  if (walk.isActive) walk.end('meta', { result: 'meta' });
};

/** One move; or the end of a run whose step is missing from its graph. */
const move = (walk: Walk): boolean => {
  const { step } = walk;
  const { wait } = walk.run;
  if (step && wait) return advance(walk, step, wait);
  walk.end('erro', { result: 'erro', detail: 'passo_inexistente' });
  return false;
};

/**
 * Advances a run as far as possible in one turn: to an effect, a wait or its end; a kept goal is applied first. A run of a paused journey
 * stays in place.
 */
export const proceed = (walk: Walk): void => {
  if (walk.isPaused || !walk.isActive) return;
  const goal = walk.run.kept.find(({ event }) => event.name === walk.graph.goal);
  if (goal) {
    reachGoal(walk, goal.event);
    return;
  }
  let isMoving = true;
  while (isMoving && walk.isActive && !walk.isFull) isMoving = move(walk);
  walk.continues = isMoving && walk.isActive;
  if (walk.run.kept.length > 0 && !walk.continues) walk.change({ kept: [] });
};
