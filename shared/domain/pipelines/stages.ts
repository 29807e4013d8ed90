import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields, type Patch } from '../core/patch.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { isSameValue } from '../core/same-value.ts';
import { MAX_STAGES, type Pipeline, type PipelinePorts, type Stage, type StageType } from './pipeline.ts';
import {
  changePipelineWith,
  checkStages,
  findPipeline,
  hasCards,
  hasOpenStage,
  ONE_OPEN_STAGE,
  type Owner,
} from './pipelines.ts';

/** The fields of a new stage, by the contract's names. */
export interface NewStage {
  readonly nome: string;
  readonly tipo?: StageType | undefined;
  readonly probabilidade?: number | undefined;
  readonly tempoMaximoDias?: number | undefined;
  readonly camposObrigatorios?: readonly string[] | undefined;
}
export type StagePatch = Patch<NewStage, 'probabilidade' | 'tempoMaximoDias' | 'camposObrigatorios'>;

const DEFAULT_STAGES: readonly NewStage[] = [
  { nome: 'Novo' },
  { nome: 'Qualificação' },
  { nome: 'Proposta' },
  { nome: 'Negociação' },
  { nome: 'Ganho', tipo: 'ganho' },
  { nome: 'Perdido', tipo: 'perdido' },
];

/** The key of the `number`-th stage of a pipeline. */
const keyOf = (number: number): string => number.toString(36);

const stageOf = (input: NewStage, number: number): Stage => ({
  id: newId('stage'),
  key: keyOf(number),
  name: input.nome,
  type: input.tipo ?? 'aberto',
  probability: input.probabilidade,
  maxDays: input.tempoMaximoDias,
  requiredFields: [...new Set(input.camposObrigatorios ?? [])],
});

/** The stages of a new pipeline: the given ones, or the default set. */
export const newStages = (given: readonly NewStage[] = DEFAULT_STAGES): Pick<Pipeline, 'stages' | 'stageKeys'> => ({
  stages: given.map(stageOf),
  stageKeys: given.length,
});

const noStage = () => refuse('NOT_FOUND', 'There is no such stage.');

/** A pipeline and one of its stages. */
export const findStage = async (
  ports: Pick<PipelinePorts, 'store'>,
  owner: Owner,
  id: Id<'pipeline'>,
  stageId: Id<'stage'>,
): Promise<{ pipeline: Pipeline; stage: Stage } | Refusal<'NOT_FOUND'>> => {
  const pipeline = await findPipeline(ports, owner, id);
  if (isRefusal(pipeline)) return pipeline;
  const stage = pipeline.stages.find((each) => each.id === stageId);
  return stage ? { pipeline, stage } : noStage();
};

/** A stage with its position, for its view. */
export interface PlacedStage {
  readonly stage: Stage;
  readonly place: number;
}
const placed = ({ stages }: Pipeline, id: Id<'stage'>): PlacedStage | Refusal<'NOT_FOUND'> => {
  const at = stages.findIndex((stage) => stage.id === id);
  const stage = stages[at];
  return stage ? { stage, place: at + 1 } : noStage();
};

/** Adds a stage at the end. */
export const addStage = async (
  ports: PipelinePorts,
  owner: Owner,
  id: Id<'pipeline'>,
  input: NewStage,
): Promise<PlacedStage | Refusal<'CONFLICT' | 'NOT_FOUND'>> => {
  const stageId = newId('stage');
  const changed = await changePipelineWith(ports, owner, id, (pipeline) => {
    if (pipeline.stages.length >= MAX_STAGES) return refuse('CONFLICT', `A pipeline has at most ${MAX_STAGES} stages.`);
    const stage = { ...stageOf(input, pipeline.stageKeys), id: stageId };
    return { ...pipeline, stages: [...pipeline.stages, stage], stageKeys: pipeline.stageKeys + 1 };
  });
  return isRefusal(changed) ? changed : placed(changed, stageId);
};

