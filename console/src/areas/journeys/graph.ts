import type { CreateJourney, Journey, JourneyLink, JourneyStep } from '../../sdk.ts';

export type StepKind = JourneyStep['tipo'];
export type Config = Readonly<Record<string, unknown>>;

/** A step as it is edited: what its config holds is read by the service, which names what is wrong with it. */
export interface Step {
  readonly chave: string;
  readonly tipo: StepKind;
  readonly rotulo?: string;
  readonly config: Config;
}

/** The steps of a journey, and what leads from one to another. Runs begin at the first step. */
export interface Graph {
  readonly passos: readonly Step[];
  readonly ligacoes: readonly JourneyLink[];
}

/** An outcome of a step: what a link leaves it by. */
export interface Outcome {
  readonly quando: NonNullable<JourneyLink['quando']>;
  readonly ramo?: string;
}

export const KINDS = [
  'enviar',
  'esperar',
  'esperar_evento',
  'condicao',
  'divisao',
  'etiqueta',
  'atributo',
  'mover_cartao',
  'webhook',
  'sair',
] as const satisfies readonly StepKind[];

/** The units of a duration in a config. */
export const UNITS = ['segundos', 'minutos', 'horas', 'dias'] as const;

const INITIAL: Readonly<Record<StepKind, Config>> = {
  enviar: { canal: 'sms', texto: '' },
  esperar: { dias: 1 },
  esperar_evento: { evento: '', prazo: { dias: 1 } },
  condicao: { filterTree: { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: '' } } },
  divisao: {
    ramos: [
      { nome: 'A', peso: 50 },
      { nome: 'B', peso: 50 },
    ],
  },
  etiqueta: { adicionar: [] },
  atributo: { chave: '', valor: '' },
  mover_cartao: { pipelineId: '', estagioId: '' },
  webhook: { url: '' },
  sair: {},
};

const branchesOf = ({ config }: Step): readonly string[] =>
  Array.isArray(config.ramos) ? config.ramos.map((each: { readonly nome?: unknown }) => String(each?.nome ?? '')) : [];

/** The outcomes of a step, in the order in which they are shown. */
export const outcomesOf = (step: Step): readonly Outcome[] => {
  if (step.tipo === 'sair') return [];
  if (step.tipo === 'condicao') return [{ quando: 'sim' }, { quando: 'nao' }];
  if (step.tipo === 'esperar_evento') return [{ quando: 'evento' }, { quando: 'tempo_esgotado' }];
  if (step.tipo === 'divisao') return branchesOf(step).map((ramo) => ({ quando: 'ramo' as const, ramo }));
  return [{ quando: 'padrao' }];
};

/** One name for an outcome: of a link, and of the handle that it leaves a step by. */
export const outcomeId = ({ quando = 'padrao', ramo = '' }: { quando?: string; ramo?: string }): string =>
  `${quando}:${ramo}`;

const leaves = (link: JourneyLink, key: string, outcome: Outcome): boolean =>
  link.de === key && outcomeId(link) === outcomeId(outcome);

/** Where an outcome leads; undefined where the run ends there. */
export const targetOf = ({ ligacoes }: Graph, key: string, outcome: Outcome): string | undefined =>
  ligacoes.find((link) => leaves(link, key, outcome))?.para;

const linkOf = (de: string, { quando, ramo }: Outcome, para: string): JourneyLink => ({
  de,
  para,
  ...(quando === 'padrao' ? {} : { quando }),
  ...(ramo === undefined ? {} : { ramo }),
});

/** Leads an outcome to a step, or nowhere: it has one link at most. */
export const connect = (graph: Graph, key: string, outcome: Outcome, target: string | undefined): Graph => ({
  ...graph,
  ligacoes: [
    ...graph.ligacoes.filter((link) => !leaves(link, key, outcome)),
    ...(target === undefined ? [] : [linkOf(key, outcome, target)]),
  ],
});

const freeKey = ({ passos }: Graph, kind: StepKind): string => {
  const taken = new Set(passos.map(({ chave }) => chave));
  for (let number = 1; ; number++) {
    const key = `${kind}_${number}`;
    if (!taken.has(key)) return key;
  }
};

/** Adds a step behind an outcome; what that led to then follows the new step. Answers the new step's key as well. */
export const addStep = (graph: Graph, kind: StepKind, after?: { readonly key: string; readonly outcome: Outcome }) => {
  const step: Step = { chave: freeKey(graph, kind), tipo: kind, config: INITIAL[kind] };
  const added: Graph = { ...graph, passos: [...graph.passos, step] };
  if (!after) return { graph: added, key: step.chave };
  const next = targetOf(graph, after.key, after.outcome);
  const [first] = outcomesOf(step);
  const led = connect(added, after.key, after.outcome, step.chave);
  return { graph: first && next !== undefined ? connect(led, step.chave, first, next) : led, key: step.chave };
};

/** Takes a step out. What led to it leads to what followed it, where that is one step. */
export const removeStep = (graph: Graph, key: string): Graph => {
  const following = [...new Set(graph.ligacoes.filter(({ de }) => de === key).map(({ para }) => para))];
  const [next] = following.filter((each) => each !== key);
  const bridged = graph.ligacoes.flatMap((link) => {
    if (link.de === key) return [];
    if (link.para !== key) return [link];
    return following.length === 1 && next !== undefined ? [{ ...link, para: next }] : [];
  });
  return { passos: graph.passos.filter(({ chave }) => chave !== key), ligacoes: bridged };
};

/** Puts another step in the place of one. Links and steps that name it follow its new key; links of outcomes that it no longer has go. */
export const changeStep = (graph: Graph, key: string, step: Step): Graph => {
  const renamed = (name: string) => (name === key ? step.chave : name);
  const kept = new Set(outcomesOf(step).map(outcomeId));
  const named = (each: Step): Step =>
    each.config.passo === key && step.chave !== key ? { ...each, config: { ...each.config, passo: step.chave } } : each;
  return {
    passos: graph.passos.map((each) => (each.chave === key ? step : named(each))),
    ligacoes: graph.ligacoes
      .filter((link) => link.de !== key || kept.has(outcomeId(link)))
      .map((link) => ({ ...link, de: renamed(link.de), para: renamed(link.para) })),
  };
};

/** Has runs begin at a step. */
export const makeFirst = (graph: Graph, key: string): Graph => ({
  ...graph,
  passos: [...graph.passos].sort((a, b) => Number(b.chave === key) - Number(a.chave === key)),
});

/** The editable part of a journey. */
export type Draft = Omit<CreateJourney, 'passos' | 'ligacoes'> & Graph;

export const draftOf = (journey: Journey): Draft => {
  const { name, gatilho, reentrada, intervaloReentradaHoras, silencio, tetoDeFrequencia, meta } = journey;
  return {
    name,
    gatilho,
    reentrada,
    ...(intervaloReentradaHoras === undefined ? {} : { intervaloReentradaHoras }),
    ...(silencio ? { silencio } : {}),
    ...(tetoDeFrequencia ? { tetoDeFrequencia } : {}),
    ...(meta ? { meta } : {}),
    passos: journey.passos,
    ligacoes: journey.ligacoes,
  };
};
