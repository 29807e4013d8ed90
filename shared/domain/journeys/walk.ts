import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import type { Graph, SentCheck, Step } from './graph.ts';
import type {
  EndReason,
  HistoryEntry,
  HistoryResult,
  JourneyTime,
  Run,
  RunEvent,
  RunStatus,
  SentMessage,
  Wait,
} from './run.ts';
import type { Effect, Moment } from './turn.ts';
import { reachedAt } from './waits.ts';

/** Steps that a run may take without waiting: no graph that `validate` lets through has a way as long. */
const MAX_WITHOUT_WAIT = 150;
/** Visits that a turn ends at most, but for that of a goal: each is a count of the transaction that stores it. */
const MAX_ADDED = 60;

/** Events whose repeats a run knows. */
const MAX_TAKEN = 20;

const own = <T>(values: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

const STATUS_OF: Readonly<Record<EndReason, RunStatus>> = {
  fim: 'concluida',
  saida: 'concluida',
  meta: 'concluida',
  cancelada: 'cancelada',
  erro: 'erro',
};

/** How a visit ended, and what of it the history keeps. */
interface Outcome {
  readonly result: HistoryResult;
  readonly messageId?: Id<'message'> | undefined;
  readonly detail?: string | undefined;
}

/** A run on its way through a turn: each change makes a new run. */
export class Walk {
  run: Run;
  readonly graph: Graph;
  readonly moment: Moment;
  readonly effects: Effect[] = [];
  readonly history: HistoryEntry[] = [];
  /** The turn is full, and the run could go on at once. */
  goesOn = false;
  readonly #room: number;

  /** `added`: entries of the history that are stored in the same transaction. */
  constructor(run: Run, graph: Graph, moment: Moment, added: number) {
    this.run = run;
    this.graph = graph;
    this.moment = moment;
    this.#room = MAX_ADDED - added;
  }

  /** No further visit fits into the transaction. */
  get isFull(): boolean {
    return this.history.length >= this.#room;
  }

  /** The time by the journey's clock, which stands still during a pause. */
  get time(): JourneyTime {
    const { now, pausedAt = now, pausedMs } = this.moment;
    return Math.min(now, pausedAt) - pausedMs;
  }
  get isPaused(): boolean {
    return this.moment.pausedAt !== undefined;
  }
  get isActive(): boolean {
    return this.run.status === 'ativa';
  }
  /** The step that the run is at; undefined where the graph has none of its key. */
  get step(): Step | undefined {
    return this.graph.steps.get(this.run.step);
  }

  change(fields: Partial<Run>): void {
    this.run = { ...this.run, ...fields };
  }
  wait(wait: Wait): void {
    this.change({ wait });
  }

  /** Takes an event that the run waited for: texts may use it from now on. */
  take(event: RunEvent): void {
    const { taken, kept } = this.run;
    this.change({
      event,
      taken: [...taken.slice(1 - MAX_TAKEN), event.id],
      kept: kept.filter((each) => each.event.id !== event.id),
    });
  }

  /** The message that a step sent last. */
  sentBy(step: string): SentMessage | undefined {
    return own(this.run.sent, step);
  }
  /** When what a step sent last was first known to be what is asked for; undefined while it is not. */
  reachedAt(check: SentCheck): JourneyTime | undefined {
    return reachedAt(this.run, check);
  }

  /** Ends the visit of a step and goes on by its outcome; without a link for it the run has come to its end. */
  leave(step: Step, outcome: Outcome, follow = 'padrao'): void {
    this.#record(step, outcome);
    const next = step.next.get(follow);
    if (next === undefined) this.#finish('fim');
    else this.#enter(next);
  }

  /** Ends the run at the step that it is at. */
  end(reason: EndReason, outcome: Outcome): void {
    const { step } = this;
    if (step) this.#record(step, outcome);
    this.#finish(reason, outcome.detail);
  }

  #enter(step: string): void {
    const { visits, sinceWait } = this.run;
    this.change({
      step,
      visits: { ...visits, [step]: (own(visits, step) ?? 0) + 1 },
      wait: { kind: 'ready', attempt: 1 },
      sinceWait: sinceWait + 1,
    });
    if (sinceWait >= MAX_WITHOUT_WAIT) this.end('erro', { result: 'erro', detail: 'passos_sem_espera' });
  }

  #record(step: Step, outcome: Outcome): void {
    this.history.push({
      step: step.key,
      kind: step.kind,
      at: this.moment.now,
      ...definedFields(outcome),
    } as HistoryEntry);
    this.change({ historyCount: this.run.historyCount + 1 });
  }

  #finish(reason: EndReason, detail?: string): void {
    const { wait: _, ...run } = this.run;
    this.run = {
      ...run,
      status: STATUS_OF[reason],
      endedAt: this.moment.now,
      end: { reason, ...definedFields({ detail }) },
      early: [],
      kept: [],
    };
  }
}
