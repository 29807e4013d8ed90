import type { Id } from '../../../shared/domain/core/ids.ts';
import { type JourneyDefinition, SENT_STATUSES } from '../../../shared/domain/journeys/definition.ts';
import { type Graph, graphOf } from '../../../shared/domain/journeys/graph.ts';
import { beginRun, type HistoryEntry, type Run, type RunEntry } from '../../../shared/domain/journeys/run.ts';
import { step } from '../../../shared/domain/journeys/step.ts';
import type {
  Effect,
  EffectResult,
  Input,
  Moment,
  PerformedEffect,
  Turn,
} from '../../../shared/domain/journeys/turn.ts';
import { awaitedEvents, dueAt } from '../../../shared/domain/journeys/waits.ts';
import { type Choices, EVENTS } from './arbitrary.ts';
import { entryOf, momentAt, START } from './build.ts';

export const isPerformed = (effect: Effect): effect is PerformedEffect =>
  effect.kind !== 'pause_journey' && effect.kind !== 'convert';

/** A turn as it was taken. */
export interface Taken {
  readonly before: Run;
  readonly moment: Moment;
  readonly input: Input;
  readonly turn: Turn;
}

/** A journey with one run: what the engine does with it, in memory, with a clock of its own. */
export class Drive {
  readonly graph: Graph;
  run: Run;
  now = START;
  pausedMs = 0;
  pausedAt: number | undefined;
  /** The answers of conditions. */
  meets = false;
  readonly taken: Taken[] = [];
  readonly history: HistoryEntry[] = [];
  readonly effects: Effect[] = [];
  /** The effect that waits for its result. */
  pending: PerformedEffect | undefined;
  #messages = 0;

  constructor(definition: JourneyDefinition, entry: Partial<RunEntry> = {}) {
    this.graph = graphOf(definition);
    this.run = beginRun(entryOf(entry), this.graph, this.now);
  }

  get moment(): Moment {
    const { now, pausedMs, pausedAt, meets } = this;
    return momentAt(now, { pausedMs, matches: () => meets, ...(pausedAt === undefined ? {} : { pausedAt }) });
  }

  /** Takes a turn and stores what comes of it. */
  take(input: Input): Turn {
    const { run: before, moment } = this;
    const turn = step(before, this.graph, moment, input);
    this.taken.push({ before, moment, input, turn });
    this.run = turn.run;
    this.history.push(...turn.history);
    this.effects.push(...turn.effects);
    this.pending = turn.effects.find(isPerformed) ?? (this.#isPending ? this.pending : undefined);
    if (turn.effects.some(({ kind }) => kind === 'pause_journey')) this.pause();
    return turn;
  }

  /** Whether the run still waits for the last requested effect. */
  get #isPending(): boolean {
    const { run, pending } = this;
    return run.wait?.kind === 'ready' && run.step === pending?.step && run.visits[run.step] === pending.visit;
  }

  pause(): void {
    this.pausedAt ??= this.now;
  }
  resume(): void {
    if (this.pausedAt !== undefined) this.pausedMs += this.now - this.pausedAt;
    this.pausedAt = undefined;
  }

  /** Reports the pending effect's result. */
  tell(result: EffectResult): void {
    if (!this.pending) return;
    const { step: key, visit, attempt } = this.pending;
    this.take({ kind: 'result', step: key, visit, attempt, result });
  }
  /** Does the pending effect as it should be done. */
  perform(): void {
    this.tell(this.pending?.kind === 'send' ? { kind: 'sent', messageId: this.newMessage() } : { kind: 'done' });
  }
  /** The id that the next message will have. */
  get nextMessage(): Id<'message'> {
    return `msg_${String(this.#messages).padStart(21, '0')}` as Id<'message'>;
  }
  newMessage(): Id<'message'> {
    const id = this.nextMessage;
    this.#messages++;
    return id;
  }

