import type { V1SendRequest } from '../api/v1-send.ts';
import type { FilterTree } from '../audience/filters.ts';
import { isRefusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import { definedFields } from '../core/patch.ts';
import { parseDescription } from '../segments/parse.ts';
import type { WireTree } from '../segments/segment.ts';
import type {
  JourneyDefinition,
  LinkOutcome,
  SentStatus,
  StepKind,
  WireConfigs,
  WireDuration,
  WireGraph,
  WireLink,
  WireSent,
  WireStep,
  WireUntil,
} from './definition.ts';
import { durationMs, waitTextMs } from './durations.ts';

/** The message of a step: a /v1 request without recipient and labels. Its texts contain placeholders. */
export interface JourneyMessage
  extends Pick<
    V1SendRequest,
    'channel' | 'text' | 'template' | 'variables' | 'fallback' | 'fallback_after' | 'maxCoins'
  > {
  readonly subject?: string | undefined;
  readonly html?: string | undefined;
  readonly route?: string | undefined;
  readonly transactional?: boolean | undefined;
}

/** The required outcome of an earlier step's last message. */
export interface SentCheck {
  readonly step: string;
  readonly status: SentStatus;
}

/** The configuration of each kind of step. Durations in ms. */
export interface StepConfigs {
  readonly enviar: JourneyMessage;
  readonly esperar: { readonly ms: number } | { readonly until: WireUntil };
  readonly esperar_evento: ({ readonly event: string } | SentCheck) & { readonly withinMs: number };
  readonly condicao: { readonly tree: FilterTree } | SentCheck;
  readonly divisao: { readonly branches: readonly Branch[] };
  readonly etiqueta: { readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly atributo: { readonly key: string; readonly value: ContactAttributes[string] };
  readonly mover_cartao: CardMove;
  readonly webhook: WebhookCall;
  readonly sair: Readonly<Record<never, never>>;
}

/** A branch of a `divisao`, taken by `weight` percent of contacts. */
export interface Branch {
  readonly name: string;
  readonly weight: number;
}
/** The target of a contact's open card; `create`: the card to create if there is none. */
export interface CardMove {
  readonly pipelineId: Id<'pipeline'>;
  readonly stageId: Id<'stage'>;
  readonly create?: { readonly title: string; readonly value?: number | undefined } | undefined;
}
export interface WebhookCall {
  readonly url: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** A step, with the key of the next step by `outcomeKey`. */
export type Step<K extends StepKind = StepKind> = {
  [Kind in K]: {
    readonly key: string;
    readonly kind: Kind;
    readonly label?: string | undefined;
    readonly config: StepConfigs[Kind];
    readonly next: ReadonlyMap<string, string>;
  };
}[K];

/** A journey's graph for the interpreter (docs/spec/journeys.md#graph): its steps by key, in the order of the definition. */
export interface Graph {
  /** The step where runs start. */
  readonly first: string;
  readonly steps: ReadonlyMap<string, Step>;
  readonly silence?: JourneyDefinition['silencio'];
  /** The steps whose messages other steps check; runs need no outcomes of other messages. */
  readonly watched: ReadonlySet<string>;
  /** The name of the customer event that is its goal. */
  readonly goal?: string | undefined;
}

/** The key of an outcome in a step's links. */
export const outcomeKey = (outcome: LinkOutcome, branch?: string): string =>
  outcome === 'ramo' ? `ramo ${branch}` : outcome;

/** The key of a link's outcome. */
export const outcomeOf = ({ quando = 'padrao', ramo }: Pick<WireLink, 'quando' | 'ramo'>): string =>
  outcomeKey(quando, ramo);

const treeOf = (filterTree: WireTree): FilterTree => {
  const parsed = parseDescription({ filters: [], filterTree });
  if (isRefusal(parsed)) throw new TypeError('The filters of a journey were not checked.');
  return parsed;
};
const sentOf = ({ passo = '', status = 'entregue' }: WireSent): SentCheck => ({ step: passo, status });
const waitOf = ({ ate, ...duration }: WireConfigs['esperar']): StepConfigs['esperar'] =>
  ate ? { until: ate } : { ms: durationMs(duration as WireDuration) };
const listOf = (tags: string | readonly string[] | undefined): readonly string[] =>
  typeof tags === 'string' ? [tags] : (tags ?? []);

const messageOf = (config: WireConfigs['enviar']): JourneyMessage => ({
  channel: config.canal,
  ...definedFields({
    text: config.texto,
    template: config.template,
    variables: config.variaveis,
    subject: config.assunto,
    html: config.html,
    route: config.rota,
    fallback: config.fallback?.map((step) =>
      typeof step === 'string'
        ? step
        : { ...step, after: step.after === undefined ? undefined : waitTextMs(step.after) },
    ),
    fallback_after: config.fallbackApos === undefined ? undefined : waitTextMs(config.fallbackApos),
    transactional: config.transacional,
    maxCoins: config.maxCoins,
  }),
});

/** How the configuration of each kind is compiled. */
const CONFIGS: { readonly [K in StepKind]: (config: WireConfigs[K]) => StepConfigs[K] } = {
  enviar: messageOf,
  esperar: waitOf,
  esperar_evento: ({ evento, prazo, ...sent }) => ({
    ...(evento === undefined ? sentOf(sent) : { event: evento }),
    withinMs: durationMs(prazo),
  }),
  condicao: ({ filterTree, ...sent }) => (filterTree ? { tree: treeOf(filterTree) } : sentOf(sent)),
  divisao: ({ ramos }) => ({ branches: ramos.map(({ nome, peso }) => ({ name: nome, weight: peso })) }),
  etiqueta: ({ adicionar, remover }) => ({ add: listOf(adicionar), remove: listOf(remover) }),
  atributo: ({ chave, valor }) => ({ key: chave, value: valor as ContactAttributes[string] }),
  mover_cartao: ({ pipelineId, estagioId, criar }) => ({
    pipelineId,
    stageId: estagioId,
    ...(criar ? { create: { title: criar.titulo, value: criar.valor } } : {}),
  }),
  webhook: ({ url, cabecalhos = [] }) => ({ url, headers: cabecalhos }),
  sair: () => ({}),
};

const watchedBy = ({ tipo, config }: WireStep): readonly string[] =>
  (tipo === 'esperar_evento' || tipo === 'condicao') && config.passo !== undefined ? [config.passo] : [];

const stepOf = (step: WireStep, next: ReadonlyMap<string, string>): Step =>
  ({
    key: step.chave,
    kind: step.tipo,
    ...definedFields({ label: step.rotulo }),
    config: CONFIGS[step.tipo](step.config as never),
    next,
  }) as Step;

/** Compiles the graph of a validated definition; throws a TypeError for invalid filters. */
export const graphOf = ({
  passos,
  ligacoes,
  silencio,
  meta,
}: WireGraph & Pick<JourneyDefinition, 'silencio' | 'meta'>): Graph => {
  const next = new Map<string, Map<string, string>>(passos.map(({ chave }) => [chave, new Map()]));
  for (const link of ligacoes) next.get(link.de)?.set(outcomeOf(link), link.para);
  const steps = passos.map((step) => [step.chave, stepOf(step, next.get(step.chave) ?? new Map())] as const);
  return {
    first: passos[0]?.chave ?? '',
    steps: new Map(steps),
    watched: new Set(passos.flatMap(watchedBy)),
    ...definedFields({ silence: silencio, goal: meta?.evento }),
  };
};
