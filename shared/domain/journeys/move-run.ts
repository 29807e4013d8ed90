import { digestOf } from '../audience/digest.ts';
import { matches } from '../audience/filters.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Id } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { journeyEvent } from '../events/automation.ts';
import type { DomainEvent } from '../events/event.ts';
import { quietUntil } from '../sending/quiet-hours.ts';
import { compiledGraph } from './compiled-graph.ts';
import { countsOfMove } from './counting.ts';
import type { EnginePorts, JourneyClock, Performed } from './engine-ports.ts';
import { forgottenSend } from './forgotten-send.ts';
import type { Graph } from './graph.ts';
import type { Journey } from './journey.ts';
import { noteSent } from './note-sent.ts';
import type { Run } from './run.ts';
import type { Move, StoredRun } from './run-ports.ts';
import { step } from './step.ts';
import type { Effect, Input, Moment, PerformedEffect, Turn } from './turn.ts';
import { dueAt } from './waits.ts';

/**
 * How long a worker has for a run, in ms, before another one takes over: far longer than a send takes. Correctness doesn't depend on it.
 */
const RECOVERY_MS = 20_000;
/** Attempts to store a turn while the customer events that it starts to wait for keep arriving: each attempt consumes one. */
const MAX_ATTEMPTS = 8;

/** The context of a run: its journey, contact and settings. */
interface Surroundings {
  readonly journey: Journey;
  readonly graph: Graph;
  readonly contact: Contact | undefined;
  readonly clock: JourneyClock;
  /** Its contact was merged into one that has its own active run in the journey; only that one continues. */
  readonly isOvertaken: boolean;
}

const isOvertaken = async (
  { runs }: EnginePorts,
  { id, rootId, contactId }: Run,
  contact: Contact | undefined,
): Promise<boolean> => {
  if (!contact || contact.id === contactId) return false;
  const [entry] = await runs.entries(rootId, [contact.id]);
  return entry?.isActive === true && entry.runId !== id;
};

const surroundingsOf = async (ports: EnginePorts, run: Run): Promise<Surroundings> => {
  const { organizationId, journeyId, contactId } = run;
  const [journey, contact, clock] = await Promise.all([
    ports.journeys.find(journeyId),
    ports.contactOf(organizationId, contactId),
    ports.clockOf(organizationId),
  ]);
  if (!journey) throw new TypeError('a run of no journey');
  const graph = await compiledGraph(ports.journeys, journey);
  return { journey, graph, contact, clock, isOvertaken: await isOvertaken(ports, run, contact) };
};

const momentOf = ({ journey, contact, clock }: Surroundings, now: number): Moment => ({
  now,
  pausedMs: journey.pausedMs,
  pausedAt: journey.status === 'pausada' ? journey.pausedAt : undefined,
  timeZone: clock.timeZone,
  quietUntil: (channel, at) => quietUntil(clock.quietHours, channel, at),
  matches: (tree) => contact !== undefined && matches(tree, digestOf(contact), now),
});

const isPerformed = (effect: Effect): effect is PerformedEffect =>
  effect.kind !== 'pause_journey' && effect.kind !== 'convert';

/** Whether a run waits until its journey is resumed. */
const isToPark = ({ status }: Run, journey: Journey): boolean => journey.status === 'pausada' && status === 'ativa';

/** The stored run after a turn: a run of a paused journey is parked until the journey is resumed. */
const storedAfter = (
  before: StoredRun,
  { run, history }: Pick<Turn, 'history' | 'run'>,
  journey: Journey,
  nextDue: number | undefined,
): StoredRun => {
  const isParked = isToPark(run, journey);
  return {
    run: { ...run, version: before.run.version + 1 },
    history: [...before.history, ...history],
    isParked,
    dueAt: isParked || run.status !== 'ativa' ? undefined : nextDue,
  };
};

/** The event of a run that ended in `erro`. */
const failedEvent = (journey: Journey, { id: runId, contactId, step: passo, end }: Run, now: number): DomainEvent => {
  const { id, organizationId, env, number: versao, rootId } = journey;
  const of = { id, organizationId, env, versao, ...(rootId === id ? {} : { versaoDe: rootId }) };
  return journeyEvent(of, { type: 'journey.run_failed', runId, contactId, passo, motivo: end?.detail ?? 'erro' }, now);
};

