import type { FilterTree } from '../audience/filters.ts';
import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { CardMove, JourneyMessage, StepConfigs, WebhookCall } from './graph.ts';
import type { CancelReason, HistoryEntry, Run, RunEvent, Signal } from './run.ts';

/**
 * Why a journey pauses (docs/spec/journeys.md#pauses): automatically, when a resource that every run needs is missing, or by an operator.
 */
export const PAUSE_REASONS = [
  'saldo_insuficiente',
  'template_indisponivel',
  'numero_desconectado',
  'provedor_indisponivel',
  'operador',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** The context of a turn: data and pure functions only. */
export interface Moment {
  /** ms. */
  readonly now: number;
  /** The total time that the journey was paused, in ms, without a present pause. */
  readonly pausedMs: number;
  /** Since when it is paused (ms); absent while it is active. */
  readonly pausedAt?: number | undefined;
  /** The organization's time zone, of the IANA list. */
  readonly timeZone: string;
  /** The end of the organization's quiet hours for a channel at a time (ms); the time itself if there are none. */
  readonly quietUntil: (channel: Channel, at: number) => number;
  /** Whether the contact meets the conditions now. */
  readonly matches: (tree: FilterTree) => boolean;
}

/** The result of an effect. */
export type EffectResult =
  | { readonly kind: 'done'; readonly detail?: string | undefined }
  | { readonly kind: 'sent'; readonly messageId: Id<'message'> }
  /** Not done for this contact: opted out, without an address, or above the frequency cap. The run continues. */
  | { readonly kind: 'skipped'; readonly detail: string }
  /** Permanently refused. A webhook's run ends in `erro`; others continue. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** An attempt of a webhook failed and a retry may succeed. */
  | { readonly kind: 'failed'; readonly detail: string }
  /** The journey cannot continue for anybody: it pauses, and the step is retried when it is resumed. */
  | { readonly kind: 'blocked'; readonly reason: PauseReason };

/** An input to a run. A result names its visit and attempt, and is ignored for any other. */
export type Input =
  /** It is due, its journey was resumed, or its worker crashed during an effect. */
  | { readonly kind: 'due' }
  | {
      readonly kind: 'result';
      readonly step: string;
      readonly visit: number;
      readonly attempt: number;
      readonly result: EffectResult;
    }
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'signal'; readonly signal: Signal }
  | { readonly kind: 'cancel'; readonly reason: CancelReason };

/** The visit and attempt of an effect: with the run's id its idempotency key. */
interface EffectPlace {
  readonly step: string;
  readonly visit: number;
  /** From 1; above 1 for webhooks only. */
  readonly attempt: number;
}
/** A step's action outside of the run. */
export type Action =
  | { readonly kind: 'send'; readonly message: JourneyMessage }
  | ({ readonly kind: 'tag' } & StepConfigs['etiqueta'])
  | ({ readonly kind: 'attribute' } & StepConfigs['atributo'])
  | ({ readonly kind: 'move_card' } & CardMove)
  | ({ readonly kind: 'webhook' } & WebhookCall);
/** An action to perform, whose `result` is a later input. Must be idempotent for the same visit and attempt. */
export type PerformedEffect = EffectPlace & Action;
/** The requested effects of a turn. A pause or a conversion has no result: each is part of the transaction that stores the run. */
export type Effect =
  | PerformedEffect
  | {
      readonly kind: 'pause_journey';
      readonly reason: PauseReason;
      readonly step: string;
      readonly label?: string | undefined;
    }
  | { readonly kind: 'convert'; readonly event: RunEvent };

/** A run after a turn: the same object if the input changed nothing. `history`: the new entries. */
export interface Turn {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly history: readonly HistoryEntry[];
  /**
   * The run could continue, but the turn has the maximum number of entries for one transaction: it must be given `due` again immediately.
   */
  readonly continues: boolean;
}
