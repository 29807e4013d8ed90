import { digestOf } from '../../shared/domain/audience/digest.ts';
import { matches } from '../../shared/domain/audience/filters.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { derivedId, type Id } from '../../shared/domain/core/ids.ts';
import type { Graph } from '../../shared/domain/journeys/graph.ts';
import { beginRun, type HistoryEntry, type Run, type RunEvent } from '../../shared/domain/journeys/run.ts';
import { step } from '../../shared/domain/journeys/step.ts';
import type { EffectResult, Input, PerformedEffect, Turn } from '../../shared/domain/journeys/turn.ts';
import { momentAt } from '../support/journeys/build.ts';
import { isPerformed } from '../support/journeys/drive.ts';

/** Names an effect: whose run, which step, which visit. */
export const keyOf = (runId: string, { step: at, visit }: Pick<PerformedEffect, 'step' | 'visit'>): string =>
  [runId, at, visit].join(' ');
export const messageOf = (key: string): Id<'message'> => derivedId('message', [key]);

/** The state of a journey in a history. */
export interface JourneyState {
  now: number;
  pausedMs: number;
  pausedAt: number | undefined;
  /** The results of effects. */
  readonly resultOf: (runId: string, effect: PerformedEffect) => EffectResult;
}

/** A run in the pure interpreter, with the same signals in the same order. */
export class ShadowRun {
  run: Run;
  readonly history: HistoryEntry[] = [];
  /** Effects that were done, by their names. */
  readonly done: Set<string>;
  converted: RunEvent | undefined;
  readonly #graph: Graph;
  readonly #contact: Contact;
  readonly #state: JourneyState;

  constructor(
    entry: Parameters<typeof beginRun>[0],
    graph: Graph,
    contact: Contact,
    state: JourneyState,
    done: Set<string>,
  ) {
    this.#graph = graph;
    this.#contact = contact;
    this.#state = state;
    this.done = done;
    this.run = beginRun(entry, graph, state.now);
  }

  #turn(input: Input): Turn {
    const { now, pausedMs, pausedAt } = this.#state;
    const moment = momentAt(now, {
      pausedMs,
      ...(pausedAt === undefined ? {} : { pausedAt }),
      matches: (tree) => matches(tree, digestOf(this.#contact), now),
    });
    const turn = step(this.run, this.#graph, moment, input);
    this.run = turn.run;
    this.history.push(...turn.history);
    for (const effect of turn.effects) {
      if (effect.kind === 'convert') this.converted = effect.event;
      if (effect.kind === 'pause_journey') this.#state.pausedAt ??= now;
    }
    return turn;
  }

  /** Takes an input, and then does what comes of it as far as it gets. */
  take(input: Input): void {
    let turn = this.#turn(input);
    for (;;) {
      while (turn.continues) turn = this.#turn({ kind: 'due' });
      const effect = this.#state.pausedAt === undefined ? turn.effects.find(isPerformed) : undefined;
      if (!effect) return;
      const result = this.#state.resultOf(this.run.id, effect);
      if (result.kind === 'sent' || result.kind === 'done') this.done.add(keyOf(this.run.id, effect));
      const { step: at, visit, attempt } = effect;
      turn = this.#turn({ kind: 'result', step: at, visit, attempt, result });
    }
  }
}
