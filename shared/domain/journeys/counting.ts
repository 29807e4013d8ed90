import type { HistoryEntry, Run, RunEvent, RunStatus } from './run.ts';
import type { JourneyCounts } from './run-ports.ts';

/** What is counted of a step by the moves of runs; its messages count the rest (docs/spec/journeys.md#metrics). */
export const STEP_COUNTS = ['entraram', 'sairam', 'puladas'] as const;
/** What is counted of a journey as a whole. */
export const RUN_COUNTS = ['entradas', 'concluidas', 'canceladas', 'erros', 'conversoes', 'valorConvertido'] as const;
type CountName = (typeof STEP_COUNTS)[number] | (typeof RUN_COUNTS)[number];

/** The key under which what belongs to no step is counted. */
export const JOURNEY_ITSELF = '';

const ENDED: Readonly<Record<Exclude<RunStatus, 'ativa'>, CountName>> = {
  concluida: 'concluidas',
  cancelada: 'canceladas',
  erro: 'erros',
};

/** Values of goals are counted in ten-thousandths, since sums of fractions would drift. */
export const VALUE_SCALE = 10_000;

/** What runs that begin at a step count. */
export const countsOfStarts =
  (first: string) =>
  (begun: number): JourneyCounts =>
    new Map([
      [JOURNEY_ITSELF, { entradas: begun }],
      [first, { entraram: begun }],
    ]);

/**
 * What a move counts: the steps that it came to and left, one history entry for each that it left, the end of the run, and the goal that it
 * reached. What entered a step and has not left it is still there.
 */
export const countsOfMove = (
  before: Run,
  after: Run,
  added: readonly HistoryEntry[],
  goal: RunEvent | undefined,
): JourneyCounts => {
  const counts = new Map<string, Record<string, number>>();
  const add = (step: string, name: CountName, by: number) => {
    const own = counts.get(step) ?? {};
    counts.set(step, own);
    own[name] = (own[name] ?? 0) + by;
  };
  for (const [step, visits] of Object.entries(after.visits)) {
    const came = visits - (Object.hasOwn(before.visits, step) ? (before.visits[step] ?? 0) : 0);
    if (came > 0) add(step, 'entraram', came);
  }
  for (const { step, result } of added) {
    add(step, 'sairam', 1);
    if (result === 'pulada') add(step, 'puladas', 1);
  }
  if (after.status !== 'ativa' && before.status === 'ativa') add(JOURNEY_ITSELF, ENDED[after.status], 1);
  if (goal) {
    add(JOURNEY_ITSELF, 'conversoes', 1);
    const value = Math.round((goal.value ?? 0) * VALUE_SCALE);
    if (value !== 0) add(JOURNEY_ITSELF, 'valorConvertido', value);
  }
  return counts;
};
