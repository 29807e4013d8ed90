import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';

/** Maximum pipelines of an organization in one environment, including archived ones. */
export const MAX_PIPELINES = 50;
/** Maximum stages of a pipeline. */
export const MAX_STAGES = 20;

/** A stage's type determines the status of its cards: open, won or lost. */
export const STAGE_TYPES = ['aberto', 'ganho', 'perdido'] as const;
export type StageType = (typeof STAGE_TYPES)[number];

/** Named kinds of pipelines; only the first one is available (docs/spec/pipelines.md#kinds). */
export const PIPELINE_TYPES = ['vendas', 'cobranca', 'onboarding'] as const;
export type PipelineType = (typeof PIPELINE_TYPES)[number];

/** A field that a stage may require, by the contract's name. */
export const REQUIRED_FIELD = /^(?:valor|dataPrevista|responsavelId|contatoId|empresaId|atributos\.[^\p{Cc}]{1,64})$/u;

/** A stage of a pipeline; its position is its index in the pipeline's list. */
export interface Stage {
  readonly id: Id<'stage'>;
  /**
   * The short key under which its cards are counted. Never reused within its pipeline, and replaced when the stage's type changes, so that
   * moves based on the previous type fail.
   */
  readonly key: string;
  readonly name: string;
  readonly type: StageType;
  /** 0 to 100 percent. */
  readonly probability?: number | undefined;
  /** After this many days an open card in it is stalled. */
  readonly maxDays?: number | undefined;
  /** Fields that a card must have to enter it, by the contract's names. */
  readonly requiredFields: readonly string[];
}

/** A sweep over the cards of stages. */
export interface StageSweep {
  /** When a stage last changed. */
  readonly since: number;
  /** When a worker runs it. */
  readonly at: number;
  readonly stages: readonly Id<'stage'>[];
}

/** A sales pipeline (docs/spec/pipelines.md). Times in ms. */
export interface Pipeline extends Tenant {
  readonly id: Id<'pipeline'>;
  readonly name: string;
  readonly type: PipelineType;
  readonly archived: boolean;
  readonly stages: readonly Stage[];
  /** The number of keys that its stages have used. */
  readonly stageKeys: number;
  /** A pending sweep over cards whose stage's limit of days changed. */
  readonly sweep?: StageSweep | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock. */
  readonly version: number;
}

/** The number of cards in a currency, and their total value in whole cents. */
export interface CurrencySum {
  readonly currency: string;
  readonly cards: number;
  readonly cents: number;
}
/** The counters of a stage. */
export interface StageCounts {
  readonly cards: number;
  /** Open cards, by currency. */
  readonly open: readonly CurrencySum[];
}
/** The exact counters of a pipeline. */
export interface PipelineCounts {
  readonly cards: number;
  readonly won: number;
  readonly lost: number;
  /** By the stage's key. */
  readonly stages: ReadonlyMap<string, StageCounts>;
}
export interface CountedPipeline {
  readonly pipeline: Pipeline;
  readonly counts: PipelineCounts;
}

/** Result of saving a pipeline. `has_cards`: a stage to be removed, or the pipeline itself, has cards. */
export type PipelineOutcome = 'saved' | 'conflict' | 'has_cards';

/** Stores pipelines with the counters of their cards. */
export interface PipelineStore {
  create(pipeline: Pipeline): Promise<'saved' | 'limit_reached'>;
  /**
   * Replaces `before` by `after`. A removed stage key must have no cards: of a card moving in and a concurrent removal of the key, only one
   * succeeds.
   */
  change(before: Pipeline, after: Pipeline): Promise<PipelineOutcome>;
  remove(pipeline: Pipeline): Promise<PipelineOutcome>;
  /** A pipeline by its id alone, for due work. */
  find(id: Id<'pipeline'>): Promise<Pipeline | undefined>;
  /** A pipeline of the organization, strongly consistent. */
  read(organizationId: Id<'organization'>, id: Id<'pipeline'>): Promise<Pipeline | undefined>;
  /** The same with its counts, in one query. */
  readCounted(organizationId: Id<'organization'>, id: Id<'pipeline'>): Promise<CountedPipeline | undefined>;
  /** All of an organization's pipelines, newest first. */
  all(organizationId: Id<'organization'>): Promise<readonly Pipeline[]>;
}

/** Ports of the pipeline rules. */
export interface PipelinePorts {
  readonly clock: Clock;
  readonly store: PipelineStore;
  /** Enqueues the sweep of a pipeline. Best effort: it is due work. */
  readonly enqueueSweep: (pipeline: Pipeline) => void;
}
