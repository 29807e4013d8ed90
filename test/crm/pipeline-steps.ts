import type { Id } from '../../shared/domain/core/ids.ts';
import type { Pipeline } from '../../shared/domain/pipelines/pipeline.ts';
import { archivePipeline, createPipeline, deletePipeline } from '../../shared/domain/pipelines/pipelines.ts';
import {
  addStage,
  changeStage,
  deleteStage,
  type NewStage,
  newStages,
  orderStages,
  type PlacedStage,
  type StagePatch,
} from '../../shared/domain/pipelines/stages.ts';
import type { Plain, PlainPipeline, PlainStage, Status } from './plain.ts';
import type { Crm } from './stage.ts';
import { bit, checked, type Draw, pickOf, type Scene, type Step } from './steps.ts';

const MAX_PIPELINES = 3;
const MAX_STAGES = 6;
const TYPES: readonly Status[] = ['aberto', 'ganho', 'perdido'];
const REQUIRED = ['valor', 'contatoId', 'empresaId'] as const;
const PROBABILITIES = [undefined, 0, 33, 50, 100] as const;
const DAYS = [undefined, 1, 3] as const;

const newStage = ({ next }: Scene, number: number): NewStage => ({
  nome: `Estágio ${next()}`,
  tipo: number % 5 === 0 ? 'ganho' : number % 5 === 1 ? 'perdido' : 'aberto',
  probabilidade: pickOf(PROBABILITIES, number >> 2),
  tempoMaximoDias: pickOf(DAYS, number >> 5),
  camposObrigatorios: bit(number, 8) && bit(number, 9) ? [pickOf(REQUIRED, number >> 10) as string] : undefined,
});
const plainStage = (id: Id<'stage'>, given: NewStage): PlainStage => ({
  id,
  tipo: given.tipo ?? 'aberto',
  probabilidade: given.probabilidade,
  dias: given.tempoMaximoDias,
  obrigatorios: given.camposObrigatorios ?? [],
  cards: [],
});

export const create = (scene: Scene, { a, b }: Draw): Step<Pipeline> | undefined => {
  const { plain, actor, next } = scene;
  if (plain.pipelines.size >= MAX_PIPELINES) return undefined;
  const name = `Vendas ${next()}`;
  const given: NewStage[] = [
    { nome: 'Novo', tempoMaximoDias: pickOf(DAYS, a) },
    ...[b, a, b >> 3].map((number) => newStage(scene, number)),
  ];
  const found = async ({ pipelines }: Crm) =>
    (await pipelines.store.all(actor.organizationId)).find((pipeline) => pipeline.name === name);
  return {
    name: `create pipeline ${JSON.stringify(given)}`,
    refusals: [],
    run: (crm) =>
      createPipeline(crm.pipelines, actor, { name, type: 'vendas', stages: newStages(given) }) as Promise<Pipeline>,
    commit: ({ id, stages }) => {
      const own = stages.map((stage, at) => plainStage(stage.id, given[at] as NewStage));
      plain.pipelines.set(id, { id, arquivado: false, stages: own });
    },
    witness: async (crm) => (await found(crm))?.id,
    found: async (crm) => (await found(crm)) as Pipeline,
    touches: {},
  };
};

/** A step with a pipeline. */
const withPipeline = <T>(
  { plain, actor }: Scene,
  { a }: Draw,
  step: (pipeline: PlainPipeline) => Pick<Step<T>, 'commit' | 'name' | 'refusals' | 'run'> & {
    readonly found?: (pipeline: Pipeline | undefined) => T;
  },
): Step<T> | undefined => {
  const pipeline = pickOf(plain.pipelines.values(), a);
  if (!pipeline) return undefined;
  const read = ({ pipelines }: Crm) => pipelines.store.read(actor.organizationId, pipeline.id);
  const { found, ...own } = step(pipeline);
  return {
    ...own,
    name: `${own.name} of ${pipeline.id}`,
    witness: async (crm) => (await read(crm))?.version,
    found: async (crm) => found?.(await read(crm)) as T,
    touches: { pipelines: [pipeline.id] },
  };
};

const add = (scene: Scene, draw: Draw): Step<PlacedStage> | undefined =>
  withPipeline(scene, draw, (pipeline) => {
    const given = newStage(scene, draw.b);
    const isFull = pipeline.stages.length >= MAX_STAGES;
    return {
      name: `add stage ${JSON.stringify(given)}`,
      refusals: [],
      run: async (crm) =>
        isFull
          ? ({} as PlacedStage)
          : ((await addStage(crm.pipelines, scene.actor, pipeline.id, given)) as PlacedStage),
      commit: ({ stage }) => stage && pipeline.stages.push(plainStage(stage.id, given)),
      found: (stored) => ({ stage: stored?.stages.at(-1), place: 0 }) as PlacedStage,
    };
  });

