import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { MAX_PIPELINES, MAX_STAGES, PIPELINE_TYPES } from '../domain/pipelines/pipeline.ts';
import { closedObject, count, openObject, paged, part, text } from './common.ts';
import { defineOperation } from './define-operation.ts';
import {
  maxDays,
  pipelineName as name,
  Pipeline,
  pipelineParams,
  pipelineReads,
  pipelineTag,
  probability,
  requiredFields,
  Stage,
  stageName,
  stageParams,
  stageType,
} from './pipeline-fields.ts';

const CreateStage = closedObject('CreateStage', 'A stage to create.', {
  nome: stageName,
  tipo: stageType.optional(),
  probabilidade: probability.optional(),
  tempoMaximoDias: maxDays.optional(),
  camposObrigatorios: requiredFields.optional(),
});

const writes = { permission: 'crm:write', tag: pipelineTag, uses: { table: 'write' } } as const;
const deletes = { ...writes, permission: 'crm:delete', responses: { 204: null } } as const;
const HAS_CARDS = 'With cards it is 409 with `meta.code` POSSUI_CARTOES.';

const wanted = (description: string) => z.enum(['true', 'false']).optional().meta({ description, example: 'true' });
const byPipeline = (description: string, example: number) =>
  z
    .record(z.string(), z.int().min(0))
    .optional()
    .meta({ description, example: { pip_4hJ9sKq2LmN8pRt5VwXz1: example } });

export const listPipelines = defineOperation({
  ...pipelineReads,
  id: 'pipelines.list',
  route: 'GET /pipelines',
  summary: 'List pipelines, newest first',
  description: `An organization has at most ${MAX_PIPELINES}.`,
  query: z.strictObject({
    contagem: wanted('`true` adds `cardCounts` and `openStageCounts`.'),
    includeArchived: wanted('`true` includes archived pipelines.'),
    ...paged(MAX_PIPELINES, MAX_PIPELINES),
  }),
  answer: openObject('PipelinePage', 'A page of pipelines.', {
    items: z.array(Pipeline).meta({ description: 'The pipelines of this page, newest first.' }),
    total: count('How many pipelines match, on all pages.', 1),
    cardCounts: byPipeline('With `contagem=true`: how many cards each pipeline has, by its id.', 128),
    openStageCounts: byPipeline('With `contagem=true`: how many of its stages are neither won nor lost.', 4),
  }),
  errors: ['VALIDATION_ERROR'],
});

