import { digestOf } from '../audience/digest.ts';
import { matches } from '../audience/filters.ts';
import type { Contact } from '../contacts/contact.ts';
import { derivedId } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import type { SentStatus } from './definition.ts';
import { UNIT_MS } from './durations.ts';
import type { CardMove, Graph, JourneyMessage } from './graph.ts';
import { beginRun, type EndReason, type HistoryEntry, type Run, type RunEntry, type RunEvent } from './run.ts';
import { step } from './step.ts';
import type { EffectResult, Input, Moment, PerformedEffect } from './turn.ts';
import { dueAt } from './waits.ts';

/** Limits of a simulation, in time and in visits of steps: a loop may have no end. */
export const MAX_SIMULATED_MS = 366 * UNIT_MS.dias;
export const MAX_SIMULATED_STEPS = 10_000;

/** How a simulated message is shown; `unsent`: the step's result if it would not be sent to the contact. */
export interface SimulatedSend<R> {
  readonly shown: R;
  readonly unsent?: Extract<EffectResult, { readonly kind: 'refused' | 'skipped' }> | undefined;
}
/** The input of a simulation (docs/spec/journeys.md#simulation). Times in ms. */
export interface Scenario<R> {
  readonly graph: Graph;
  readonly entry: Omit<RunEntry, 'contactId'>;
  /** The contact when it enters; steps change a copy. */
  readonly contact: Contact;
  readonly beginsAt: number;
  /** Customer events, each at an offset from the start. */
  readonly events: readonly { readonly event: RunEvent; readonly afterMs: number }[];
  /** Outcomes of a step's messages, applied as soon as they are sent. */
  readonly messages: readonly { readonly step: string; readonly status: SentStatus }[];
  readonly timeZone: Moment['timeZone'];
  readonly quietUntil: Moment['quietUntil'];
  /** The simulated result and text of a message; `at`: ms. Pure: prices, which need I/O, are determined afterwards. */
  readonly send: (sent: {
    readonly message: JourneyMessage;
    readonly run: Run;
    readonly contact: Contact;
    readonly at: number;
  }) => SimulatedSend<R>;
  /** The result of a step that moves the contact's card; `at`: ms. */
  readonly moveCard: (contact: Contact, move: CardMove, at: number) => EffectResult;
}

/** A visit of a step: when it started, and when and how it ended (ms). `shown`: its message. */
export interface SimulatedStep<R> extends HistoryEntry {
  readonly since: number;
  readonly label?: string | undefined;
  readonly visit: number;
  readonly shown?: R | undefined;
}
/** How a simulation ended: as a run does, or at a limit. */
export interface Simulation<R> {
  readonly steps: readonly SimulatedStep<R>[];
  readonly end: {
    readonly at: number;
    readonly reason: EndReason | 'limite_de_tempo' | 'limite_de_passos';
    readonly detail?: string | undefined;
  };
}

/** The contact after a step's effect. */
const contactAfter = (contact: Contact, effect: PerformedEffect): Contact => {
  if (effect.kind === 'tag') {
    const kept = contact.tags.filter((tag) => !effect.remove.includes(tag) && !effect.add.includes(tag));
    return { ...contact, tags: [...kept, ...effect.add] };
  }
  if (effect.kind !== 'attribute') return contact;
  return { ...contact, attributes: { ...contact.attributes, [effect.key]: effect.value } };
};

/** A simulation in progress, with its own run, contact and clock. */
class Play<R> {
  readonly scenario: Scenario<R>;
  readonly steps: SimulatedStep<R>[] = [];
  run: Run;
  contact: Contact;
  now: number;
  #since: number;
  #shown: R | undefined;
  #sent = 0;
  readonly #visits = new Map<string, number>();

  constructor(scenario: Scenario<R>) {
    const { contact, entry, graph, beginsAt } = scenario;
    this.scenario = scenario;
    this.contact = contact;
    this.now = beginsAt;
    this.#since = beginsAt;
    this.run = beginRun({ ...entry, contactId: contact.id }, graph, beginsAt);
  }

