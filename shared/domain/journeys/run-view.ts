import type { CursorItems } from '../core/cursor.ts';
import { definedFields, definedTimes } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { type HistoryEntry, type Run, visitOf, type Wait } from './run.ts';
import type { SimulatedStep, Simulation } from './simulate.ts';

/** The reasons why a run waits, as responses name them. */
export const WAIT_REASONS = ['acao', 'tempo', 'horario', 'silencio', 'evento', 'nova_tentativa'] as const;
type WaitReason = (typeof WAIT_REASONS)[number];
const REASON_OF: Readonly<Record<Wait['kind'], WaitReason>> = {
  ready: 'acao',
  duration: 'tempo',
  moment: 'horario',
  quiet: 'silencio',
  event: 'evento',
  retry: 'nova_tentativa',
};

/** Until when a run waits, in ms, provided that its journey is not paused. */
const endOf = (wait: Wait, pausedMs: number): number | undefined => {
  if (wait.kind === 'ready') return undefined;
  return wait.kind === 'moment' || wait.kind === 'quiet' ? wait.until : wait.until + pausedMs;
};
const waitView = (wait: Wait, pausedMs: number) => ({
  motivo: REASON_OF[wait.kind],
  ...definedTimes({ ate: endOf(wait, pausedMs) }),
});

/** An entry of a run's history. */
export const historyView = ({ step, kind, at, result, messageId, detail }: HistoryEntry) => ({
  passo: step,
  tipo: kind,
  em: isoTime(at),
  resultado: result,
  ...definedFields({ messageId, detalhe: detail }),
});

/** A run as lists show it. `pausedMs`: the total time that its journey was paused, including a present pause. */
export const runView = (run: Run, pausedMs: number) => {
  const { id, journeyId, contactId, status, step, wait, beganAt, endedAt, end, event } = run;
  return {
    id,
    journeyId,
    contactId,
    status,
    passo: step,
    visita: visitOf(run),
    iniciadaEm: isoTime(beganAt),
    variaveis: { ...run.variables },
    ramos: { ...run.branches },
    ...definedFields({
      espera: wait && waitView(wait, pausedMs),
      fim: end && { motivo: end.reason, ...definedFields({ detalhe: end.detail }) },
      evento: event && { nome: event.name },
    }),
    ...definedTimes({ terminadaEm: endedAt, convertidaEm: run.convertedAt }),
  };
};

/** A run with a page of its history. */
export const runWithHistoryView = (run: Run, { items, nextCursor }: CursorItems<HistoryEntry>, pausedMs: number) => ({
  ...runView(run, pausedMs),
  historico: items.map(historyView),
  ...definedFields({ nextCursor }),
});

/** A message of a simulation, as responses show it. */
export interface SimulatedMessage {
  readonly canal: string;
  readonly texto?: string | undefined;
  readonly template?: string | undefined;
  readonly variaveis?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly assunto?: string | undefined;
  readonly html?: string | undefined;
  /** Its price in coins; absent if it has none. */
  readonly coins?: number | undefined;
}

const simulatedStepView = ({
  messageId: _,
  since,
  label,
  visit,
  shown,
  ...entry
}: SimulatedStep<SimulatedMessage>) => ({
  ...historyView(entry),
  desde: isoTime(since),
  visita: visit,
  ...definedFields({
    rotulo: label,
    mensagem: shown && { ...shown, ...definedFields({ variaveis: shown.variaveis && { ...shown.variaveis } }) },
  }),
});

/** A simulation with its messages, and their total price. */
export const simulationView = ({ steps, end }: Simulation<SimulatedMessage>) => ({
  passos: steps.map(simulatedStepView),
  fim: { em: isoTime(end.at), motivo: end.reason, ...definedFields({ detalhe: end.detail }) },
  coins: steps.reduce((sum, { shown, result }) => sum + (result === 'enviada' ? (shown?.coins ?? 0) : 0), 0),
});