/** The move that a turn makes. */
const moveOf = (
  before: StoredRun,
  after: StoredRun,
  turn: Turn,
  { journey, graph }: Surroundings,
  now: number,
): Move => {
  const goal = turn.effects.find((effect) => effect.kind === 'convert')?.event;
  const { run } = after;
  const failed = run.status === 'erro' && before.run.status === 'ativa';
  return {
    before,
    after,
    added: turn.history,
    counts: countsOfMove(before.run, run, turn.history, goal),
    goal: graph.goal,
    decidedAt: now,
    events: failed ? [failedEvent(journey, run, now)] : [],
  };
};

/** Combines two consecutive turns. */
const both = (first: Turn, second: Turn): Turn => ({
  run: second.run,
  effects: [...first.effects.filter((effect) => !isPerformed(effect)), ...second.effects],
  history: [...first.history, ...second.history],
  continues: second.continues,
});

/** The result of storing a turn: the stored run and the turn's effects, or a conflict. */
type Stored = { readonly stored: StoredRun; readonly turn: Turn } | typeof CONFLICT;

/**
 * Stores a turn. If the run would start to wait for a customer event that arrived meanwhile, the event is consumed in the same move, so
 * that none is lost between a decision and its transaction.
 */
const store = async (
  ports: EnginePorts,
  before: StoredRun,
  around: Surroundings,
  first: Turn,
  now: number,
  dueAfter: (turn: Turn) => number | undefined,
): Promise<Stored> => {
  let turn = first;
  let decidedAt = now;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const after = storedAfter(before, turn, around.journey, dueAfter(turn));
    const outcome = await ports.runs.save({ ...moveOf(before, after, turn, around, now), decidedAt });
    if (outcome === 'conflict') return CONFLICT;
    if (outcome === 'saved') return { stored: after, turn };
    const { wait, contactId } = turn.run;
    const name = wait?.kind === 'event' && 'event' in wait.awaits ? wait.awaits.event : '';
    const last = await ports.runs.eventSince(contactId, name, decidedAt);
    const event = last && (await ports.eventOf(last.id));
    const next =
      event && step(turn.run, around.graph, momentOf(around, now), { kind: 'event', event }, turn.history.length);
    if (next && next.run !== turn.run) turn = both(turn, next);
    // It was erased, or the run has already consumed it.
    else decidedAt = Math.max(decidedAt, last?.at ?? 0) + 1;
  }
  return CONFLICT;
};

/** When a run is due again: immediately if work is left, but not before its worker had time to do it. */
const nextDueOf =
  ({ journey }: Surroundings, now: number) =>
  ({ run, effects, continues }: Turn): number | undefined =>
    continues || effects.some(isPerformed) ? now + RECOVERY_MS : dueAt(run, journey.pausedMs, now);

/** Whether a turn must be stored before its effect is performed: otherwise a crash would forget the decision that caused it. */
const isToStore = (before: StoredRun, turn: Turn, nextDue: number | undefined, { journey }: Surroundings): boolean => {
  const { run, effects } = turn;
  if (run !== before.run) return true;
  const isParked = isToPark(run, journey);
  if (isParked !== before.isParked) return true;
  if (isParked || run.status !== 'ativa') return false;
  // An attempt of a webhook is leased to its worker; other effects are idempotent, so two workers may perform them.
  const performed = effects.find(isPerformed);
  return performed ? performed.kind === 'webhook' : nextDue !== before.dueAt;
};

/** Pauses the journey if a turn requests it; returns the updated context. */
const pausedWhere = async (ports: EnginePorts, around: Surroundings, { effects }: Turn): Promise<Surroundings> => {
  const pause = effects.find((effect) => effect.kind === 'pause_journey');
  if (!pause) return around;
  const { reason, step: at, label } = pause;
  await ports.pause(around.journey, { reason, step: at, label });
  const journey = await ports.journeys.find(around.journey.id);
  return { ...around, journey: journey ?? around.journey };
};

const resultOf = (
  { step: at, visit, attempt }: PerformedEffect,
  result: Exclude<Performed, { kind: 'later' }>,
): Input => ({
  kind: 'result',
  step: at,
  visit,
  attempt,
  result,
});