  /** Processes an input and the effects that it requests, until none is left. */
  take(input: Input): void {
    for (let next: Input | undefined = input; next && this.steps.length < MAX_SIMULATED_STEPS; ) {
      const { run, effects, history } = step(this.run, this.scenario.graph, this.#moment(), next);
      this.run = run;
      for (const entry of history) this.#record(entry);
      const effect = effects.find((each) => each.kind !== 'convert' && each.kind !== 'pause_journey');
      next = effect && this.#perform(effect);
    }
  }

  #moment(): Moment {
    const { timeZone, quietUntil } = this.scenario;
    const digest = digestOf(this.contact);
    return { now: this.now, pausedMs: 0, timeZone, quietUntil, matches: (tree) => matches(tree, digest, this.now) };
  }

  #record(entry: HistoryEntry): void {
    const visit = (this.#visits.get(entry.step) ?? 0) + 1;
    this.#visits.set(entry.step, visit);
    const label = this.scenario.graph.steps.get(entry.step)?.label;
    this.steps.push({
      ...entry,
      since: this.#since,
      visit,
      ...definedFields({ label, shown: this.#shown }),
    } as SimulatedStep<R>);
    this.#since = this.now;
    this.#shown = undefined;
  }

  /** Applies an effect to the simulated contact, and returns its result. */
  #perform(effect: PerformedEffect): Input {
    this.contact = contactAfter(this.contact, effect);
    const { step: key, visit, attempt } = effect;
    return { kind: 'result', step: key, visit, attempt, result: this.#resultOf(effect) };
  }

  #resultOf(effect: PerformedEffect): EffectResult {
    if (effect.kind === 'send') return this.#send(effect.step, effect.message);
    return effect.kind === 'move_card' ? this.scenario.moveCard(this.contact, effect, this.now) : { kind: 'done' };
  }

  /** The outcome is reported before the send's result, so that any later check sees it. */
  #send(key: string, message: JourneyMessage): EffectResult {
    const { run, contact, now: at } = this;
    const { shown, unsent } = this.scenario.send({ message, run, contact, at });
    this.#shown = shown;
    if (unsent) return unsent;
    const messageId = derivedId('message', [String(this.#sent++)]);
    for (const { step: of, status } of this.scenario.messages)
      if (of === key) this.take({ kind: 'signal', signal: { step: key, messageId, status } });
    return { kind: 'sent', messageId };
  }
}

/** The next input: an event, else the run's own due time. Undefined if the run ended. */
const nextOf = <R>({ run, now, scenario }: Play<R>, eventsTaken: number) => {
  const due = dueAt(run, 0, now);
  if (due === undefined) return undefined;
  const next = scenario.events[eventsTaken];
  const eventAt = next ? scenario.beginsAt + next.afterMs : Number.POSITIVE_INFINITY;
  return next && eventAt < due ? { at: eventAt, event: next.event } : { at: due };
};

const endOf = <R>({ run, now, steps }: Play<R>): Simulation<R>['end'] => {
  if (run.end) return { at: run.endedAt ?? now, ...run.end };
  return { at: now, reason: steps.length >= MAX_SIMULATED_STEPS ? 'limite_de_passos' : 'limite_de_tempo' };
};

/**
 * Simulates a journey for one contact with its own clock, using the real interpreter: nothing is stored, sent or charged. Stops at the end
 * of the run, after 366 days or 10,000 visits of steps.
 */
export const simulate = <R>(given: Scenario<R>): Simulation<R> => {
  const events = given.events.toSorted((a, b) => a.afterMs - b.afterMs);
  const play = new Play({ ...given, events });
  let eventsTaken = 0;
  for (let next = nextOf(play, eventsTaken); next; next = nextOf(play, eventsTaken)) {
    if (play.steps.length >= MAX_SIMULATED_STEPS || next.at > given.beginsAt + MAX_SIMULATED_MS) break;
    play.now = next.at;
    if (next.event) eventsTaken++;
    play.take(next.event ? { kind: 'event', event: next.event } : { kind: 'due' });
  }
  return { steps: play.steps, end: endOf(play) };
};