const patched = (stage: Stage, patch: StagePatch, key: string): Stage => {
  const { nome: name, tipo: type, probabilidade, tempoMaximoDias, camposObrigatorios } = patch;
  const kept = <T>(given: T | null | undefined, stored: T | undefined) =>
    given === undefined ? stored : (given ?? undefined);
  return {
    ...stage,
    ...definedFields({ name, type }),
    key,
    probability: kept(probabilidade, stage.probability),
    maxDays: kept(tempoMaximoDias, stage.maxDays),
    requiredFields: [...new Set(kept(camposObrigatorios, stage.requiredFields) ?? [])],
  };
};

/** A pipeline with a changed stage. A new type gets a new key; a new limit of days triggers a sweep over the stage's cards. */
const withStage = (pipeline: Pipeline, stage: Stage, patch: StagePatch, now: number): Pipeline => {
  const isRetyped = patch.tipo !== undefined && patch.tipo !== stage.type;
  const after = patched(stage, patch, isRetyped ? keyOf(pipeline.stageKeys) : stage.key);
  const sweep =
    after.maxDays === stage.maxDays
      ? pipeline.sweep
      : { since: now, at: now, stages: [...new Set([...(pipeline.sweep?.stages ?? []), stage.id])] };
  return {
    ...pipeline,
    stages: pipeline.stages.map((each) => (each.id === stage.id ? after : each)),
    stageKeys: pipeline.stageKeys + (isRetyped ? 1 : 0),
    sweep,
  };
};

/** Changes a stage (JSON Merge Patch). Its type changes only while it has no cards: 409. */
export const changeStage = async (
  ports: PipelinePorts,
  owner: Owner,
  { id, stageId }: { readonly id: Id<'pipeline'>; readonly stageId: Id<'stage'> },
  patch: StagePatch,
): Promise<PlacedStage | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const changed = await changePipelineWith(ports, owner, id, (pipeline) => {
    const stage = pipeline.stages.find((each) => each.id === stageId);
    if (!stage) return noStage();
    const after = withStage(pipeline, stage, patch, ports.clock());
    return isSameValue(after, pipeline) ? pipeline : (checkStages(after.stages, 'tipo') ?? after);
  });
  if (isRefusal(changed)) return changed;
  if (changed.sweep) ports.enqueueSweep(changed);
  return placed(changed, stageId);
};

/** Deletes a stage without cards: 409 for one with cards, and for the last open one. */
export const deleteStage = (
  ports: PipelinePorts,
  owner: Owner,
  { id, stageId }: { readonly id: Id<'pipeline'>; readonly stageId: Id<'stage'> },
): Promise<undefined | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  retryOnConflict('The pipeline', async (attempt) => {
    const found = await findStage(ports, owner, id, stageId);
    // On a repeat the stage may be gone because an earlier attempt was committed and its response lost.
    if (isRefusal(found)) return attempt === 0 ? found : undefined;
    const { pipeline } = found;
    const stages = pipeline.stages.filter((each) => each.id !== stageId);
    if (!hasOpenStage(stages)) return refuse('CONFLICT', ONE_OPEN_STAGE);
    const { version } = pipeline;
    const after = { ...pipeline, stages, updatedAt: ports.clock(), version: version + 1 };
    const outcome = await ports.store.change(pipeline, after);
    if (outcome === 'has_cards') return hasCards('stage');
    return outcome === 'saved' ? undefined : CONFLICT;
  });

/** Reorders the stages: the list must contain all of them exactly once, else 422. */
export const orderStages = (
  ports: PipelinePorts,
  owner: Owner,
  id: Id<'pipeline'>,
  order: readonly string[],
): Promise<Pipeline | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  changePipelineWith(ports, owner, id, (pipeline) => {
    const stages = order.flatMap((stageId) => pipeline.stages.filter((stage) => stage.id === stageId));
    const isWhole = order.length === pipeline.stages.length && new Set(stages).size === order.length;
    if (!isWhole)
      return refuseField('The order names each stage once.', 'estagios', 'must be the ids of all stages, each once');
    return isSameValue(stages, pipeline.stages) ? pipeline : { ...pipeline, stages };
  });
