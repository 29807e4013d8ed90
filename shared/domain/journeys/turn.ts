import type { FilterTree } from '../audience/filters.ts';
import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { CardMove, JourneyMessage, StepConfigs, WebhookCall } from './graph.ts';
import type { CancelReason, HistoryEntry, Run, RunEvent, Signal } from './run.ts';

/** Why a journey pauses (docs/spec/journeys.md#pauses): by itself, for want of what every run needs, or by an operator. */
export const PAUSE_REASONS = [
  'saldo_insuficiente',
  'template_indisponivel',
  'numero_desconectado',
  'provedor_indisponivel',
  'operador',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** The moment of a turn, and what the interpreter asks about it. All of it is data or a pure function. */
export interface Moment {
  /** ms. */
  readonly now: number;
  /** All the time that the journey has been paused, in ms, without a pause that lasts. */
  readonly pausedMs: number;
  /** Since when it is paused (ms); absent while it is active. */
  readonly pausedAt?: number | undefined;
  /** The organization's time zone, of the IANA list. */
  readonly timeZone: string;
  /** The end of the organization's quiet hours for a channel at a moment (ms); the moment itself where there are none. */
  readonly quietUntil: (channel: Channel, at: number) => number;
  /** Whether the contact meets the conditions now. */
  readonly matches: (tree: FilterTree) => boolean;
}

/** What an effect came to. */
export type EffectResult =
  | { readonly kind: 'done'; readonly detail?: string | undefined }
  | { readonly kind: 'sent'; readonly messageId: Id<'message'> }
  /** It was not to be done for this contact: opted out, without an address, above the frequency cap. The run goes on. */
  | { readonly kind: 'skipped'; readonly detail: string }
  /** It was refused for good; a repeat would be refused again. A webhook's run ends in `erro`; others go on. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** A try of a webhook failed and another one may succeed. */
  | { readonly kind: 'failed'; readonly detail: string }
  /** The journey cannot go on for anybody: it pauses and the step is tried again when it goes on. */
  | { readonly kind: 'blocked'; readonly reason: PauseReason };

/** What happens to a run. A result names the visit and the try that it is of: one of another is ignored. */
export type Input =
  /** Its time has come, or its journey goes on, or it was left in the middle of an effect. */
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

/** Which visit and try of a step an effect is of: with the run's id its idempotency key. */
interface EffectPlace {
  readonly step: string;
  readonly visit: number;
  /** From 1; above 1 for webhooks only. */
  readonly attempt: number;
}
/** What a step does outside of the run. */
export type Action =
  | { readonly kind: 'send'; readonly message: JourneyMessage }
  | ({ readonly kind: 'tag' } & StepConfigs['etiqueta'])
  | ({ readonly kind: 'attribute' } & StepConfigs['atributo'])
  | ({ readonly kind: 'move_card' } & CardMove)
  | ({ readonly kind: 'webhook' } & WebhookCall);
/** An action to be done and told back as a `result`. A repeat of the same place must have no effect of its own. */
export type PerformedEffect = EffectPlace & Action;
/** What a turn asks for. Nothing is told back of a pause or a conversion: each is done in the transaction that stores the run. */
export type Effect =
  | PerformedEffect
  | {
      readonly kind: 'pause_journey';
      readonly reason: PauseReason;
      readonly step: string;
      readonly label?: string | undefined;
    }
  | { readonly kind: 'convert'; readonly event: RunEvent };

/** A run after a turn: the same object where the input changed nothing. `history`: what the turn added to it. */
export interface Turn {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly history: readonly HistoryEntry[];
  /** The run could go on, but the turn has as many entries as one transaction stores: it is to be given `due` at once. */
  readonly goesOn: boolean;
}
