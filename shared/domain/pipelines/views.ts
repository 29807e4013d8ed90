import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { CountedPipeline, CurrencySum, Pipeline } from './pipeline.ts';
import type { Forecast, PipelinePage } from './pipelines.ts';
import type { PlacedStage } from './stages.ts';

/** An amount of whole cents as it is on the wire. */
export const amountOf = (cents: number): number => cents / 100;

/** A stage as it is on the wire. */
export const stageView = ({ stage, place }: PlacedStage) => ({
  id: stage.id,
  nome: stage.name,
  ordem: place,
  tipo: stage.type,
  ...definedFields({ probabilidade: stage.probability, tempoMaximoDias: stage.maxDays }),
  camposObrigatorios: [...stage.requiredFields],
});

/** A pipeline as it is on the wire. */
export const pipelineView = ({ id, name, type, archived, stages, createdAt, updatedAt }: Pipeline) => ({
  id,
  nome: name,
  tipo: type,
  arquivado: archived,
  estagios: stages.map((stage, at) => stageView({ stage, place: at + 1 })),
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
});

/** A page of pipelines as it is on the wire. */
export const pipelinePageView = ({ items, total, counted }: PipelinePage) => {
  const byId = <V>(of: (one: CountedPipeline) => V): Record<Id<'pipeline'>, V> =>
    Object.fromEntries((counted ?? []).map((one) => [one.pipeline.id, of(one)]));
  const isOpen = ({ type }: Pipeline['stages'][number]) => type === 'aberto';
  return {
    items: items.map(pipelineView),
    total,
    ...(counted
      ? {
          cardCounts: byId(({ counts }) => counts.cards),
          openStageCounts: byId(({ pipeline }) => pipeline.stages.filter(isOpen).length),
        }
      : {}),
  };
};

/** Open value by currency, as it is on the wire. */
export const valuesView = (open: readonly CurrencySum[]) =>
  open.filter(({ cards }) => cards > 0).map(({ currency, cents }) => ({ moeda: currency, valor: amountOf(cents) }));

/** A forecast as it is on the wire, with its totals by currency. */
export const forecastView = (forecasts: readonly Forecast[]) => {
  const byCurrency = Map.groupBy(forecasts, ({ currency }) => currency);
  const sum = (group: readonly Forecast[], of: (one: Forecast) => number) =>
    group.reduce((total, one) => total + of(one), 0);
  return {
    estagios: forecasts.map(({ stage, currency, cards, cents, probability, weightedCents }) => ({
      estagioId: stage.id,
      nome: stage.name,
      moeda: currency,
      cartoes: cards,
      valor: amountOf(cents),
      probabilidade: probability,
      ponderado: amountOf(weightedCents),
    })),
    totais: [...byCurrency].map(([currency, group]) => ({
      moeda: currency,
      cartoes: sum(group, ({ cards }) => cards),
      valor: amountOf(sum(group, ({ cents }) => cents)),
      ponderado: amountOf(sum(group, ({ weightedCents }) => weightedCents)),
    })),
  };
};
