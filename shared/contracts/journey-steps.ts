import * as z from 'zod';
import { MAX_TAG_LENGTH } from '../domain/contacts/input.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { attributeKey, attributeValue } from '../domain/core/json-values.ts';
import { SENT_STATUSES, WEEKDAYS } from '../domain/journeys/definition.ts';
import { MAX_DURATION_MS, UNIT_MS } from '../domain/journeys/durations.ts';
import { titulo, valor } from './card-fields.ts';
import { boundedText, flag, oneLine, optionalBoundedText, ordinal } from './common.ts';
import { FilterTree } from './segments.ts';
import {
  channel,
  hasOneContent,
  maxCoins,
  ONE_CONTENT,
  plainText,
  template,
  to,
  variables,
  waitText,
} from './v1-fields.ts';

/** A step's key, which links, messages and counts refer to. */
export const stepKey = (description: string, example: string) =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
      'must be 1 to 64 letters, digits, `_` or `-`, beginning with a letter or a digit',
    )
    .meta({ description, example });

const unit = (name: keyof typeof UNIT_MS, example: number) =>
  z
    .int()
    .min(1)
    .max(MAX_DURATION_MS / UNIT_MS[name])
    .optional()
    .meta({ description: `How many ${name}; all in all at most 365 days.`, example });
const units = {
  segundos: unit('segundos', 30),
  minutos: unit('minutos', 15),
  horas: unit('horas', 24),
  dias: unit('dias', 3),
};
const given = (value: Readonly<Record<string, unknown>>, names: readonly string[]): number =>
  names.filter((name) => value[name] !== undefined).length;
const oneOf = (...names: string[]) => ({
  check: (value: Readonly<Record<string, unknown>>) => given(value, names) === 1,
  message: `must have one of ${names.join(', ')}`,
});

const oneUnit = oneOf(...Object.keys(units));
export const duration = (description: string) =>
  z
    .strictObject(units)
    .refine(oneUnit.check, oneUnit.message)
    .meta({ description, example: { horas: 24 } });

const clockTime = (description: string, example: string) =>
  z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM')
    .meta({ description, example });
/** Daily hours without sends. */
export const silence = z
  .strictObject({
    inicio: clockTime("When they begin, in the organization's time zone.", '21:00'),
    fim: clockTime('When they end; on the next day if that is before `inicio`.', '08:00'),
  })
  .refine(({ inicio, fim }) => inicio !== fim, { message: 'must differ from inicio', path: ['fim'] })
  .meta({
    id: 'JourneySilence',
    description:
      "Daily hours in which the journey sends nothing: its sends wait until they end, and for the organization's quiet hours.",
  });

const until = z
  .strictObject({
    hora: clockTime('The time of day, HH:MM.', '09:00'),
    diaDaSemana: z
      .enum(WEEKDAYS)
      .optional()
      .meta({ description: 'The next such day of the week.', example: 'segunda' }),
    data: z.iso
      .date()
      .optional()
      .meta({ description: 'The day; one that is past ends the wait at once.', example: '2026-11-27' }),
  })
  .refine(({ diaDaSemana, data }) => diaDaSemana === undefined || data === undefined, {
    message: 'must be absent where there is a data',
    path: ['diaDaSemana'],
  })
  .meta({
    description:
      "Until a time of day in the organization's time zone: its next occurrence, on a day of the week, or on a date.",
  });

const sent = {
  passo: stepKey('The key of a step that sends: its last message to the contact.', 'boas_vindas').optional(),
  status: z.enum(SENT_STATUSES).optional().meta({
    description:
      'The result of the message: stronger results count as weaker ones too, for example `lida` as `entregue`.',
    example: 'lida',
  }),
};
const both = ({ passo, status }: { passo?: string | undefined; status?: string | undefined }) =>
  (passo === undefined) === (status === undefined);

const tag = oneLine(MAX_TAG_LENGTH, 'A tag.', 'cliente');
const tags = (description: string) =>
  z
    .union([tag, z.array(tag).min(1).max(20)], { error: 'must be a tag, or a list of 1 to 20 tags' })
    .optional()
    .meta({ description, example: ['cliente'] });

/** Unlike `/v1`, a journey requires existing templates, in the test environment as well. */
const stepTemplate = template.meta({
  description:
    'A template of the organization, by its id or name: of WhatsApp, or on e-mail a saved one of `/v2/email/templates`. On sms, rcs, push and instagram the body of the WhatsApp template is sent as text, with its variables filled. 422 for one that does not exist, in the test environment too; a WhatsApp template must be approved when the journey is activated.',
});

const fallback = z.union(
  [
    channel,
    z
      .strictObject({
        channel,
        to: to.optional(),
        text: plainText.optional(),
        template: stepTemplate.optional(),
        variables: variables.optional(),
        after: waitText.optional(),
        maxCoins: maxCoins.optional(),
      })
      .refine(hasOneContent, ONE_CONTENT),
  ],
  { error: 'must be a channel, or an object with one' },
);

