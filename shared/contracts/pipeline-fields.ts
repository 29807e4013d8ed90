import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { PIPELINE_TYPES, REQUIRED_FIELD, STAGE_TYPES } from '../domain/pipelines/pipeline.ts';
import { dateTime, flag, oneLine, openObject, ordinal, pathId } from './common.ts';

export const pipelineName = oneLine(128, 'The name; several may have the same.', 'Vendas B2B');
export const stageName = oneLine(128, "The stage's name.", 'Proposta');
export const stageType = z.enum(STAGE_TYPES).meta({
  description: 'The status of the cards in it: `aberto` (open), `ganho` (won) or `perdido` (lost).',
  example: 'aberto',
});
export const probability = z
  .number()
  .min(0)
  .max(100)
  .meta({ description: 'How likely a card in it is won, in percent; absent counts as 100 in forecasts.', example: 50 });
export const maxDays = z
  .int()
  .min(1)
  .max(365)
  .meta({ description: 'A card that is open in it for longer, in days, is marked `parado`.', example: 14 });
export const requiredFields = z
  .array(
    z
      .string()
      .regex(REQUIRED_FIELD, 'must be valor, dataPrevista, responsavelId, contatoId, empresaId or atributos.<key>'),
  )
  .max(50)
  .meta({
    description:
      'Fields that a card must have to enter: `valor`, `dataPrevista`, `responsavelId`, `contatoId`, `empresaId`, or an attribute, `atributos.<key>`.',
    example: ['valor', 'dataPrevista'],
  });

export const Stage = openObject('Stage', 'A stage of a pipeline.', {
  id: idSchema('stage'),
  nome: stageName,
  ordem: ordinal('Its position in the pipeline, from 1.', 3),
  tipo: stageType,
  probabilidade: probability.optional(),
  tempoMaximoDias: maxDays.optional(),
  camposObrigatorios: requiredFields,
});
export const Pipeline = openObject('Pipeline', 'A sales pipeline with its stages.', {
  id: idSchema('pipeline'),
  nome: pipelineName,
  tipo: z.enum(PIPELINE_TYPES).meta({ description: 'Its kind, which cannot be changed.', example: 'vendas' }),
  arquivado: flag('Whether it is archived: it accepts no cards.', false),
  estagios: z.array(Stage).meta({ description: 'Its stages, in their order.' }),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it or one of its stages last changed.'),
});

export const pipelineParams = z.object({ id: pathId('pipeline', 'The id of the pipeline.') });
export const stageParams = pipelineParams.extend({ stageId: pathId('stage', 'The id of the stage.') });
export const pipelineTag = 'Pipelines';
export const pipelineReads = {
  permission: 'crm:read',
  tag: pipelineTag,
  uses: { table: 'read' },
} as const;
