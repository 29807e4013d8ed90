import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { SentStatus, StepKind } from './definition.ts';
import type { Graph, SentCheck } from './graph.ts';

/** A run's statuses (docs/spec/journeys.md#runs). */
export const RUN_STATUSES = ['ativa', 'concluida', 'cancelada', 'erro'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Why a run ended: past its last step, at a `sair`, at its goal, cancelled, or by a step that could not be done. */
export const END_REASONS = ['fim', 'saida', 'meta', 'cancelada', 'erro'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Why a run is cancelled: by an operator, with its journey, because its contact is gone, or was merged into one with a run of its own. */
export const CANCEL_REASONS = ['operador', 'jornada_arquivada', 'contato_apagado', 'contato_unido'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** How a visit of a step ended, as a run's history says it. */
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

/** A visit of a step that ended. `at`: ms. `detail`: the branch, or why; never personal data. */
export interface HistoryEntry {
  readonly step: string;
  readonly kind: StepKind;
  readonly at: number;
  readonly result: HistoryResult;
  readonly messageId?: Id<'message'> | undefined;
  readonly detail?: string | undefined;
}

/**
 * Milliseconds by the journey's own clock, which stands still while the journey is paused: the time of day less all the time that it was paused.
 * What is left of a wait is then the same before a pause and after it.
 */
export type JourneyTime = number;

/** What an active run is waiting for at its step. */
export type Wait =
  /** Its step is to be done, for the `attempt`-th time; where an effect is needed, its result is awaited. */
  | { readonly kind: 'ready'; readonly attempt: number }
  | { readonly kind: 'duration'; readonly until: JourneyTime }
  /** A moment of the calendar (ms), which a pause does not move. */
  | { readonly kind: 'moment'; readonly until: number }
  /** Quiet hours before a send; they end at `until` (ms). */
  | { readonly kind: 'quiet'; readonly until: number }
  /** A customer event, or what becomes of a message, at the latest until its deadline. */
  | { readonly kind: 'event'; readonly until: JourneyTime; readonly awaits: { readonly event: string } | SentCheck }
  /** The pause before the `attempt`-th try of an effect. */
  | { readonly kind: 'retry'; readonly until: JourneyTime; readonly attempt: number };

/** Precision of the time at which an event happened, in ms: callers report it to the second, and their clocks differ by as much. */
export const EVENT_PRECISION_MS = 1_000;

/** A customer event, or what else let the contact in, as texts may use it. */
export interface RunEvent {
  readonly id: string;
  readonly name: string;
  /** When it happened, in ms; absent: when it is told. */
  readonly at?: number | undefined;
  readonly properties?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly value?: number | undefined;
  readonly currency?: string | undefined;
}

/** The last message that a step sent, and when it was first known to be what. */
export interface SentMessage {
  readonly messageId: Id<'message'>;
  readonly reached: { readonly [S in SentStatus]?: JourneyTime };
}
/** What became of a message. `messageId`: of a message with fallbacks the first one's, whichever of them got there. */
export interface Signal {
  readonly step: string;
  readonly messageId: Id<'message'>;
  readonly status: SentStatus;
}

/** A contact's way through a journey (docs/spec/journeys.md#runs). Times in ms unless they are the journey's. */
export interface Run extends Tenant {
  readonly id: Id<'run'>;
  readonly journeyId: Id<'journey'>;
  /** The first version of the journey. */
  readonly rootId: Id<'journey'>;
  readonly contactId: Id<'contact'>;
  readonly status: RunStatus;
  /** The step that it is at, or where it ended. */
  readonly step: string;
  /** How many times it has come to each step. */
  readonly visits: Readonly<Record<string, number>>;
  /** Absent once it ended. */
  readonly wait?: Wait | undefined;
  readonly beganAt: number;
  /** When happened what let the contact in, in ms, where that was a second or more before it began: what happened before means nothing to the run. */
  readonly since?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly end?: { readonly reason: EndReason; readonly detail?: string | undefined } | undefined;
  readonly variables: Readonly<Record<string, string | number | boolean>>;
  /** The event that let it in, then the last one that a step waited for. */
  readonly event?: RunEvent | undefined;
  /** The branch that it took at each `divisao`; a re-entry begins with those of the run before. */
  readonly branches: Readonly<Record<string, string>>;
  /** The last message of each step that sent one. */
  readonly sent: Readonly<Record<string, SentMessage>>;
  /** What became of a message before its send was known to the run. */
  readonly early: readonly (Signal & { readonly at: JourneyTime })[];
  /** Events that came while the journey was paused: the one that it waits for, and the goal. */
  readonly kept: readonly { readonly event: RunEvent; readonly at: JourneyTime }[];
  /** Ids of the last events that it took: a repeat of one is not taken again. */
  readonly taken: readonly string[];
  /** Steps since it last waited: bounded, so that no graph keeps a worker going. */
  readonly sinceWait: number;
  /** When it reached its journey's goal; at most once. */
  readonly convertedAt?: number | undefined;
  /** Entries of its history so far. */
  readonly historyCount: number;
  /** Optimistic lock, kept by the store. */
  readonly version: number;
}

/** Who enters a journey, and with what. */
export interface RunEntry
  extends Pick<Run, 'id' | 'organizationId' | 'env' | 'journeyId' | 'rootId' | 'contactId' | 'event' | 'since'> {
  readonly variables?: Run['variables'];
  /** The branches of the contact's run before. */
  readonly branches?: Run['branches'];
}

/** The branches of steps that a graph has: those of all versions would grow without end. */
const branchesIn = ({ steps }: Graph, branches: Run['branches'] = {}): Run['branches'] =>
  Object.fromEntries(Object.entries(branches).filter(([key]) => steps.has(key)));

/** A run at the first step of its graph; `due` sets it going. */
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

/** Which visit of its step a run is at, from 1. */
export const visitOf = ({ visits, step }: Pick<Run, 'visits' | 'step'>): number =>
  Object.hasOwn(visits, step) ? (visits[step] ?? 1) : 1;
