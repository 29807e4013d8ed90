import type { Id } from '../core/ids.ts';
import { jsonBytes } from '../core/json-bytes.ts';
import { definedFields, definedTimes } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { WireGraph } from './definition.ts';
import type { Journey, JourneyPause } from './journey.ts';
import { withMaskedHeaders } from './kept-headers.ts';
import type { RunStatus } from './run.ts';

/** The number of a version's runs per status. */
export type RunCounts = Readonly<Record<RunStatus, number>>;

/** The facts of a version that responses show besides its row. */
export interface JourneyFacts {
  readonly runs: ReadonlyMap<Id<'journey'>, RunCounts>;
  /** By list id: its name, and its number of contacts. */
  readonly lists: ReadonlyMap<string, { readonly name: string; readonly size: number }>;
  /** By the id of a segment. */
  readonly segments: ReadonlyMap<string, { readonly name: string }>;
}
const NO_RUNS: RunCounts = { ativa: 0, concluida: 0, cancelada: 0, erro: 0 };

const pauseView = ({ reason: motivo, step: passo, at, label: rotulo }: JourneyPause) => ({
  motivo,
  passo,
  em: isoTime(at),
  ...definedFields({ rotulo }),
});

/** Maximum size of a flow in a list: 200 of them fit a response. */
const MAX_LISTED_BYTES = 20_000;
/** A flow as lists show it, truncated to the maximum size. */
const listedFlow = (flow: readonly string[]): string[] => {
  let bytes = 0;
  return flow.filter((label) => {
    bytes += jsonBytes(label) + 1;
    return bytes <= MAX_LISTED_BYTES;
  });
};

/** The fields that all responses show of a version. */
const commonView = (journey: Journey, { runs, lists, segments }: JourneyFacts) => {
  const { id, rootId, name, status, reentrada, intervaloReentradaHoras, silencio, tetoDeFrequencia, meta } = journey;
  const { tipo, listId = '', segmentId = '', nome } = journey.gatilho;
  const list = lists.get(listId);
  const segment = segments.get(segmentId);
  return {
    id,
    name,
    status,
    gatilho: { tipo, ...definedFields({ listId: journey.gatilho.listId, nome, segmentId: journey.gatilho.segmentId }) },
    reentrada,
    execucoes: { ...(runs.get(id) ?? NO_RUNS) },
    versao: journey.number,
    ...definedFields({
      intervaloReentradaHoras,
      pausadaPor: journey.pause && pauseView(journey.pause),
      silencio,
      tetoDeFrequencia,
      meta,
      versaoDe: rootId === id ? undefined : rootId,
      substituidaPor: journey.replacedBy,
      entradasEncerradas: journey.entriesClosed,
      metaEvento: meta?.evento,
      lista: list && { nome: list.name, tamanho: list.size },
      segmento: segment && { nome: segment.name },
    }),
    ...definedTimes({ ativadaEm: journey.activatedAt }),
    createdAt: isoTime(journey.createdAt),
    updatedAt: isoTime(journey.updatedAt),
    canais: [...journey.channels],
    fluxo: [...journey.flow],
  };
};

/** A version as lists show it. */
export const journeyRowView = (journey: Journey, facts: JourneyFacts) => ({
  ...commonView(journey, facts),
  fluxo: listedFlow(journey.flow),
});

type Writable<T> = T extends string
  ? T
  : T extends readonly (infer E)[]
    ? Writable<E>[]
    : T extends object
      ? { -readonly [K in keyof T]: Writable<T[K]> }
      : T;
/** A mutable copy for a response, since schemas have no readonly types. */
const copyOf = <T>(value: T): Writable<T> => structuredClone(value) as Writable<T>;

/** A version with its steps. Values of headers are masked. */
export const journeyView = (journey: Journey, { passos, ligacoes }: WireGraph, facts: JourneyFacts) => ({
  ...commonView(journey, facts),
  passos: copyOf(withMaskedHeaders(passos)),
  ligacoes: copyOf(ligacoes),
});