const isLastOpen = ({ stages }: PlainPipeline, stage: PlainStage): boolean =>
  stages.every((each) => each === stage || each.tipo !== 'aberto');

const change = (scene: Scene, draw: Draw): Step | undefined =>
  withPipeline(scene, draw, (pipeline) => {
    const { b, c, d } = draw;
    const stage = pickOf(pipeline.stages, b) as PlainStage;
    const given = newStage(scene, d);
    const patch: StagePatch = {
      ...(bit(c, 0) ? { tipo: pickOf(TYPES, d >> 1) as Status } : {}),
      ...(bit(c, 1) ? { probabilidade: given.probabilidade ?? null } : {}),
      ...(bit(c, 2) ? { tempoMaximoDias: given.tempoMaximoDias ?? null } : {}),
      ...(bit(c, 3) ? { camposObrigatorios: given.camposObrigatorios ?? null } : {}),
    };
    const isRetyped = patch.tipo !== undefined && patch.tipo !== stage.tipo;
    return {
      name: `change stage ${stage.id} ${JSON.stringify(patch)}`,
      refusals: checked(
        isRetyped && stage.cards.length > 0 && 'POSSUI_CARTOES',
        isRetyped && isLastOpen(pipeline, stage) && 'VALIDATION_ERROR',
      ),
      run: (crm) => changeStage(crm.pipelines, scene.actor, { id: pipeline.id, stageId: stage.id }, patch),
      commit: () => {
        if (patch.tipo !== undefined) stage.tipo = patch.tipo;
        if (patch.probabilidade !== undefined) stage.probabilidade = patch.probabilidade ?? undefined;
        if (patch.tempoMaximoDias !== undefined) stage.dias = patch.tempoMaximoDias ?? undefined;
        if (patch.camposObrigatorios !== undefined) stage.obrigatorios = patch.camposObrigatorios ?? [];
      },
    };
  });

const removeOne = (scene: Scene, draw: Draw): Step | undefined =>
  withPipeline(scene, draw, (pipeline) => {
    const stage = pickOf(pipeline.stages, draw.b) as PlainStage;
    return {
      name: `delete stage ${stage.id}`,
      refusals: checked(isLastOpen(pipeline, stage) && 'CONFLICT', stage.cards.length > 0 && 'POSSUI_CARTOES'),
      run: (crm) => deleteStage(crm.pipelines, scene.actor, { id: pipeline.id, stageId: stage.id }),
      commit: () => {
        pipeline.stages = pipeline.stages.filter((each) => each !== stage);
      },
    };
  });

const order = (scene: Scene, draw: Draw): Step | undefined =>
  withPipeline(scene, draw, (pipeline) => {
    const from = draw.b % pipeline.stages.length;
    const turned = [...pipeline.stages.slice(from), ...pipeline.stages.slice(0, from)].reverse();
    const stages = draw.c % 9 === 0 ? turned.slice(1) : turned;
    return {
      name: 'order stages',
      refusals: checked(stages.length < pipeline.stages.length && 'VALIDATION_ERROR'),
      run: (crm) =>
        orderStages(
          crm.pipelines,
          scene.actor,
          pipeline.id,
          stages.map(({ id }) => id),
        ),
      commit: () => {
        pipeline.stages = stages;
      },
    };
  });

const archive = (scene: Scene, draw: Draw): Step | undefined =>
  withPipeline(scene, draw, (pipeline) => {
    // Archived now and then, and soon taken back: most operations are of pipelines that are not.
    const archived = draw.b % 3 === 0;
    return {
      name: archived ? 'archive' : 'unarchive',
      refusals: [],
      run: (crm) => archivePipeline(crm.pipelines, scene.actor, pipeline.id, archived),
      commit: () => {
        pipeline.arquivado = archived;
      },
    };
  });

const remove = (scene: Scene, draw: Draw): Step | undefined =>
  withPipeline(scene, draw, (pipeline) => ({
    name: 'delete pipeline',
    refusals: checked((scene.plain as Plain).hasCards(pipeline) && 'POSSUI_CARTOES'),
    run: (crm) => deletePipeline(crm.pipelines, scene.actor, pipeline.id),
    commit: () => void scene.plain.pipelines.delete(pipeline.id),
  }));

export const PIPELINE_STEPS = { create, add, change, removeOne, order, archive, remove };
