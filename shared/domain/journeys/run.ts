import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { SentStatus, StepKind } from './definition.ts';
import type { Graph, SentCheck } from './graph.ts';

/** A run's statuses (docs/spec/journeys.md#runs). */
export const RUN_STATUSES = ['ativa', 'concluida', 'cancelada', 'erro'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Why a run ended: after its last step, at a `sair`, at its goal, by cancellation, or because a step failed. */
export const END_REASONS = ['fim', 'saida', 'meta', 'cancelada', 'erro'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Why a run was cancelled: by an operator, with its journey, or because its contact is gone or was merged into one with its own run. */
export const CANCEL_REASONS = ['operador', 'jornada_arquivada', 'contato_apagado', 'contato_unido'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** How a visit of a step ended, in a run's history. */
export const HISTORY_RESULTS = [
  'enviada',
  'pulada',
  'falhou',
  'passou',
  'evento',
  'tempo_esgotado',
  'sim',
  'nao',
  'ramo',
  'feito',
  'saiu',
  'meta',
  'cancelada',
  'erro',
] as const;
export type HistoryResult = (typeof HISTORY_RESULTS)[number];

/** A finished visit of a step. `at`: ms. `detail`: the branch, or the reason; never personal data. */
export interface HistoryEntry {
  readonly step: string;
  readonly kind: StepKind;
  readonly at: number;
  readonly result: HistoryResult;
  readonly messageId?: Id<'message'> | undefined;
  readonly detail?: string | undefined;
}

/**
 * Milliseconds of the journey's own clock, which stops while the journey is paused: real time minus the total paused time. The rest of a
 * wait is therefore the same before and after a pause.
 */
export type JourneyTime = number;

/** The reason why an active run is waiting at its step. */
export type Wait =
  /** Its step is to be executed, for the `attempt`-th time; if it has an effect, the result is awaited. */
  | { readonly kind: 'ready'; readonly attempt: number }
  | { readonly kind: 'duration'; readonly until: JourneyTime }
  /** A calendar time (ms), which a pause does not move. */
  | { readonly kind: 'moment'; readonly until: number }
  /** Quiet hours before a send; they end at `until` (ms). */
  | { readonly kind: 'quiet'; readonly until: number }
  /** A customer event, or the outcome of a message, until its deadline. */
  | { readonly kind: 'event'; readonly until: JourneyTime; readonly awaits: { readonly event: string } | SentCheck }
  /** The delay before the `attempt`-th attempt of an effect. */
  | { readonly kind: 'retry'; readonly until: JourneyTime; readonly attempt: number };

/** Precision of event times, in ms: callers report whole seconds, and their clocks are as imprecise. */
export const EVENT_PRECISION_MS = 1_000;

/** A customer event, or another trigger, for use in texts. */
export interface RunEvent {
  readonly id: string;
  readonly name: string;
  /** When it happened, in ms; absent: when it is reported. */
  readonly at?: number | undefined;
  readonly properties?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly value?: number | undefined;
  readonly currency?: string | undefined;
}

/** The last message that a step sent, and when each outcome first became known. */
export interface SentMessage {
  readonly messageId: Id<'message'>;
  readonly reached: { readonly [S in SentStatus]?: JourneyTime };
}
/** An outcome of a message. `messageId`: for a message with fallbacks that of the first, whichever was delivered. */
export interface Signal {
  readonly step: string;
  readonly messageId: Id<'message'>;
  readonly status: SentStatus;
}

/** A contact's run through a journey (docs/spec/journeys.md#runs). Times in ms unless they are the journey's. */
export interface Run extends Tenant {
  readonly id: Id<'run'>;
  readonly journeyId: Id<'journey'>;
  /** The first version of the journey. */
  readonly rootId: Id<'journey'>;
  readonly contactId: Id<'contact'>;
  readonly status: RunStatus;
  /** Its present step, or where it ended. */
  readonly step: string;
  /** The number of visits of each step. */
  readonly visits: Readonly<Record<string, number>>;
  /** Absent after its end. */
  readonly wait?: Wait | undefined;
  readonly beganAt: number;
  /** When its trigger happened, in ms, if that was a second or more before it started: earlier events are ignored. */
  readonly since?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly end?: { readonly reason: EndReason; readonly detail?: string | undefined } | undefined;
  readonly variables: Readonly<Record<string, string | number | boolean>>;
  /** The triggering event, then the last one that a step waited for. */
  readonly event?: RunEvent | undefined;
  /** The branch that it took at each `divisao`; a re-entry starts with those of the previous run. */
  readonly branches: Readonly<Record<string, string>>;
  /** The last message of each step that sent one. */
  readonly sent: Readonly<Record<string, SentMessage>>;
  /** Outcomes of messages that arrived before the run knew of the send. */
  readonly early: readonly (Signal & { readonly at: JourneyTime })[];
  /** Events that arrived while the journey was paused: the awaited one, and the goal. */
  readonly kept: readonly { readonly event: RunEvent; readonly at: JourneyTime }[];
  /** Ids of the latest consumed events, to ignore repeats. */
  readonly taken: readonly string[];
  /** Steps since it last waited: limited, so that no graph loops without end. */
  readonly sinceWait: number;
  /** When it reached its journey's goal; at most once. */
  readonly convertedAt?: number | undefined;
  /** The number of its history entries so far. */
  readonly historyCount: number;
  /** Optimistic lock, kept by the store. */
  readonly version: number;
}

/** The contact and data of a new run. */
export interface RunEntry
  extends Pick<Run, 'id' | 'organizationId' | 'env' | 'journeyId' | 'rootId' | 'contactId' | 'event' | 'since'> {
  readonly variables?: Run['variables'];
  /** The branches of the contact's previous run. */
  readonly branches?: Run['branches'];
}

/** Only branches of steps in the graph: those of all versions would accumulate. */
const branchesIn = ({ steps }: Graph, branches: Run['branches'] = {}): Run['branches'] =>
  Object.fromEntries(Object.entries(branches).filter(([key]) => steps.has(key)));

/** A run at the first step of its graph; `due` starts it. */
export const beginRun = (entry: RunEntry, graph: Graph, now: number): Run => ({
  ...entry,
  variables: entry.variables ?? {},
  branches: branchesIn(graph, entry.branches),
  status: 'ativa',
  step: graph.first,
  visits: { [graph.first]: 1 },
  wait: { kind: 'ready', attempt: 1 },
  beganAt: now,
  sent: {},
  early: [],
  kept: [],
  taken: entry.event ? [entry.event.id] : [],
  sinceWait: 0,
  historyCount: 0,
  version: 0,
});

/** The number of the run's visit of its present step, from 1. */
export const visitOf = ({ visits, step }: Pick<Run, 'visits' | 'step'>): number =>
  Object.hasOwn(visits, step) ? (visits[step] ?? 1) : 1;
