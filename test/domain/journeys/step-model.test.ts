import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JourneyDefinition } from '../../../shared/domain/journeys/definition.ts';
import type { HistoryEntry } from '../../../shared/domain/journeys/run.ts';
import { step } from '../../../shared/domain/journeys/step.ts';
import { journeyFaults } from '../../../shared/domain/journeys/validate.ts';
import { dueAt } from '../../../shared/domain/journeys/waits.ts';
import { arbitraryChoices, arbitraryDefinition, type Choices } from '../../support/journeys/arbitrary.ts';
import { Drive, happen, isPerformed, type Taken } from '../../support/journeys/drive.ts';

const RUNS = { seed: 20_260_310, numRuns: 600 };
const HOUR_MS = 3_600_000;
/** Entries of the history that leave a turn room for one more. */
const ALL_BUT_ONE = 59;
const POLICY = { allowLoopbackHttp: false };
const definitions = arbitraryDefinition({ maxSteps: 14 });

/** A run of a generated journey to which things happened. */
const driven = (definition: JourneyDefinition, choices: Choices): Drive => {
  const drive = new Drive(definition);
  drive.now += choices.below(24) * HOUR_MS;
  while (!choices.isSpent) happen(choices, drive);
  return drive;
};
const histories = [definitions, arbitraryChoices(240)] as const;

/** The links that a visit's end may have followed. */
const outcomesOf = ({ result, detail }: HistoryEntry): string =>
  result === 'ramo'
    ? `ramo ${detail}`
    : ['sim', 'nao', 'evento', 'tempo_esgotado'].includes(result)
      ? result
      : 'padrao';

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const placeOf = ({ step: key, visit, attempt }: { step: string; visit: number; attempt: number }) =>
  `${key} ${visit} ${attempt}`;

describe('any run of any valid journey', () => {
  test('uses only valid journeys', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        expect(journeyFaults(definition, POLICY)).toEqual([]);
      }),
      RUNS,
    );
  });

  test('waits for something while it is active, and for nothing once it ended', () => {
    fc.assert(
      fc.property(...histories, (definition, choices) => {
        for (const { turn, moment } of driven(definition, choices).taken) {
          const { run } = turn;
          const isActive = run.status === 'ativa';
          expect(run.wait !== undefined).toBe(isActive);
          expect(dueAt(run, moment.pausedMs, moment.now) !== undefined).toBe(isActive);
          expect(run.endedAt !== undefined && run.end !== undefined).toBe(!isActive);
          if (!isActive) expect([run.kept, run.early]).toEqual([[], []]);
          expect(run.end?.detail).not.toBe('passos_sem_espera');
          expect(run.end?.detail).not.toBe('passo_inexistente');
        }
      }),
      RUNS,
    );
  });

  test('has one entry of its history for each visit of a step, and each leads to the next by a link', () => {
    fc.assert(
      fc.property(...histories, (definition, choices) => {
        const { run, history, graph } = driven(definition, choices);
        expect(run.historyCount).toBe(history.length);
        expect(sum(Object.values(run.visits))).toBe(history.length + (run.status === 'ativa' ? 1 : 0));
        for (const [at, entry] of history.entries()) {
          const next = history[at + 1]?.step ?? (run.status === 'ativa' ? run.step : undefined);
          if (next !== undefined) expect(graph.steps.get(entry.step)?.next.get(outcomesOf(entry))).toBe(next);
          expect(entry.at).toBeGreaterThanOrEqual(history[at - 1]?.at ?? 0);
        }
      }),
      RUNS,
    );
  });

  test('requests each send under one key: the same step and visit mean the same send, and none after its result', () => {
    fc.assert(
      fc.property(...histories, (definition, choices) => {
        const { taken, history } = driven(definition, choices);
        const requested = new Map<string, unknown>();
        const settled = new Set<string>();
        for (const { input, turn, before } of taken) {
          for (const effect of turn.effects.filter(isPerformed)) {
            const place = placeOf(effect);
            expect(settled.has(place)).toBe(false);
            expect(effect).toEqual(requested.get(place) ?? effect);
            requested.set(place, effect);
          }
          if (input.kind === 'result' && turn.run !== before) settled.add(placeOf(input));
        }
        const sends = [...requested.values()].filter((effect) => (effect as { kind: string }).kind === 'send');
        const reported = history.filter(
          ({ kind, result }) => kind === 'enviar' && !['meta', 'cancelada'].includes(result),
        );
        expect(reported.length).toBeLessThanOrEqual(sends.length);
        expect(sends.length).toBeLessThanOrEqual(history.filter(({ kind }) => kind === 'enviar').length + 1);
      }),
      RUNS,
    );
  });

  test('does not change when its last input is repeated, and a repeated turn gives the same result', () => {
    fc.assert(
      fc.property(...histories, (definition, choices) => {
        const drive = driven(definition, choices);
        for (const { before, moment, input, turn } of drive.taken) {
          expect(step(before, drive.graph, moment, input)).toEqual(turn);
          if (input.kind === 'due') continue;
          const again = step(turn.run, drive.graph, moment, input);
          if (input.kind === 'result' && input.result.kind === 'blocked') continue;
          expect(again.run).toBe(turn.run);
          expect([again.effects, again.history]).toEqual([[], []]);
        }
      }),
      RUNS,
    );
  });

  test('goes the same way in turns of one visit each, as runs are taken on that a transaction has no room for', () => {
    fc.assert(
      fc.property(...histories, (definition, choices) => {
        const { taken, graph } = driven(definition, choices);
        for (const { before, moment, input, turn } of taken) {
          const turns = [step(before, graph, moment, input, ALL_BUT_ONE)];
          for (let last = turns[0]; last?.continues; last = turns.at(-1))
            turns.push(step(last.run, graph, moment, { kind: 'due' }, ALL_BUT_ONE));
          for (const { history } of turns) expect(history.length).toBeLessThanOrEqual(2);
          expect({
            run: turns.at(-1)?.run,
            effects: turns.flatMap(({ effects }) => effects),
            history: turns.flatMap(({ history }) => history),
            continues: false,
          }).toEqual(turn);
        }
      }),
      RUNS,
    );
  });

  test('stops while its journey is paused, whatever arrives: pending results are accepted, and nothing is requested', () => {
    fc.assert(
      fc.property(...histories, (definition, choices) => {
        const { taken } = driven(definition, choices);
        for (const { before, moment, input, turn } of taken.filter(
          (each: Taken) => each.moment.pausedAt !== undefined,
        )) {
          const { run, effects } = turn;
          if (before.status !== 'ativa' || input.kind === 'cancel') continue;
          expect(effects).toEqual([]);
          expect(moment.pausedAt).toBeDefined();
          if (input.kind !== 'result')
            expect([run.step, run.wait, run.visits]).toEqual([before.step, before.wait, before.visits]);
        }
      }),
      RUNS,
    );
  });

  test('reaches its goal at most once', () => {
    fc.assert(
      fc.property(...histories, (definition, choices) => {
        const { effects, run } = driven(definition, choices);
        const conversions = effects.filter(({ kind }) => kind === 'convert');
        expect(conversions.length).toBe(run.convertedAt === undefined ? 0 : 1);
      }),
      RUNS,
    );
  });
});
