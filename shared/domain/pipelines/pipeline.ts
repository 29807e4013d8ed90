import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';

/** Pipelines of an organization in one environment, archived ones included, at most. */
export const MAX_PIPELINES = 50;
/** Stages of a pipeline, at most. */
export const MAX_STAGES = 20;

/** What a stage means for the cards in it: they are open, won or lost. */
export const STAGE_TYPES = ['aberto', 'ganho', 'perdido'] as const;
export type StageType = (typeof STAGE_TYPES)[number];

/** Kinds of pipelines that are named; only the first one is available (docs/spec/pipelines.md#kinds). */
export const PIPELINE_TYPES = ['vendas', 'cobranca', 'onboarding'] as const;
export type PipelineType = (typeof PIPELINE_TYPES)[number];

/** A field that a stage may require, as it is named in the contract. */
export const REQUIRED_FIELD = /^(?:valor|dataPrevista|responsavelId|contatoId|empresaId|atributos\.[^\p{Cc}]{1,64})$/u;

/** A stage of a pipeline. Its place is its place in the pipeline's list. */
export interface Stage {
  readonly id: Id<'stage'>;
  /**
   * The short name under which its cards are counted. Never used again in its pipeline, and another one once the stage's type changes, so that
   * who moves a card there by what the stage was before fails.
   */
  readonly key: string;
  readonly name: string;
  readonly type: StageType;
  /** 0 to 100 percent. */
  readonly probability?: number | undefined;
  /** After so many days an open card in it is stalled. */
  readonly maxDays?: number | undefined;
  /** Fields that a card must have to enter it, as the contract names them. */
  readonly requiredFields: readonly string[];
}

/** A look at the cards of stages. */
export interface StageSweep {
  /** When a stage last changed. */
  readonly since: number;
  /** When a worker looks. */
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
  /** How many keys its stages have had. */
  readonly stageKeys: number;
  /** Stages whose cards are looked at again: their limit of days changed. */
  readonly sweep?: StageSweep | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock. */
  readonly version: number;
}

/** Cards in a currency, and their value in whole cents. */
export interface CurrencySum {
  readonly currency: string;
  readonly cards: number;
  readonly cents: number;
}
/** What is counted of a stage. */
export interface StageCounts {
  readonly cards: number;
  /** Its open cards, by currency. */
  readonly open: readonly CurrencySum[];
}
/** What is counted of a pipeline; exact. */
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

/** Result of saving a pipeline. `has_cards`: a stage that it would lose, or the pipeline itself, has cards. */
export type PipelineOutcome = 'saved' | 'conflict' | 'has_cards';

/** Stores pipelines with the counts of their cards. */
export interface PipelineStore {
  create(pipeline: Pipeline): Promise<'saved' | 'limit_reached'>;
  /**
   * Replaces `before` by `after`. A stage key that is gone must have no cards: of a card that moves in and a change that takes the key away, one
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
  /** Hands the look at a pipeline's cards to a worker. Best effort: it is due work. */
  readonly enqueueSweep: (pipeline: Pipeline) => void;
}
