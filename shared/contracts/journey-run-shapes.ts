import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { jsonBytes } from '../domain/core/json-bytes.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { SENT_STATUSES, STEP_KINDS } from '../domain/journeys/definition.ts';
import { MAX_VARIABLES_BYTES } from '../domain/journeys/limits.ts';
import { END_REASONS, HISTORY_RESULTS, RUN_STATUSES } from '../domain/journeys/run.ts';
import { WAIT_REASONS } from '../domain/journeys/run-view.ts';
import { boundedText, closedObject, coins, dateTime, openObject, optionalText, ordinal, part, text } from './common.ts';
import { duration, stepKey } from './journey-steps.ts';
import { variables } from './v1-fields.ts';

/** The initial variables of a run. */
export const runVariables = variables
  .refine((given) => jsonBytes(given) <= MAX_VARIABLES_BYTES, `must take at most ${MAX_VARIABLES_BYTES} bytes as JSON`)
  .meta({
    description: `Variables of the run, for \`{{variavel.x}}\`; at most ${MAX_VARIABLES_BYTES} bytes as JSON.`,
    example: { cupom: 'A1' },
  });

const stepName = text('The key of the step.', 'boas_vindas');
export const runStatus = z.enum(RUN_STATUSES).meta({
  description: 'Whether it is active, or how it ended.',
  example: 'ativa',
});
const detail = optionalText('The branch, or the reason; never personal data.', 'opt_out');

const visitFields = {
  passo: stepName,
  tipo: z.enum(STEP_KINDS).meta({ description: 'The kind of the step.', example: 'enviar' }),
  em: dateTime('When the run continued from it.'),
  resultado: z.enum(HISTORY_RESULTS).meta({ description: 'What came of it.', example: 'enviada' }),
  messageId: idSchema('message', 'The message that was sent.').optional(),
  detalhe: detail,
};
const runFields = {
  id: idSchema('run'),
  journeyId: idSchema('journey', 'The version of the journey that it goes through.'),
  contactId: idSchema('contact'),
  status: runStatus,
  passo: text('The key of the step that it is at, or where it ended.', 'boas_vindas'),
  visita: ordinal('How many times it has come to that step.', 1),
  espera: part('What it waits for; absent once it ended.', {
    motivo: z.enum(WAIT_REASONS).meta({
      description:
        '`acao`: the step is being executed; `tempo` and `horario`: a wait; `silencio`: quiet hours before a send; `evento`: an event, or the result of a message; `nova_tentativa`: the next attempt of a webhook.',
      example: 'tempo',
    }),
    ate: dateTime(
      'Until when; while the journey is paused, all except `horario` and `silencio` are extended by the pause.',
    ).optional(),
  }).optional(),
  iniciadaEm: dateTime('When it began.'),
  terminadaEm: dateTime('When it ended.').optional(),
  fim: part('How it ended.', {
    motivo: z
      .enum(END_REASONS)
      .meta({ description: '`fim`: past its last step; `saida`: at a `sair`; `meta`: at the goal.', example: 'fim' }),
    detalhe: detail,
  }).optional(),
  convertidaEm: dateTime('When the contact reached the goal, in the run or within 30 days of its end.').optional(),
  evento: part('The event that let it in, then the last one that it waited for.', {
    nome: text('Its name.', 'cadastro'),
  }).optional(),
  variaveis: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .meta({ description: 'Its variables.', example: { cupom: 'A1' } }),
  ramos: z
    .record(z.string(), z.string())
    .meta({ description: 'The branch that it took at each `divisao`.', example: { teste: 'A' } }),
};

export const JourneyRun = openObject('JourneyRun', "A contact's way through a journey.", runFields);
export const JourneyRunWithHistory = openObject(
  'JourneyRunWithHistory',
  "A contact's way through a journey, with its history.",
  {
    ...runFields,
    historico: z
      .array(part('A visit of a step.', visitFields))
      .meta({ description: 'The visits of steps that ended, oldest first; those of this page.' }),
    nextCursor: optionalText('Pass it as cursor for the next visits; absent where these are the last ones.'),
  },
);

/** The input of a simulation besides its contact. */
export const simulationFields = {
  eventos: z
    .array(
      closedObject('SimulatedEvent', 'A customer event that happens during the run.', {
        nome: boundedText(128, 'Its name.', 'compra'),
        apos: duration('How long after the beginning.'),
        propriedades: metadataSchema.optional(),
      }),
    )
    .max(100)
    .optional()
    .meta({ description: 'Customer events during the run, at most 100.' }),
  mensagens: z
    .array(
      closedObject('SimulatedOutcome', 'The result of the messages of a step.', {
        passo: stepKey('The key of a step that sends.', 'boas_vindas'),
        status: z
          .enum(SENT_STATUSES)
          .meta({ description: 'The result of each, reported as soon as it is sent.', example: 'lida' }),
      }),
    )
    .max(600)
    .optional()
    .meta({ description: 'The results of messages; there are no reports of the messages of other steps.' }),
  inicio: dateTime('When it begins; now by default.').optional(),
  variaveis: runVariables.optional(),
};

const { messageId: _, ...simulatedVisit } = visitFields;
export const JourneySimulation = openObject(
  'JourneySimulation',
  'A simulated run of a journey. Nothing is stored, sent or charged.',
  {
    passos: z
      .array(
        part('A visit of a step.', {
          ...simulatedVisit,
          desde: dateTime('When the run came to it.'),
          visita: ordinal('Which visit of the step it is.', 1),
          rotulo: optionalText('The label of the step.', 'Mensagem de boas-vindas'),
          mensagem: part('The message as it would be sent.', {
            canal: text('Its channel.', 'sms'),
            texto: optionalText('Its text.', 'Olá, Ana'),
            template: optionalText('Its template.', 'boas_vindas'),
            variaveis: z
              .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
              .optional()
              .meta({ description: "The template's variables." }),
            assunto: optionalText('The subject of an e-mail.', 'Bem-vinda, Ana'),
            html: optionalText('The HTML part of an e-mail.', '<p>Olá, Ana</p>'),
            coins: coins('Its current price; absent if it has none.').optional(),
          }).optional(),
        }),
      )
      .meta({ description: 'The visits of steps, in order.' }),
    fim: part('How it ended.', {
      em: dateTime('When.'),
      motivo: z.enum([...END_REASONS, 'limite_de_tempo', 'limite_de_passos']).meta({
        description: 'As a run ends; or `limite_de_tempo` after 366 days, `limite_de_passos` after 10,000 visits.',
        example: 'fim',
      }),
      detalhe: detail,
    }),
    coins: coins('What its messages would cost together.'),
  },
);