export const createPipeline = defineOperation({
  ...writes,
  id: 'pipelines.create',
  route: 'POST /pipelines',
  summary: 'Create a pipeline',
  description:
    'Without `estagios` it has Novo, Qualificação, Proposta, Negociação, Ganho and Perdido. Kinds other than `vendas` are 422 with `meta.code` TIPO_AINDA_NAO_DISPONIVEL.',
  body: closedObject('CreatePipeline', 'A pipeline to create.', {
    nome: name,
    tipo: z
      .enum(PIPELINE_TYPES)
      .default('vendas')
      .meta({ description: 'Its kind: `vendas`; the others are not available yet.', example: 'vendas' }),
    estagios: z
      .array(CreateStage)
      .min(1)
      .max(MAX_STAGES)
      .optional()
      .meta({ description: 'Its stages, in their order: at least one `aberto`.' }),
  }),
  responses: { 201: Pipeline },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const getPipeline = defineOperation({
  ...pipelineReads,
  id: 'pipelines.get',
  route: 'GET /pipelines/{id}',
  summary: 'Read a pipeline',
  params: pipelineParams,
  answer: Pipeline,
});

export const changePipeline = defineOperation({
  ...writes,
  id: 'pipelines.change',
  route: 'PATCH /pipelines/{id}',
  summary: 'Rename a pipeline',
  description: 'Its kind cannot be changed; its stages have operations of their own.',
  params: pipelineParams,
  body: closedObject('ChangePipeline', 'A change to a pipeline.', { nome: name.optional() }),
  answer: Pipeline,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const deletePipeline = defineOperation({
  ...deletes,
  id: 'pipelines.delete',
  route: 'DELETE /pipelines/{id}',
  summary: 'Delete a pipeline',
  description: HAS_CARDS,
  params: pipelineParams,
  errors: ['CONFLICT'],
});

const archives = {
  ...writes,
  params: pipelineParams,
  answer: Pipeline,
  errors: ['CONFLICT'],
} as const;
export const archivePipeline = defineOperation({
  ...archives,
  id: 'pipelines.archive',
  route: 'POST /pipelines/{id}/archive',
  summary: 'Archive a pipeline',
  description: 'It accepts no new cards and no moves, can be read as before, and is listed with `includeArchived`.',
});
export const unarchivePipeline = defineOperation({
  ...archives,
  id: 'pipelines.unarchive',
  route: 'POST /pipelines/{id}/unarchive',
  summary: 'Unarchive a pipeline',
});

export const addStage = defineOperation({
  ...writes,
  id: 'pipelines.add-stage',
  route: 'POST /pipelines/{id}/stages',
  summary: 'Add a stage',
  description: `At the end. A pipeline has at most ${MAX_STAGES}.`,
  params: pipelineParams,
  body: CreateStage,
  responses: { 201: Stage },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const changeStage = defineOperation({
  ...writes,
  id: 'pipelines.change-stage',
  route: 'PATCH /pipelines/{id}/stages/{stageId}',
  summary: 'Change a stage',
  description: `JSON Merge Patch. Its \`tipo\` can be changed only while it has no cards. ${HAS_CARDS} A new \`tempoMaximoDias\` applies to the cards in it, which are checked again; new \`camposObrigatorios\` to those that enter from now on.`,
  params: stageParams,
  body: closedObject('ChangeStage', 'A change to a stage.', {
    nome: stageName.optional(),
    tipo: stageType.optional(),
    probabilidade: probability.nullable().optional(),
    tempoMaximoDias: maxDays.nullable().optional(),
    camposObrigatorios: requiredFields.nullable().optional(),
  }),
  answer: Stage,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['outcome'] },
});

export const deleteStage = defineOperation({
  ...deletes,
  id: 'pipelines.delete-stage',
  route: 'DELETE /pipelines/{id}/stages/{stageId}',
  summary: 'Delete a stage',
  description: `${HAS_CARDS} So is the last open stage, without that code.`,
  params: stageParams,
  errors: ['CONFLICT'],
});

export const orderStages = defineOperation({
  ...writes,
  id: 'pipelines.order-stages',
  route: 'PUT /pipelines/{id}/stages/order',
  summary: 'Reorder the stages',
  params: pipelineParams,
  body: closedObject('OrderStages', 'The order of the stages.', {
    estagios: z
      .array(idSchema('stage'))
      .min(1)
      .max(MAX_STAGES)
      .meta({ description: 'The ids of all stages, each once, in their new order.' }),
  }),
  answer: Pipeline,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

const amount = (description: string, example: number) => z.number().min(0).meta({ description, example });
const currency = text('ISO 4217.', 'BRL');
export const forecastPipeline = defineOperation({
  ...pipelineReads,
  id: 'pipelines.forecast',
  route: 'GET /pipelines/{id}/forecast',
  summary: 'Read the forecast of the open cards of a pipeline',
  description: 'By stage and currency; computed from exact counters, at the same cost whatever the number of cards.',
  params: pipelineParams,
  answer: openObject('PipelineForecast', 'The forecast of a pipeline.', {
    estagios: z
      .array(
        part('The open cards of a stage in a currency.', {
          estagioId: idSchema('stage'),
          nome: stageName,
          moeda: currency,
          cartoes: count('How many open cards.', 12),
          valor: amount('The sum of their values.', 150_000),
          probabilidade: probability,
          ponderado: amount('The sum times the probability.', 75_000),
        }),
      )
      .meta({ description: 'In the order of the stages; without stages that have no open card.' }),
    totais: z
      .array(
        part('All stages together, in a currency.', {
          moeda: currency,
          cartoes: count('How many open cards.', 40),
          valor: amount('The sum of their values.', 480_000),
          ponderado: amount('The sum of the weighted values.', 210_000),
        }),
      )
      .meta({ description: 'By currency.' }),
  }),
});
