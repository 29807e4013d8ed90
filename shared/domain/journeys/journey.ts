import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Channel } from '../message/channel.ts';
import type { ContactsShown } from './contacts-shown.ts';
import type { JourneySettings } from './definition.ts';
import type { PauseReason } from './turn.ts';

/** A journey's statuses (docs/spec/journeys.md#statuses). */
export const JOURNEY_STATUSES = ['rascunho', 'ativa', 'pausada', 'arquivada'] as const;
export type JourneyStatus = (typeof JOURNEY_STATUSES)[number];

/** Why a journey is paused, at which step, and since when (ms). */
export interface JourneyPause {
  readonly reason: PauseReason;
  readonly step: string;
  readonly label?: string | undefined;
  readonly at: number;
}

/** A version of a journey without its graph (docs/spec/journeys.md). Times in ms. */
export interface Journey extends Tenant, JourneySettings {
  readonly id: Id<'journey'>;
  /** The first version's id; its own for the first. */
  readonly rootId: Id<'journey'>;
  /** The version number, from 1. */
  readonly number: number;
  /** The revision of its graph: incremented by each change of a draft. */
  readonly revision: number;
  readonly name: string;
  readonly status: JourneyStatus;
  readonly pause?: JourneyPause | undefined;
  /** The total time that it was paused, in ms, without a present pause. */
  readonly pausedMs: number;
  readonly pausedAt?: number | undefined;
  readonly activatedAt?: number | undefined;
  readonly replacedBy?: Id<'journey'> | undefined;
  /** Takes no entries any more: a newer version was activated. */
  readonly entriesClosed?: boolean | undefined;
  /** How much of contacts its webhook steps post; absent: only ids. */
  readonly contactsShown?: ContactsShown | undefined;
  /** Derived from its graph, for lists: its channels, and the steps of its main path. */
  readonly channels: readonly Channel[];
  readonly flow: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock. */
  readonly version: number;
}