  /** When the run has to be woken next; undefined where it ended. */
  get dueAt(): number | undefined {
    return dueAt(this.run, this.pausedMs, this.now);
  }
  /** Lets the time pass until the run is due, and wakes it. */
  wake(): void {
    const { dueAt: at } = this;
    if (at === undefined) return;
    this.now = Math.max(this.now, at);
    this.take({ kind: 'due' });
  }
}

/** A run of a journey that went as far as it gets. */
export const started = (definition: JourneyDefinition, entry: Partial<RunEntry> = {}): Drive => {
  const drive = new Drive(definition, entry);
  do drive.wake();
  while (drive.taken.at(-1)?.turn.continues);
  return drive;
};

const OTHER_RESULTS = ['skipped', 'refused', 'failed', 'blocked'] as const;
const resultBy = (choices: Choices): EffectResult => {
  const kind = choices.pick(OTHER_RESULTS);
  return kind === 'blocked' ? { kind, reason: 'saldo_insuficiente' } : { kind, detail: 'opt_out' };
};

/** The result of a message: mostly one that some step waits for, and sometimes before its send is reported. */
const signalBy = (choices: Choices, drive: Drive): Input => {
  const { run, graph, pending } = drive;
  const sent = Object.entries(run.sent).filter(([key]) => graph.watched.has(key));
  if (pending?.kind === 'send' && choices.once(2)) {
    const signal = { step: pending.step, messageId: drive.nextMessage, status: choices.pick(SENT_STATUSES) };
    return { kind: 'signal', signal };
  }
  const [key, message] =
    sent.length > 0 && !choices.once(5) ? choices.pick(sent) : [choices.pick([...drive.graph.steps.keys()])];
  const messageId = message?.messageId ?? drive.newMessage();
  return { kind: 'signal', signal: { step: key, messageId, status: choices.pick(SENT_STATUSES) } };
};

/** An event, mostly one that the run waits for; sometimes the last one again. */
const eventBy = (choices: Choices, { run, graph }: Drive): Input => {
  const awaited = choices.once(2) ? awaitedEvents(run, graph).step : undefined;
  const repeated = choices.once(4) ? run.event : undefined;
  const name = awaited ?? choices.pick(EVENTS);
  return { kind: 'event', event: repeated ?? { id: `e${choices.below(1_000_000)}`, name } };
};
/** An earlier input again: any but a cancel. */
const repeatBy = (choices: Choices, { taken }: Drive): Input => {
  const input = taken.length > 0 ? choices.pick(taken).input : undefined;
  return input && input.kind !== 'cancel' ? input : { kind: 'due' };
};

const HAPPENINGS: readonly ((choices: Choices, drive: Drive) => void)[] = [
  (_, drive) => drive.wake(),
  (_, drive) => drive.wake(),
  (_, drive) => drive.wake(),
  (_, drive) => drive.perform(),
  (_, drive) => drive.perform(),
  (_, drive) => drive.perform(),
  (choices, drive) => drive.tell(resultBy(choices)),
  (choices, drive) => void drive.take(eventBy(choices, drive)),
  (choices, drive) => void drive.take(eventBy(choices, drive)),
  (choices, drive) => void drive.take(signalBy(choices, drive)),
  (choices, drive) => void drive.take(signalBy(choices, drive)),
  (choices, drive) => void drive.take(repeatBy(choices, drive)),
  (_, drive) => (drive.pausedAt === undefined ? drive.pause() : drive.resume()),
  (choices, drive) => void drive.take(choices.once(20) ? { kind: 'cancel', reason: 'operador' } : { kind: 'due' }),
];

/** Something that may happen at any moment, decided by choices. */
export const happen = (choices: Choices, drive: Drive): void => {
  drive.now += choices.pick([0, 0, 1, 1_000, 600_000, 3_600_000, 36_000_000]);
  drive.meets = choices.once(2);
  choices.pick(HAPPENINGS)(choices, drive);
};
