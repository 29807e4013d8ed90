import type { HistoryEntry, Run, RunEvent, RunStatus } from './run.ts';
import type { Counts, JourneyCounts } from './run-ports.ts';

/** Step counters updated by runs; messages update the others (docs/spec/journeys.md#metrics). */
export const STEP_COUNTS = ['entraram', 'sairam', 'puladas'] as const;
/** Counters of a journey as a whole. */
export const RUN_COUNTS = ['entradas', 'concluidas', 'canceladas', 'erros', 'conversoes', 'valorConvertido'] as const;
type CountName = (typeof STEP_COUNTS)[number] | (typeof RUN_COUNTS)[number];

/** The counter key of the journey itself. */
export const JOURNEY_ITSELF = '';

const ENDED: Readonly<Record<Exclude<RunStatus, 'ativa'>, CountName>> = {
  concluida: 'concluidas',
  cancelada: 'canceladas',
  erro: 'erros',
};

/** Goal values are counted in ten-thousandths, since sums of fractions would drift. */
export const VALUE_SCALE = 10_000;

/** The counts of runs that start at a step. */
export const countsOfStarts =
  (first: string) =>
  (entered: number): JourneyCounts =>
    new Map([
      [JOURNEY_ITSELF, { entradas: entered }],
      [first, { entraram: entered }],
    ]);

/** Adds counts to those of a key. */
export const addCounts = (sums: Map<string, Record<string, number>>, key: string, counts: Counts): void => {
  const sum = sums.get(key) ?? {};
  sums.set(key, sum);
  for (const [name, by] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + by;
};

/** Separates the keys of two steps: a transition between them is counted by one write, for both. */
const TO = '>';

/** The counts of a move: each step that it left, with the one it reached, one per history entry; the end of the run, and its goal. */
export const countsOfMove = (
  before: Run,
  after: Run,
  added: readonly HistoryEntry[],
  goal: RunEvent | undefined,
): JourneyCounts => {
  const counts = new Map<string, Record<string, number>>();
  const add = (key: string, name: CountName, by: number) => addCounts(counts, key, { [name]: by });
  const isActive = after.status === 'ativa';
  for (const [at, { step, result }] of added.entries()) {
    const next = added[at + 1]?.step ?? (isActive ? after.step : undefined);
    const key = next === undefined ? step : [step, next].join(TO);
    add(key, 'sairam', 1);
    if (result === 'pulada') add(key, 'puladas', 1);
  }
  if (after.status !== 'ativa' && before.status === 'ativa') add(JOURNEY_ITSELF, ENDED[after.status], 1);
  if (goal) {
    add(JOURNEY_ITSELF, 'conversoes', 1);
    const value = Math.round((goal.value ?? 0) * VALUE_SCALE);
    if (value !== 0) add(JOURNEY_ITSELF, 'valorConvertido', value);
  }
  return counts;
};

/** The counters of each step, derived from those of steps and of edges: a run that left one step for another entered that one. */
export const countsOfSteps = (counted: JourneyCounts): JourneyCounts => {
  const sums = new Map<string, Record<string, number>>();
  for (const [key, counts] of counted) {
    const [step = '', next] = key.split(TO);
    addCounts(sums, step, counts);
    if (next !== undefined)
      addCounts(sums, next, { entraram: counts.sairam ?? 0 } satisfies { [N in CountName]?: number });
  }
  return sums;
};
