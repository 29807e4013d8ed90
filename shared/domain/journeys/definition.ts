import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { WireTree } from '../segments/segment.ts';

/*
 * A journey as on the wire (docs/spec/journeys.md#graph): as written by callers, stored and returned. `graphOf` compiles it for the
 * interpreter.
 */

/** Triggers of a journey (docs/spec/journeys.md#triggers). */
export const TRIGGER_TYPES = ['lista', 'segmento', 'evento', 'mensagem', 'etiqueta', 'manual'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** The kinds of steps (docs/spec/journeys.md#steps). */
export const STEP_KINDS = [
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
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** The outcomes that links follow (docs/spec/journeys.md#links). */
export const LINK_OUTCOMES = ['padrao', 'sim', 'nao', 'tempo_esgotado', 'evento', 'ramo'] as const;
export type LinkOutcome = (typeof LINK_OUTCOMES)[number];

/** Outcomes of a step's message, from the weakest to the strongest. */
export const SENT_STATUSES = ['entregue', 'lida', 'clicada', 'respondida'] as const;
export type SentStatus = (typeof SENT_STATUSES)[number];

export const WEEKDAYS = ['domingo', 'segunda', 'terca', 'quarta', 'quinta', 'sexta', 'sabado'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const REENTRIES = ['nunca', 'apos_concluir'] as const;
export type Reentry = (typeof REENTRIES)[number];

/** A duration: one of the units, and a number. */
export interface WireDuration {
  readonly segundos?: number | undefined;
  readonly minutos?: number | undefined;
  readonly horas?: number | undefined;
  readonly dias?: number | undefined;
}
/** A local time of the organization: the next `hora`, on a weekday, or on a date. */
export interface WireUntil {
  /** HH:MM. */
  readonly hora: string;
  readonly diaDaSemana?: Weekday | undefined;
  /** YYYY-MM-DD. */
  readonly data?: string | undefined;
}
/** A check of the outcome of an earlier step's last message. */
export interface WireSent {
  readonly passo?: string | undefined;
  readonly status?: SentStatus | undefined;
}

type Variables = Readonly<Record<string, string | number | boolean>>;
/** A fallback as /v1 takes it: a channel, or one with content of its own. */
type WireFallback =
  | Channel
  | {
      readonly channel: Channel;
      readonly to?: string | undefined;
      readonly text?: string | undefined;
      readonly template?: string | undefined;
      readonly variables?: Variables | undefined;
      /** A number with its unit: `30s`, `10m`, `2h`. */
      readonly after?: string | undefined;
      readonly maxCoins?: number | undefined;
    };

/** The configuration of each kind of step. */
export interface WireConfigs {
  readonly enviar: {
    readonly canal: Channel;
    readonly texto?: string | undefined;
    readonly template?: string | undefined;
    readonly variaveis?: Variables | undefined;
    readonly assunto?: string | undefined;
    readonly html?: string | undefined;
    readonly rota?: string | undefined;
    readonly fallback?: readonly WireFallback[] | undefined;
    /** A number with its unit: `30s`, `10m`, `2h`. */
    readonly fallbackApos?: string | undefined;
    readonly transacional?: boolean | undefined;
    readonly maxCoins?: number | undefined;
  };
  readonly esperar: WireDuration & { readonly ate?: WireUntil | undefined };
  readonly esperar_evento: WireSent & { readonly evento?: string | undefined; readonly prazo: WireDuration };
  readonly condicao: WireSent & { readonly filterTree?: WireTree | undefined };
  readonly divisao: { readonly ramos: readonly { readonly nome: string; readonly peso: number }[] };
  readonly etiqueta: {
    readonly adicionar?: string | readonly string[] | undefined;
    readonly remover?: string | readonly string[] | undefined;
  };
  readonly atributo: { readonly chave: string; readonly valor: string | number | boolean | null | readonly string[] };
  readonly mover_cartao: {
    readonly pipelineId: Id<'pipeline'>;
    readonly estagioId: Id<'stage'>;
    readonly criar?: { readonly titulo: string; readonly valor?: number | undefined } | undefined;
  };
  readonly webhook: {
    readonly url: string;
    readonly cabecalhos?: readonly { readonly key: string; readonly value: string }[] | undefined;
  };
  readonly sair: Readonly<Record<never, never>>;
}

/** A step: its key, unique in its journey, and its configuration. */
export type WireStep = {
  [K in StepKind]: {
    readonly chave: string;
    readonly tipo: K;
    readonly rotulo?: string | undefined;
    readonly config: WireConfigs[K];
  };
}[StepKind];

/** The next step after an outcome; `padrao` if `quando` is absent. */
export interface WireLink {
  readonly de: string;
  readonly para: string;
  readonly quando?: LinkOutcome | undefined;
  /** The branch of a `divisao`; with `quando` `ramo` only. */
  readonly ramo?: string | undefined;
}

export interface WireTrigger {
  readonly tipo: TriggerType;
  readonly listId?: Id<'list'> | undefined;
  /** The name of a customer event, a word of an inbound message, or a tag. */
  readonly nome?: string | undefined;
  readonly segmentId?: Id<'segment'> | undefined;
}

/** The fields of a journey besides its graph. */
export interface JourneySettings {
  readonly gatilho: WireTrigger;
  readonly reentrada: Reentry;
  readonly intervaloReentradaHoras?: number | undefined;
  /** Daily hours in which it sends nothing, HH:MM by the organization's clock; `inicio` after `fim` spans midnight. */
  readonly silencio?: { readonly inicio: string; readonly fim: string } | undefined;
  readonly tetoDeFrequencia?: { readonly mensagens: number; readonly dias: number } | undefined;
  readonly meta?: { readonly evento: string } | undefined;
}

/** Steps and links. Runs start at the first step. */
export interface WireGraph {
  readonly passos: readonly WireStep[];
  readonly ligacoes: readonly WireLink[];
}

/** All fields of a journey that callers set. */
export interface JourneyDefinition extends JourneySettings, WireGraph {
  readonly name: string;
}
