import * as z from 'zod';
import { MAX_FREQUENCY } from '../domain/contacts/frequency.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { LINK_OUTCOMES, REENTRIES, TRIGGER_TYPES } from '../domain/journeys/definition.ts';
import { boundedText, closedObject, oneLine, optionalBoundedText, ordinal } from './common.ts';
import { JourneyStep, silence, stepKey } from './journey-steps.ts';

/** Maximum steps of a journey; each has at most as many links as a `divisao` has branches. */
const MAX_STEPS = 150;
const MAX_LINKS = 1_000;

export const journeyName = oneLine(200, 'The name; several may have the same.', 'Boas-vindas');

export const JourneyTrigger = closedObject('JourneyTrigger', 'What lets contacts in.', {
  tipo: z.enum(TRIGGER_TYPES).meta({
    description:
      '`lista`: the contact joins `listId`; `segmento`: it comes to match `segmentId`; `evento`: a customer event of name `nome`; `mensagem`: it writes a message, which must contain the word `nome` if given; `etiqueta`: the tag `nome` is added to it; `manual`: only by `POST …/entries`.',
    example: 'evento',
  }),
  listId: idSchema('list', 'The list; for `lista` only.').optional(),
  nome: optionalBoundedText(128, 'The name of the event, a word of the message, or the tag.', 'cadastro'),
  segmentId: idSchema('segment', 'The segment; for `segmento` only.').optional(),
});
export const JourneyLink = closedObject('JourneyLink', 'The next step of a run after a step.', {
  de: stepKey('The step before.', 'boas_vindas'),
  para: stepKey('The next step.', 'esperar'),
  quando: z.enum(LINK_OUTCOMES).optional().meta({
    description:
      'The outcome of the step: `sim` and `nao` of a `condicao`, `evento` and `tempo_esgotado` of an `esperar_evento`, `ramo` of a `divisao`, `padrao` of all others, and the default.',
    example: 'padrao',
  }),
  ramo: optionalBoundedText(64, 'The name of the branch; with `quando` `ramo` only.', 'A'),
});
export const FrequencyCap = closedObject(
  'JourneyFrequencyCap',
  'A limit of messages to a contact, from journeys and campaigns together; a send above it is skipped.',
  {
    mensagens: ordinal('How many messages.', 3).max(MAX_FREQUENCY.messages),
    dias: ordinal('The period in days of 24 hours.', 7).max(MAX_FREQUENCY.days),
  },
);
export const JourneyGoal = closedObject(
  'JourneyGoal',
  'The goal of the journey: a run that reaches it ends, and counts as a conversion.',
  {
    evento: boundedText(128, 'The name of a customer event.', 'compra'),
  },
);

/** The fields of a journey. */
export const journeyFields = {
  name: journeyName,
  gatilho: JourneyTrigger,
  passos: z
    .array(JourneyStep)
    .min(1)
    .max(MAX_STEPS)
    .meta({ description: `The steps, 1 to ${MAX_STEPS}; runs begin at the first.` }),
  ligacoes: z
    .array(JourneyLink)
    .max(MAX_LINKS)
    .meta({ description: 'The links between them. A step without the link that its outcome needs ends the run.' }),
  reentrada: z.enum(REENTRIES).meta({
    description: 'Whether a contact may enter again: `nunca`, or `apos_concluir`, after its last run ended.',
    example: 'apos_concluir',
  }),
};
export const journeyOptions = {
  intervaloReentradaHoras: ordinal(
    'How many hours must also have passed since the last run began; for `apos_concluir` only.',
    72,
  ).max(8_760),
  silencio: silence,
  tetoDeFrequencia: FrequencyCap,
  meta: JourneyGoal,
};
const optional = {
  intervaloReentradaHoras: journeyOptions.intervaloReentradaHoras.optional(),
  silencio: silence.optional(),
  tetoDeFrequencia: FrequencyCap.optional(),
  meta: JourneyGoal.optional(),
};

/** A journey to create: docs/spec/journeys.md#graph. */
export const CreateJourney = closedObject('CreateJourney', 'A journey to create.', { ...journeyFields, ...optional });
/** A change of a journey. */
export const ChangeJourney = closedObject('ChangeJourney', 'A change to a journey; absent fields stay, null clears.', {
  name: journeyFields.name.optional(),
  gatilho: journeyFields.gatilho.optional(),
  passos: journeyFields.passos.optional(),
  ligacoes: journeyFields.ligacoes.optional(),
  reentrada: journeyFields.reentrada.optional(),
  intervaloReentradaHoras: journeyOptions.intervaloReentradaHoras.nullable().optional(),
  silencio: silence.nullable().optional(),
  tetoDeFrequencia: FrequencyCap.nullable().optional(),
  meta: JourneyGoal.nullable().optional(),
});