/** The configurations, by the kind of the step: docs/spec/journeys.md#steps. */
export const stepConfigs = {
  enviar: z
    .strictObject({
      canal: channel,
      texto: plainText.optional(),
      template: stepTemplate.optional(),
      variaveis: variables.optional(),
      assunto: oneLine(998, 'The subject, on e-mail.', 'Bem-vinda, {{contato.nome}}').optional(),
      html: boundedText(100_000, 'The HTML part, on e-mail.', '<p>Olá, {{contato.nome|você}}</p>').optional(),
      rota: boundedText(
        64,
        "A route of the channel's prices; the channel's default if it is absent.",
        'premium',
      ).optional(),
      fallback: z
        .array(fallback)
        .min(1)
        .max(5)
        .optional()
        .meta({ description: 'Fallbacks as POST /v1/messages takes them, tried in order: at most 5.' }),
      fallbackApos: waitText.optional(),
      transacional: flag('E-mail that is also sent to contacts that opted out.', false).optional(),
      maxCoins: maxCoins.optional(),
    })
    .refine((config) => (config.template === undefined) !== (given(config, ['texto', 'html']) === 0), {
      message: 'must be given, or template: exactly one of the two; on e-mail also html',
      path: ['texto'],
    })
    .meta({
      description:
        'A message, with the rules of POST /v1/messages. Texts may contain `{{contato.nome}}`, `{{contato.atributos.x}}`, `{{evento.x}}`, `{{variavel.x}}`, each with an optional fallback word after a `|`.',
    }),
  esperar: z
    .strictObject({ ...units, ate: until.optional() })
    .refine(oneOf(...Object.keys(units), 'ate').check, oneOf(...Object.keys(units), 'ate').message)
    .meta({ description: 'How long, 1 s to 365 days; or until when.' }),
  esperar_evento: z
    .strictObject({
      ...sent,
      evento: optionalBoundedText(128, 'The name of a customer event.', 'compra'),
      prazo: duration('The maximum wait.'),
    })
    .refine(oneOf('evento', 'passo').check, oneOf('evento', 'passo').message)
    .refine(both, { message: 'must be given with passo, and only with it', path: ['status'] })
    .meta({ description: 'What it waits for: an event of the customer, or the result of an earlier message.' }),
  condicao: z
    .strictObject({ ...sent, filterTree: FilterTree.optional() })
    .refine(oneOf('filterTree', 'passo').check, oneOf('filterTree', 'passo').message)
    .refine(both, { message: 'must be given with passo, and only with it', path: ['status'] })
    .meta({
      description:
        'The condition: filters on the contact, in the filter language of segments, or the result of an earlier message.',
    }),
  divisao: z
    .strictObject({
      ramos: z
        .array(
          z.strictObject({
            nome: oneLine(64, "The branch's name.", 'A'),
            peso: ordinal('How many percent of contacts take it.', 50).max(100),
          }),
        )
        .min(2)
        .max(20)
        .refine((ramos) => ramos.reduce((sum, { peso }) => sum + peso, 0) === 100, 'must have weights that sum to 100')
        .meta({ description: 'The branches; their weights sum to 100.' }),
    })
    .meta({ description: 'Branches by weight. A contact keeps its branch on every re-entry.' }),
  etiqueta: z
    .strictObject({
      adicionar: tags('Tags to add to the contact.'),
      remover: tags('Tags to remove from it.'),
    })
    .refine((config) => given(config, ['adicionar', 'remover']) > 0, 'must have adicionar or remover')
    .meta({ description: 'Tags to add or remove; one or a list.' }),
  atributo: z
    .strictObject({
      chave: attributeKey
        .refine((key) => key !== '__proto__', 'must not be __proto__')
        .meta({ description: 'The key of the attribute.', example: 'plano' }),
      valor: attributeValue.meta({
        description: 'Its value; null clears it.',
        example: 'ouro',
      }),
    })
    .meta({ description: 'An attribute of the contact to set.' }),
  mover_cartao: z
    .strictObject({
      pipelineId: idSchema('pipeline', 'The pipeline.'),
      estagioId: idSchema('stage', "The stage that the contact's open card goes to."),
      criar: z.strictObject({ titulo, valor: valor.optional() }).optional().meta({
        description:
          'The card to create if the contact has no open one in the pipeline; without it the step is skipped.',
      }),
    })
    .meta({ description: "Where the contact's card goes." }),
  webhook: z
    .strictObject({
      url: z.string().max(2_048).meta({
        description: 'The address that is posted to, under the rules of webhooks: https.',
        example: 'https://loja.example/jornada',
      }),
      cabecalhos: z
        .array(
          z.strictObject({
            key: boundedText(128, 'The name of the header.', 'x-tenant'),
            value: z.string().max(1_024).meta({ description: 'Its value; write-only.', example: 'loja-a-12' }),
          }),
        )
        .max(20)
        .optional()
        .meta({ description: 'Headers in addition to our own; reserved names are refused.' }),
    })
    .meta({ description: 'A signed post, attempted five times; then the run ends in `erro`.' }),
  sair: z.strictObject({}).meta({ description: 'The run ends here.' }),
} as const;

const stepOf = <const K extends keyof typeof stepConfigs>(kind: K) =>
  z.strictObject({
    chave: stepKey('Its key, unique in the journey.', kind),
    tipo: z.literal(kind).meta({ description: 'The kind of the step.' }),
    rotulo: oneLine(120, 'A label for people.', 'Mensagem de boas-vindas').optional(),
    config: stepConfigs[kind],
  });

/** A step of a journey. */
export const JourneyStep = z
  .discriminatedUnion('tipo', [
    stepOf('enviar'),
    stepOf('esperar'),
    stepOf('esperar_evento'),
    stepOf('condicao'),
    stepOf('divisao'),
    stepOf('etiqueta'),
    stepOf('atributo'),
    stepOf('mover_cartao'),
    stepOf('webhook'),
    stepOf('sair'),
  ])
  .meta({ id: 'JourneyStep', description: 'A step of a journey: its settings are in `config`, by its `tipo`.' });
