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

/** Maximum steps of a run without a wait: no valid graph has a longer path. */
const MAX_WITHOUT_WAIT = 150;
/** Maximum visits that a turn ends, not counting a goal's: each is a counter in the transaction that stores it. */
const MAX_ADDED = 60;

/** Number of events whose repeats a run recognizes. */
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

/** How a visit ended, and its history details. */
interface Outcome {
  readonly result: HistoryResult;
  readonly messageId?: Id<'message'> | undefined;
  readonly detail?: string | undefined;
}

/** A run during a turn: each change creates a new run object. */
export class Walk {
  run: Run;
  readonly graph: Graph;
  readonly moment: Moment;
  readonly effects: Effect[] = [];
  readonly history: HistoryEntry[] = [];
  /** The turn is full, and the run could continue immediately. */
  continues = false;
  readonly #room: number;

  /** `added`: history entries stored in the same transaction. */
  constructor(run: Run, graph: Graph, moment: Moment, added: number) {
    this.run = run;
    this.graph = graph;
    this.moment = moment;
    this.#room = MAX_ADDED - added;
  }

  /** Whether no further visit fits into the transaction. */
  get isFull(): boolean {
    return this.history.length >= this.#room;
  }

  /** The time of the journey's clock, which stops during a pause. */
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
  /** The run's present step; undefined if the graph has no such key. */
  get step(): Step | undefined {
    return this.graph.steps.get(this.run.step);
  }

  change(fields: Partial<Run>): void {
    this.run = { ...this.run, ...fields };
  }
  wait(wait: Wait): void {
    this.change({ wait });
  }

  /** Consumes an event that the run waited for: texts may use it from now on. */
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
  /** When a step's last message first reached the checked outcome; undefined while it has not. */
  reachedAt(check: SentCheck): JourneyTime | undefined {
    return reachedAt(this.run, check);
  }

  /** Ends the visit of a step and follows its outcome; without a link for it the run ends. */
  leave(step: Step, outcome: Outcome, follow = 'padrao'): void {
    this.#record(step, outcome);
    const next = step.next.get(follow);
    if (next === undefined) this.#finish('fim');
    else this.#enter(next);
  }

  /** Ends the run at its present step. */
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
