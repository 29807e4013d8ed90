import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ShadowRun } from './shadow.ts';
import type { Journeys } from './stage.ts';

const ENDS = { concluida: 'concluidas', cancelada: 'canceladas', erro: 'erros' } as const;

/** A recount of a journey's runs, in the form of its counters. */
export const recountOf = (runs: readonly ShadowRun[]): Record<string, Record<string, number>> => {
  const counts: Record<string, Record<string, number>> = {};
  const add = (step: string, name: string, by = 1) => {
    const own = counts[step] ?? {};
    counts[step] = own;
    own[name] = (own[name] ?? 0) + by;
  };
  for (const { run, history, converted } of runs) {
    add('', 'entradas');
    if (run.status !== 'ativa') add('', ENDS[run.status]);
    if (converted) {
      add('', 'conversoes');
      if (converted.value) add('', 'valorConvertido', Math.round(converted.value * 10_000));
    }
    for (const [step, visits] of Object.entries(run.visits)) add(step, 'entraram', visits);
    for (const { step, result } of history) {
      add(step, 'sairam');
      if (result === 'pulada') add(step, 'puladas');
    }
  }
  return runs.length === 0 ? { '': {} } : counts;
};

/** `toEqual`, which is slow, where the two differ alone. */
export const expectEqual = (found: unknown, expected: unknown, what: string): void => {
  if (!isDeepStrictEqual(found, expected)) expect(found, what).toEqual(expected);
};

/** Each run is stored as the pure interpreter has it, with its history. */
export const checkRuns = async ({ ports }: Journeys, shadows: readonly ShadowRun[], what: string): Promise<void> => {
  const all = await ports.runs.read(shadows.map(({ run }) => run.id));
  for (const [at, { run, history }] of shadows.entries()) {
    const stored = all[at];
    const reported = stored && (await ports.runs.historyOf(stored));
    expectEqual(reported, history, `${what}: history of ${run.id}`);
    // How often a run was stored is not the interpreter's.
    expectEqual({ ...stored?.run, version: 0 }, { ...run, version: 0 }, `${what}: ${run.id}`);
  }
};
