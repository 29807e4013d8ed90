import * as z from 'zod';
import { CARD_ACTS, MAX_ATTRIBUTE_BYTES, MAX_CENTS } from '../domain/cards/card.ts';
import { isCurrency } from '../domain/core/currencies.ts';
import { idSchema, linkId } from '../domain/core/id-schema.ts';
import { jsonBytes } from '../domain/core/json-bytes.ts';
import { contactAttributesSchema } from '../domain/core/json-values.ts';
import { isOfUsualYears, USUAL_YEARS } from '../domain/core/time.ts';
import { STAGE_TYPES } from '../domain/pipelines/pipeline.ts';
import { closedObject, dateTime, flag, oneLine, openObject, optionalText, part, text } from './common.ts';

export const titulo = oneLine(200, 'The name of the deal.', 'Renovação anual');
export const valor = z
  .number()
  .min(0)
  .max(MAX_CENTS / 100)
  .multipleOf(0.01)
  .meta({ description: 'The value of the deal, in `moeda`; at most two decimals.', example: 12_500.5 });
const moeda = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine(isCurrency, 'must be a currency code of ISO 4217')
  .meta({ description: 'ISO 4217.', example: 'BRL' });
const responsavelId = linkId('account', 'Who is responsible: an active account of the organization.');
const contatoId = linkId('contact', 'The contact that it is about.');
const empresaId = linkId('company', 'The company that it is about.');
const dataPrevista = z.iso
  .date()
  .refine((day) => isOfUsualYears(Date.parse(day)), USUAL_YEARS)
  .meta({ description: 'The day on which it is expected to be won.', example: '2026-06-30' });
const motivoPerda = z.string().trim().min(1).max(500).meta({ description: 'Why it was lost.', example: 'Preço' });
const atributos = contactAttributesSchema
  .refine((value) => jsonBytes(value) <= MAX_ATTRIBUTE_BYTES, `must be at most ${MAX_ATTRIBUTE_BYTES} bytes of JSON`)
  .meta({
    description: `Free attributes, at most ${MAX_ATTRIBUTE_BYTES.toLocaleString('en')} bytes as JSON: texts, numbers, booleans, null, or lists of texts. No nested objects.`,
    example: { origem: 'feira', unidades: 40 },
  });
export const cardStatus = z
  .enum(STAGE_TYPES)
  .meta({ description: 'Whether it is open, won or lost.', example: 'aberto' });

export const Card = openObject('Card', 'A card of a pipeline: a deal.', {
  id: idSchema('card'),
  pipelineId: idSchema('pipeline'),
  estagioId: idSchema('stage'),
  titulo,
  valor: valor.optional(),
  moeda,
  responsavelId: responsavelId.optional(),
  contatoId: contatoId.optional(),
  empresaId: empresaId.optional(),
  status: cardStatus,
  motivoPerda: motivoPerda.optional(),
  dataPrevista: dataPrevista.optional(),
  ganhoEm: dateTime('When it was won; absent unless it is.').optional(),
  perdidoEm: dateTime('When it was lost; absent unless it is.').optional(),
  atributos,
  ordem: text('Its position in its stage: the cards of a stage are sorted by it.', 'd2kLs0'),
  parado: flag('Whether it is open in its stage for longer than the stage allows.', false),
  estagioDesde: dateTime('The time since which it is in its stage.'),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it last changed.'),
});

const stageOf = (description: string) => idSchema('stage', description);
export const CreateCard = closedObject('CreateCard', 'A card to create.', {
  pipelineId: idSchema('pipeline', 'The pipeline that it goes through.'),
  estagioId: stageOf('Its stage; the first open one by default.').optional(),
  titulo,
  valor: valor.optional(),
  moeda: moeda.optional(),
  responsavelId: responsavelId.optional(),
  contatoId: contatoId.optional(),
  empresaId: empresaId.optional(),
  dataPrevista: dataPrevista.optional(),
  atributos: atributos.optional(),
  motivoPerda: motivoPerda.optional(),
});
export const ChangeCard = closedObject('ChangeCard', 'A change to a card.', {
  titulo: titulo.optional(),
  valor: valor.nullable().optional(),
  moeda: moeda.optional(),
  responsavelId: responsavelId.nullable().optional(),
  contatoId: contatoId.nullable().optional(),
  empresaId: empresaId.nullable().optional(),
  dataPrevista: dataPrevista.nullable().optional(),
  atributos: atributos.optional(),
  motivoPerda: motivoPerda.optional(),
});
export const MoveCard = closedObject('MoveCard', 'Where a card goes.', {
  estagioId: stageOf('The stage; its own stage changes only the position in it.'),
  pipelineId: idSchema(
    'pipeline',
    'The pipeline of the stage, if it is another one than the pipeline of the card.',
  ).optional(),
  antesDe: idSchema('card', 'Put it before this card of the stage.').optional(),
  depoisDe: idSchema('card', 'Put it after this card of the stage; by default it goes to the end.').optional(),
  motivoPerda: motivoPerda.optional(),
});
export const LoseCard = closedObject('LoseCard', 'Why a card is lost.', { motivoPerda });
export const ReopenCard = closedObject('ReopenCard', 'Where to open a card again.', {
  estagioId: stageOf('An open stage; by default the one that it came from, or the first open one.').optional(),
});

export const CardEntry = part('Something that happened to the card.', {
  em: dateTime('When.'),
  tipo: z.enum(CARD_ACTS).meta({ description: 'What happened.', example: 'movido' }),
  estagioAnteriorId: stageOf('The stage that it left.').optional(),
  estagioId: stageOf('The stage that it came into.').optional(),
  campos: z
    .array(z.string())
    .optional()
    .meta({ description: 'The names of the fields that changed.', example: ['valor'] }),
  ator: part('Who did it; absent if the service did.', {
    tipo: z.enum(['key', 'account', 'operator']).meta({ description: 'What they are.', example: 'account' }),
    id: text('Their id.', 'acc_4hJ9sKq2LmN8pRt5VwXz1'),
  }).optional(),
});

/** A row of an import that changes a card. */
export const UpdateCard = ChangeCard.extend({
  id: idSchema('card', 'The card that the row changes.'),
  estagioId: stageOf('The stage that it moves to.').optional(),
}).meta({ id: 'UpdateCard', description: 'A card to change by an import: its id, and the changes.' });

export const nextInStage = optionalText('Pass it as cursor for the next cards of the stage; absent at its end.');
