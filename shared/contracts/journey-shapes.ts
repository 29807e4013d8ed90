import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { JOURNEY_STATUSES } from '../domain/journeys/journey.ts';
import { PAUSE_REASONS } from '../domain/journeys/turn.ts';
import { count, dateTime, openObject, optionalText, ordinal, part, text } from './common.ts';
import { journeyFields, journeyOptions } from './journey-fields.ts';

const { name, gatilho, passos, ligacoes, reentrada } = journeyFields;
const { intervaloReentradaHoras, silencio, tetoDeFrequencia, meta } = journeyOptions;

const pause = part('Why it is paused, and since when.', {
  motivo: z.enum(PAUSE_REASONS).meta({
    description:
      'The fault that stopped one of its runs, and would have stopped all of them; `operador`: it was paused by a call.',
    example: 'saldo_insuficiente',
  }),
  passo: text('The key of the step that could not continue; empty for `operador`.', 'boas_vindas'),
  em: dateTime('Since when.'),
  rotulo: optionalText('The label of the step.', 'Boas-vindas'),
});

const row = {
  id: idSchema('journey'),
  name,
  status: z.enum(JOURNEY_STATUSES).meta({ description: 'The status of this version.', example: 'ativa' }),
  gatilho,
  reentrada,
  intervaloReentradaHoras: intervaloReentradaHoras.optional(),
  execucoes: part('How many of its runs have which status.', {
    ativa: count('On their way.', 120),
    concluida: count('That ended normally.', 980),
    cancelada: count('Cancelled.', 4),
    erro: count('Ended by a step that failed permanently.', 1),
  }),
  pausadaPor: pause.optional(),
  ativadaEm: dateTime('When it was activated last.').optional(),
  silencio: silencio.optional(),
  tetoDeFrequencia: tetoDeFrequencia.optional(),
  meta: meta.optional(),
  versao: ordinal('Its number among the versions of the journey, from 1.', 2),
  versaoDe: idSchema('journey', 'The first version of the journey; absent for the first one itself.').optional(),
  substituidaPor: idSchema('journey', 'The version that replaced it.').optional(),
  entradasEncerradas: z.boolean().optional().meta({
    description: 'True once another version replaced it: no contact enters, and its runs continue.',
    example: true,
  }),
  createdAt: dateTime('When the version was created.'),
  updatedAt: dateTime('When the version last changed.'),
  canais: z
    .array(z.string())
    .meta({ description: 'The channels of its sends and their fallbacks.', example: ['whatsapp', 'sms'] }),
  fluxo: z.array(z.string()).meta({
    description: 'The labels, else the kinds, of the steps on its main path.',
    example: ['Boas-vindas', 'esperar', 'enviar'],
  }),
  metaEvento: optionalText('The event of its goal.', 'compra'),
  lista: part('The list of its trigger; absent if it was deleted.', {
    nome: text('Its name.', 'Clientes VIP'),
    tamanho: count('How many contacts are in it.', 1_240),
  }).optional(),
  segmento: part('The segment of its trigger; absent if it was deleted.', {
    nome: text('Its name.', 'Inativos há 30 dias'),
  }).optional(),
};

export const JourneyRow = openObject('JourneyRow', 'A version of a journey, without its steps.', row);
const whole = { ...row, passos, ligacoes };
export const Journey = openObject('Journey', 'A version of a journey.', whole);

const secret = (description: string) => text(description, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=');
export const DefinedJourney = openObject('DefinedJourney', 'A version of a journey, as it was just defined.', {
  ...whole,
  segredoWebhook: secret(
    'The secret that signs the posts of its webhook steps, if this call created it: shown in this response only, and the same for all versions.',
  ).optional(),
});
export const RotatedJourneySecret = openObject('RotatedJourneySecret', 'A new signing secret.', {
  segredoWebhook: secret('The new secret: shown in this response only.'),
});
