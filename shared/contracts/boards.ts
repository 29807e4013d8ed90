import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { Card, nextInStage } from './card-fields.ts';
import { byCursor, count, cursorPageOf, limit, openObject, part, text } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { Pipeline, pipelineParams, pipelineReads, stageParams } from './pipeline-fields.ts';

const uses = { table: 'read', rootKeys: ['cursors'] } as const;

export const readBoard = defineOperation({
  ...pipelineReads,
  id: 'pipelines.board',
  route: 'GET /pipelines/{id}/board',
  summary: "Read a pipeline's board",
  description:
    'Its stages in their order, each with its first cards. A stage may have fewer than `limit` if all would exceed the size of an answer: its `nextCursor` continues.',
  params: pipelineParams,
  query: z.strictObject({ limit: limit(50, 1_000) }),
  answer: openObject('Board', 'A pipeline with the cards of its stages.', {
    pipeline: Pipeline,
    estagios: z
      .array(
        part('A stage.', {
          id: idSchema('stage'),
          nome: text('Its name.', 'Proposta'),
          total: count('How many cards it has.', 12),
          valores: z
            .array(
              part('The value of its open cards in a currency.', {
                moeda: text('ISO 4217.', 'BRL'),
                valor: z.number().min(0).meta({ description: 'The sum.', example: 150_000 }),
              }),
            )
            .meta({ description: 'By currency, of its open cards only: won and lost ones count in `total` only.' }),
          cards: z.array(Card).meta({ description: 'Its first cards, in the order of the board.' }),
          nextCursor: nextInStage,
        }),
      )
      .meta({ description: 'The stages, in their order.' }),
  }),
  uses,
  memoryMb: 1024,
});

export const listStageCards = defineOperation({
  ...pipelineReads,
  id: 'pipelines.stage-cards',
  route: 'GET /pipelines/{id}/stages/{stageId}/cards',
  summary: "List a stage's cards, in the order of the board",
  description: 'Pages by cursor; the `nextCursor` of a stage on the board is one too.',
  params: stageParams,
  query: z.strictObject(byCursor(50, 1_000)),
  answer: cursorPageOf(Card, 'StageCards', "a stage's cards", 'cards', ', in the order of the board'),
  errors: ['BAD_REQUEST'],
  uses,
});
