import type { Tenant } from '../core/actor.ts';
import { isRefusal, type ProblemName, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import {
  type CountedPipeline,
  MAX_PIPELINES,
  type Pipeline,
  type PipelinePorts,
  type PipelineStore,
  type PipelineType,
  type Stage,
} from './pipeline.ts';

export type Owner = Pick<Tenant, 'organizationId'>;

const missing = () => refuse('NOT_FOUND', 'There is no such pipeline.');
/** 409: a pipeline or stage to be deleted has cards. */
export const hasCards = (what: 'pipeline' | 'stage'): Refusal<'CONFLICT'> =>
  refuse('CONFLICT', {
    detail: `The ${what} has cards: move or delete them first.`,
    meta: { code: 'POSSUI_CARTOES' },
  });

/** A pipeline of the caller's organization. */
export const findPipeline = async (
  { store }: { readonly store: Pick<PipelineStore, 'read'> },
  { organizationId }: Owner,
  id: Id<'pipeline'>,
): Promise<Pipeline | Refusal<'NOT_FOUND'>> => (await store.read(organizationId, id)) ?? missing();

/** The same with the counts of its cards. */
export const countedPipeline = async (
  { store }: Pick<PipelinePorts, 'store'>,
  { organizationId }: Owner,
  id: Id<'pipeline'>,
): Promise<CountedPipeline | Refusal<'NOT_FOUND'>> => (await store.readCounted(organizationId, id)) ?? missing();

/** Whether there is an open stage: a pipeline keeps at least one. */
export const hasOpenStage = (stages: readonly Pick<Stage, 'type'>[]): boolean =>
  stages.some(({ type }) => type === 'aberto');
/** The detail of a refusal to remove the last open stage. */
export const ONE_OPEN_STAGE = 'A pipeline keeps at least one open stage.';
/** 422 if no stage is open, naming the field. */
export const checkStages = (
  stages: readonly Pick<Stage, 'type'>[],
  field: 'estagios' | 'tipo',
): Refusal<'VALIDATION_ERROR'> | undefined => {
  if (hasOpenStage(stages)) return undefined;
  const message = field === 'tipo' ? 'must be aberto: it is the last open stage' : 'must have one of tipo aberto';
  return refuseField(ONE_OPEN_STAGE, field, message);
};

export interface NewPipeline {
  readonly name: string;
  readonly type: PipelineType;
  readonly stages: Pick<Pipeline, 'stages' | 'stageKeys'>;
}

/** Creates a pipeline. 422 for a kind that is not available yet, 409 at the maximum per organization. */
export const createPipeline = async (
  { clock, store }: Pick<PipelinePorts, 'clock' | 'store'>,
  { organizationId, env }: Tenant,
  { name, type, stages }: NewPipeline,
): Promise<Pipeline | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  if (type !== 'vendas')
    return refuse('VALIDATION_ERROR', {
      detail: 'Pipelines of this kind are not available yet.',
      meta: { code: 'TIPO_AINDA_NAO_DISPONIVEL' },
      errors: [{ path: 'tipo', message: 'is not available yet; must be vendas' }],
    });
  const refused = checkStages(stages.stages, 'estagios');
  if (refused) return refused;
  const now = clock();
  const pipeline: Pipeline = {
    id: newId('pipeline'),
    organizationId,
    env,
    name,
    type,
    archived: false,
    ...stages,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  if ((await store.create(pipeline)) === 'saved') return pipeline;
  return refuse('CONFLICT', `An organization has at most ${MAX_PIPELINES} pipelines, archived ones included.`);
};

/** A page of pipelines, newest first, with their counts if requested. */
export interface PipelinePage extends Page<Pipeline> {
  readonly counted?: readonly CountedPipeline[];
}
/** Lists pipelines, newest first; archived ones only if requested. */
export const listPipelines = async (
  { store }: Pick<PipelinePorts, 'store'>,
  { organizationId }: Owner,
  { withCounts, withArchived }: { readonly withCounts: boolean; readonly withArchived: boolean },
  { limit, skip }: PageRequest,
): Promise<PipelinePage> => {
  const found = (await store.all(organizationId)).filter(({ archived }) => withArchived || !archived);
  const items = found.slice(skip, skip + limit);
  if (!withCounts) return { items, total: found.length };
  const read = await Promise.all(items.map(({ id }) => store.readCounted(organizationId, id)));
  const counted = read.filter((one) => one !== undefined);
  return { items, total: found.length, counted };
};

/**
 * Applies `change` to a pipeline, again if the pipeline changed meanwhile. An unchanged one is not stored. 409 if a stage with cards would
 * be removed.
 */
export const changePipelineWith = <N extends ProblemName = never>(
  ports: Pick<PipelinePorts, 'clock' | 'store'>,
  owner: Owner,
  id: Id<'pipeline'>,
  change: (pipeline: Pipeline) => Pipeline | Refusal<N>,
): Promise<Pipeline | Refusal<N | 'CONFLICT' | 'NOT_FOUND'>> =>
  retryOnConflict('The pipeline', async () => {
    const before = await findPipeline(ports, owner, id);
    if (isRefusal(before)) return before;
    const changed = change(before);
    if (isRefusal(changed)) return changed;
    if (changed === before) return before;
    const after: Pipeline = { ...changed, updatedAt: ports.clock(), version: before.version + 1 };
    const outcome = await ports.store.change(before, after);
    if (outcome === 'has_cards') return hasCards('stage');
    return outcome === 'saved' ? after : CONFLICT;
  });

/** Renames a pipeline; its kind never changes. */
export const renamePipeline = (
  ports: PipelinePorts,
  owner: Owner,
  id: Id<'pipeline'>,
  name: string | undefined,
): Promise<Pipeline | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  changePipelineWith(ports, owner, id, (pipeline) =>
    name === undefined || name === pipeline.name ? pipeline : { ...pipeline, name },
  );

/** Archives or restores a pipeline; no effect if it already is. */
export const archivePipeline = (
  ports: PipelinePorts,
  owner: Owner,
  id: Id<'pipeline'>,
  archived: boolean,
): Promise<Pipeline | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  changePipelineWith(ports, owner, id, (pipeline) =>
    pipeline.archived === archived ? pipeline : { ...pipeline, archived },
  );

/** Deletes a pipeline without cards. */
export const deletePipeline = (
  ports: PipelinePorts,
  owner: Owner,
  id: Id<'pipeline'>,
): Promise<undefined | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  retryOnConflict('The pipeline', async (attempt) => {
    const pipeline = await findPipeline(ports, owner, id);
    if (isRefusal(pipeline)) return attempt === 0 ? pipeline : undefined;
    const outcome = await ports.store.remove(pipeline);
    if (outcome === 'has_cards') return hasCards('pipeline');
    return outcome === 'saved' ? undefined : CONFLICT;
  });

/** The expected value of a stage's open cards in a currency. */
export interface Forecast {
  readonly stage: Stage;
  readonly currency: string;
  readonly cards: number;
  readonly cents: number;
  /** 0 to 100. */
  readonly probability: number;
  /** Cents times probability, rounded to a whole cent. */
  readonly weightedCents: number;
}
/** The forecast of a pipeline by stage and currency, in the order of the stages; from its counts. */
export const forecastOf = ({ pipeline, counts }: CountedPipeline): readonly Forecast[] =>
  pipeline.stages.flatMap((stage) => {
    const probability = stage.probability ?? 100;
    const open = counts.stages.get(stage.key)?.open ?? [];
    return open
      .filter(({ cards }) => cards > 0)
      .map(({ currency, cards, cents }) => ({
        stage,
        currency,
        cards,
        cents,
        probability,
        weightedCents: Math.round((cents * probability) / 100),
      }));
  });
