import type { Config, StepKind } from './graph.ts';
import type { stepTexts } from './step-texts.ts';

type FieldText = keyof (typeof stepTexts)['pt']['fields'];
type ModeText = keyof (typeof stepTexts)['pt']['modes'];

/** The source of a field's choices. */
export type Source = 'templates' | 'pipelines' | 'stages' | 'sending';

/** A field of a step's config, by its path there: the one by which the service names what is wrong with it. */
export interface Field {
  readonly path: string;
  readonly label: FieldText;
  readonly kind:
    | 'text'
    | 'area'
    | 'number'
    | 'check'
    | 'time'
    | 'date'
    | 'choice'
    | 'pick'
    | 'duration'
    | 'tags'
    | 'pairs'
    | 'headers'
    | 'value'
    | 'branches'
    | 'conditions'
    | 'channels';
  /** Of a `choice`. */
  readonly choices?: readonly string[];
  /** Of a `pick`. */
  readonly from?: Source;
  /** Whether the config as it is has the field. */
  readonly when?: (config: Config) => boolean;
}

/** One of the ways in which a step can be written: another takes its place as a whole. */
interface Mode {
  readonly name: ModeText;
  readonly is: (config: Config) => boolean;
  readonly initial: Config;
  readonly fields: readonly Field[];
}

interface StepSchema {
  readonly modes?: readonly Mode[];
  readonly fields: readonly Field[];
}

export const CHANNELS = ['whatsapp', 'email', 'sms', 'rcs', 'push', 'instagram'] as const;
const OUTCOMES = ['entregue', 'lida', 'clicada', 'respondida'] as const;
const WEEKDAYS = ['domingo', 'segunda', 'terca', 'quarta', 'quinta', 'sexta', 'sabado'] as const;

const ofMessage: readonly Field[] = [
  { path: 'passo', label: 'passo', kind: 'pick', from: 'sending' },
  { path: 'status', label: 'status', kind: 'choice', choices: OUTCOMES },
];
const isEmail = ({ canal }: Config): boolean => canal === 'email';

/** How each kind of step is edited. */
export const STEP_SCHEMAS: Readonly<Record<StepKind, StepSchema>> = {
  enviar: {
    modes: [
      {
        name: 'text',
        is: (config) => !('template' in config),
        initial: { texto: '' },
        fields: [{ path: 'texto', label: 'texto', kind: 'area' }],
      },
      {
        name: 'template',
        is: (config) => 'template' in config,
        initial: { template: '' },
        fields: [
          { path: 'template', label: 'template', kind: 'pick', from: 'templates' },
          { path: 'variaveis', label: 'variaveis', kind: 'pairs' },
        ],
      },
    ],
    fields: [
      { path: 'canal', label: 'canal', kind: 'choice', choices: CHANNELS },
      { path: 'assunto', label: 'assunto', kind: 'text', when: isEmail },
      { path: 'html', label: 'html', kind: 'area', when: isEmail },
      { path: 'transacional', label: 'transacional', kind: 'check', when: isEmail },
      { path: 'rota', label: 'rota', kind: 'text' },
      { path: 'fallback', label: 'fallback', kind: 'channels' },
      { path: 'fallbackApos', label: 'fallbackApos', kind: 'text' },
      { path: 'maxCoins', label: 'maxCoins', kind: 'number' },
    ],
  },
  esperar: {
    modes: [
      {
        name: 'duration',
        is: (config) => !('ate' in config),
        initial: { dias: 1 },
        fields: [{ path: '', label: 'prazo', kind: 'duration' }],
      },
      {
        name: 'until',
        is: (config) => 'ate' in config,
        initial: { ate: { hora: '09:00' } },
        fields: [
          { path: 'ate.hora', label: 'hora', kind: 'time' },
          { path: 'ate.diaDaSemana', label: 'diaDaSemana', kind: 'choice', choices: ['', ...WEEKDAYS] },
          { path: 'ate.data', label: 'data', kind: 'date' },
        ],
      },
    ],
    fields: [],
  },
  esperar_evento: {
    modes: [
      {
        name: 'event',
        is: (config) => !('passo' in config),
        initial: { evento: '' },
        fields: [{ path: 'evento', label: 'evento', kind: 'text' }],
      },
      {
        name: 'message',
        is: (config) => 'passo' in config,
        initial: { passo: '', status: 'entregue' },
        fields: ofMessage,
      },
    ],
    fields: [{ path: 'prazo', label: 'prazo', kind: 'duration' }],
  },
  condicao: {
    modes: [
      {
        name: 'contact',
        is: (config) => !('passo' in config),
        initial: { filterTree: { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: '' } } },
        fields: [{ path: 'filterTree', label: 'filterTree', kind: 'conditions' }],
      },
      {
        name: 'message',
        is: (config) => 'passo' in config,
        initial: { passo: '', status: 'entregue' },
        fields: ofMessage,
      },
    ],
    fields: [],
  },
  divisao: { fields: [{ path: 'ramos', label: 'ramos', kind: 'branches' }] },
  etiqueta: {
    fields: [
      { path: 'adicionar', label: 'adicionar', kind: 'tags' },
      { path: 'remover', label: 'remover', kind: 'tags' },
    ],
  },
  atributo: {
    fields: [
      { path: 'chave', label: 'atributo', kind: 'text' },
      { path: 'valor', label: 'valor', kind: 'value' },
    ],
  },
  mover_cartao: {
    fields: [
      { path: 'pipelineId', label: 'pipelineId', kind: 'pick', from: 'pipelines' },
      { path: 'estagioId', label: 'estagioId', kind: 'pick', from: 'stages' },
      { path: 'criar.titulo', label: 'criarTitulo', kind: 'text' },
      { path: 'criar.valor', label: 'criarValor', kind: 'number', when: (config) => 'criar' in config },
    ],
  },
  webhook: {
    fields: [
      { path: 'url', label: 'url', kind: 'text' },
      { path: 'cabecalhos', label: 'cabecalhos', kind: 'headers' },
    ],
  },
  sair: { fields: [] },
};

/** The fields of a step's config as it is. */
export const fieldsOf = (kind: StepKind, config: Config): readonly Field[] => {
  const { modes = [], fields } = STEP_SCHEMAS[kind];
  const mode = modes.find((each) => each.is(config));
  return [...(mode?.fields ?? []), ...fields].filter(({ when }) => when === undefined || when(config));
};

/** The config in another of the ways in which the step can be written; what both have stays. */
export const inMode = (kind: StepKind, config: Config, name: string): Config => {
  const { modes = [] } = STEP_SCHEMAS[kind];
  const mode = modes.find((each) => each.name === name);
  if (!mode || mode.is(config)) return config;
  const before = modes.find((each) => each.is(config));
  const gone = new Set(before?.name === 'duration' ? ['segundos', 'minutos', 'horas', 'dias'] : []);
  for (const { path } of before?.fields ?? []) gone.add(path.split('.')[0] ?? path);
  return { ...Object.fromEntries(Object.entries(config).filter(([field]) => !gone.has(field))), ...mode.initial };
};