/** The run's context after an effect, so that later conditions and texts see a changed contact. */
const afterEffect = async (
  ports: EnginePorts,
  around: Surroundings,
  { organizationId, contactId }: Run,
  { kind }: PerformedEffect,
): Promise<Surroundings> =>
  kind === 'tag' || kind === 'attribute'
    ? { ...around, contact: await ports.contactOf(organizationId, contactId) }
    : around;

/** Advances a run from an input until it waits or ends. `CONFLICT` if it changed concurrently. */
const walk = async (
  ports: EnginePorts,
  first: StoredRun,
  given: Surroundings,
  start: Input,
): Promise<undefined | typeof CONFLICT> => {
  let stored = first;
  let around = given;
  let input = start;
  for (;;) {
    const now = ports.clock();
    const moment = momentOf(around, now);
    if (input.kind === 'due') input = (await forgottenSend(ports, stored, around.graph, moment)) ?? input;
    const turn = step(stored.run, around.graph, moment, input);
    around = await pausedWhere(ports, around, turn);
    const nextDue = nextDueOf(around, now);
    let { effects, continues } = turn;
    if (isToStore(stored, turn, nextDue(turn), around)) {
      const outcome = await store(ports, stored, around, turn, now, nextDue);
      if (outcome === CONFLICT) {
        await noteSent(ports, stored.run.id, input);
        return CONFLICT;
      }
      stored = outcome.stored;
      ({ effects, continues } = outcome.turn);
    }
    if (stored.isParked) {
      // A sweep after a resumption may have passed before this run was parked.
      const journey = await ports.journeys.find(stored.run.journeyId);
      if (!journey || journey.status === 'pausada') return undefined;
      around = { ...around, journey };
      input = { kind: 'due' };
      continue;
    }
    if (continues) {
      input = { kind: 'due' };
      continue;
    }
    const effect = effects.find(isPerformed);
    if (!effect || !around.contact) return undefined;
    const { journey, graph, contact } = around;
    const result = await ports.perform({ run: stored.run, journey, graph, contact }, effect);
    if (result.kind === 'later') return postpone(ports, stored, around, result.ms);
    around = await afterEffect(ports, around, stored.run, effect);
    input = resultOf(effect, result);
  }
};

/** Leaves a run in place, to be retried after some time (ms). */
const postpone = async (
  ports: EnginePorts,
  stored: StoredRun,
  around: Surroundings,
  ms: number,
): Promise<undefined | typeof CONFLICT> => {
  const now = ports.clock();
  const turn: Turn = { run: stored.run, effects: [], history: [], continues: false };
  const outcome = await store(ports, stored, around, turn, now, () => now + ms);
  if (outcome === CONFLICT) return CONFLICT;
  ports.enqueue([stored.run], now + ms);
  return undefined;
};

/** Cancellations that take precedence: of the run's journey, and of its contact. */
const overruled = ({ status }: Run, around: Surroundings, input: Input): Input => {
  const { journey, contact } = around;
  if (status !== 'ativa' || input.kind === 'cancel') return input;
  if (journey.status === 'arquivada') return { kind: 'cancel', reason: 'jornada_arquivada' };
  if (around.isOvertaken) return { kind: 'cancel', reason: 'contato_unido' };
  return contact ? input : { kind: 'cancel', reason: 'contato_apagado' };
};

/** Gives an input to a run, and advances it as far as possible. No effect on a missing run. Idempotent. */
export const moveRun = (ports: EnginePorts, id: Id<'run'>, input: Input): Promise<void> =>
  retryOnConflict('The run', async () => {
    const [stored] = await ports.runs.read([id]);
    if (!stored) return;
    const around = await surroundingsOf(ports, stored.run);
    return walk(ports, stored, around, overruled(stored.run, around, input));
  });

/**
 * Advances a run that is due; no effect if it is not, or if another worker did it. On a conflict with another worker, the run is left to
 * that one: it stays due until it was advanced.
 */
export const moveDueRun = async (ports: EnginePorts, id: Id<'run'>): Promise<void> => {
  await retryOnConflict('The run', async () => {
    const [stored] = await ports.runs.read([id]);
    if (stored?.dueAt === undefined || stored.dueAt > ports.clock()) return;
    const around = await surroundingsOf(ports, stored.run);
    return walk(ports, stored, around, overruled(stored.run, around, { kind: 'due' }));
  });
};
