import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JourneyDefinition } from '../../../shared/domain/journeys/definition.ts';
import { arbitraryChoices, arbitraryDefinition, Choices } from '../../support/journeys/arbitrary.ts';
import { definition, entryOf, passo } from '../../support/journeys/build.ts';
import { Drive, happen } from '../../support/journeys/drive.ts';

const HOUR = 3_600_000;
const RUNS = { seed: 20_260_311, numRuns: 500 };
/** The journey's clock at the moments of a history, and what happened. */
const byClock = (drive: Drive, pausedAt: number, lasted: number) =>
  drive.history.map((entry) => ({ ...entry, at: entry.at > pausedAt ? entry.at - lasted : entry.at }));

/** The events of a run, as groups of choices that each decide one thing. */
const SLICE = 8;
const scripts = fc.array(fc.array(fc.nat(1_000_000), { minLength: SLICE, maxLength: SLICE }), { maxLength: 30 });
/** Things that happen, without pauses: those are what is compared. */
const happenUnpaused = (numbers: readonly number[], drive: Drive) => {
  const { pausedAt } = drive;
  if (pausedAt !== undefined) drive.resume();
  happen(new Choices(numbers), drive);
  if (drive.pausedAt !== undefined) drive.resume();
};

describe('a pause', () => {
  test('of any length, at any time, changes only the times of later steps', () => {
    fc.assert(
      fc.property(
        arbitraryDefinition({ maxSteps: 10, onlyDurations: true }),
        scripts,
        fc.nat(30),
        fc.integer({ min: 1, max: 400 * 24 * HOUR }),
        (of: JourneyDefinition, script, at, lasts) => {
          const entry = entryOf();
          const [plain, paused] = [new Drive(of, entry), new Drive(of, entry)];
          let pausedAt = Number.POSITIVE_INFINITY;
          for (const [index, numbers] of script.entries()) {
            if (index === at) {
              pausedAt = paused.now;
              paused.pause();
              paused.now += lasts;
              paused.resume();
            }
            happenUnpaused(numbers, plain);
            happenUnpaused(numbers, paused);
          }
          expect(byClock(paused, pausedAt, lasts)).toEqual(plain.history);
          expect(paused.run.wait).toEqual(plain.run.wait);
          expect(paused.run.visits).toEqual(plain.run.visits);
        },
      ),
      RUNS,
    );
  });

  test('that is over leaves an event to the wait that a run is about to reach, however long that takes', () => {
    const keys = Array.from({ length: 130 }, (_, at) => `c${at}`);
    const decide = (key: string) => passo('divisao', { ramos: [{ nome: 'A', peso: 100 }] }, key);
    const wait = (evento: string) => passo('esperar_evento', { evento, prazo: { dias: 2 } }, evento);
    const drive = new Drive(
      definition(
        [wait('visita'), ...keys.map(decide), wait('compra')],
        [`visita evento> ${keys[0]}`, ...keys.map((key, at) => `${key} ramo:A> ${keys[at + 1] ?? 'compra'}`)],
      ),
    );
    drive.wake();
    drive.pause();
    drive.take({ kind: 'event', event: { id: 'e1', name: 'visita' } });
    drive.resume();
    drive.take({ kind: 'event', event: { id: 'e2', name: 'compra' } });
    while (drive.taken.at(-1)?.turn.continues) drive.take({ kind: 'due' });
    expect(drive.history.at(-1)).toMatchObject({ step: 'compra', result: 'evento' });
    expect(drive.run).toMatchObject({ status: 'concluida', historyCount: 132 });
  });

  test('during which an event arrives has the same effect as if it arrived when the pause started', () => {
    fc.assert(
      fc.property(
        arbitraryDefinition({ maxSteps: 10, onlyDurations: true }),
        arbitraryChoices(120),
        fc.nat(1_000),
        fc.integer({ min: 1, max: 400 * 24 * HOUR }),
        (of, choices, kind, lasts) => {
          const entry = entryOf();
          const before = [new Drive(of, entry), new Drive(of, entry)] as const;
          const numbers: number[] = [];
          while (!choices.isSpent) numbers.push(choices.below(1_000_000));
          for (const drive of before) {
            const same = new Choices(numbers);
            while (!same.isSpent) happen(same, drive);
            drive.resume();
            drive.take({ kind: 'due' });
          }
          const [plain, paused] = before;
          const name = ['visita', 'pedido', 'compra'][kind % 3] ?? '';
          const came = { kind: 'event', event: { id: 'ultima', name } } as const;
          plain.take(came);
          plain.take({ kind: 'due' });
          paused.pause();
          paused.now += lasts;
          paused.take(came);
          paused.resume();
          paused.take({ kind: 'due' });
          expect(paused.history.map(({ at: _, ...rest }) => rest)).toEqual(
            plain.history.map(({ at: _, ...rest }) => rest),
          );
          expect(paused.run.wait).toEqual(plain.run.wait);
        },
      ),
      RUNS,
    );
  });

  test('does not move a wait for a time of day', () => {
    const drive = new Drive(definition([passo('esperar', { ate: { hora: '18:00' } })], []));
    drive.wake();
    drive.pause();
    drive.now += 2 * HOUR;
    drive.resume();
    expect(drive.dueAt).toBe(Date.parse('2026-03-10T21:00:00Z'));
    drive.wake();
    expect(drive.run).toMatchObject({ status: 'concluida', endedAt: Date.parse('2026-03-10T21:00:00Z') });
  });

  test('does not move the end of quiet hours', () => {
    const sends = definition([passo('enviar', { canal: 'sms', texto: 'Olá' })], [], {
      silencio: { inicio: '08:00', fim: '18:00' },
    });
    const drive = new Drive(sends);
    drive.wake();
    drive.pause();
    drive.now += 2 * HOUR;
    drive.resume();
    drive.wake();
    expect(drive.now).toBe(Date.parse('2026-03-10T21:00:00Z'));
    expect(drive.effects).toMatchObject([{ kind: 'send' }]);
  });

  test('keeps what is left of a wait: a run that is woken at the old time waits on', () => {
    const drive = new Drive(definition([passo('esperar', { horas: 10 })], []));
    drive.wake();
    drive.now += 4 * HOUR;
    drive.pause();
    drive.now += 100 * HOUR;
    drive.resume();
    const { run } = drive.take({ kind: 'due' });
    expect(run.status).toBe('ativa');
    expect(drive.dueAt).toBe(drive.now + 6 * HOUR);
    drive.wake();
    expect(drive.run.status).toBe('concluida');
  });

  test('has the result of an effect that was under way kept, and the next step wait for its end', () => {
    const drive = new Drive(
      definition(
        [passo('enviar', { canal: 'sms', texto: 'Olá' }), passo('etiqueta', { adicionar: 'x' })],
        ['enviar > etiqueta'],
      ),
    );
    drive.wake();
    drive.pause();
    drive.perform();
    expect(drive.history).toMatchObject([{ step: 'enviar', result: 'enviada' }]);
    expect(drive.run).toMatchObject({ step: 'etiqueta', wait: { kind: 'ready', attempt: 1 } });
    expect(drive.effects).toHaveLength(1);
    drive.resume();
    drive.wake();
    expect(drive.effects.at(-1)).toMatchObject({ kind: 'tag', step: 'etiqueta' });
  });
});
