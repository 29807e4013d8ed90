import type { Tenant } from '../core/actor.ts';
import { derivedId, type Id } from '../core/ids.ts';
import type { JourneySettings } from './definition.ts';

const HOUR_MS = 3_600_000;

/**
 * A contact's entry in a journey, across all versions: its active or last run. Ensures that a contact has at most one active run. Times in
 * ms.
 */
export interface Entry extends Tenant {
  readonly contactId: Id<'contact'>;
  /** The first version of the journey. */
  readonly rootId: Id<'journey'>;
  readonly runId: Id<'run'>;
  readonly isActive: boolean;
  readonly beganAt: number;
  readonly endedAt?: number | undefined;
  /** The branches that the contact took, by step key: it keeps them on every re-entry. */
  readonly branches?: Readonly<Record<string, string>> | undefined;
  /** How often it entered because of changes that journeys made, and since when. */
  readonly caused?: CausedEntries | undefined;
}
/** Entries of a contact in an hour that began at `since` (ms). */
export interface CausedEntries {
  readonly since: number;
  readonly count: number;
}

/** The cause of an entry: something that happened to the contact. */
export interface EntryCause {
  /** Identifies the cause: each enters a contact once, however often it is reported. */
  readonly key: string;
  /** When it happened, in ms; eligibility is evaluated for this time, whenever it is reported. */
  readonly at: number;
  /** True if journeys can cause it: limited, so that journeys which trigger each other come to an end. */
  readonly byChange?: boolean | undefined;
}

/** Maximum entries of a contact per hour that are caused by changes of the contact. */
export const MAX_CAUSED_ENTRIES = 10;
const countedNow = (caused: CausedEntries | undefined, at: number): CausedEntries =>
  caused && at < caused.since + HOUR_MS ? caused : { since: at, count: 0 };

/** The counter of an entry after one more caused entry. */
export const causedAfter = (
  entry: Pick<Entry, 'caused'> | undefined,
  { at, byChange }: EntryCause,
): CausedEntries | undefined => {
  if (!byChange) return entry?.caused;
  const { since, count } = countedNow(entry?.caused, at);
  return { since, count: count + 1 };
};

/** Why a contact can't enter (docs/spec/journeys.md#entries). */
export const ENTRY_REFUSALS = [
  'contato_inexistente',
  'ja_ativa',
  'ja_entrou',
  'intervalo',
  'entradas_encerradas',
  'muitas_entradas',
] as const;
export type EntryRefusal = (typeof ENTRY_REFUSALS)[number];

/** The id of the run that a cause starts for a contact: derived, so that a repeat gets the same run. */
export const runIdOf = (rootId: Id<'journey'>, contactId: Id<'contact'>, { key }: EntryCause): Id<'run'> =>
  derivedId('run', [rootId, contactId, key]);

/** Whether a contact may start a run, given its entry: `entered` if that very run has already started. */
export const judgeEntry = (
  entry: Pick<Entry, 'beganAt' | 'caused' | 'endedAt' | 'isActive' | 'runId'> | undefined,
  { reentrada, intervaloReentradaHoras = 0 }: Pick<JourneySettings, 'intervaloReentradaHoras' | 'reentrada'>,
  cause: EntryCause,
  runId: Id<'run'>,
): 'enters' | 'entered' | Extract<EntryRefusal, 'intervalo' | 'ja_ativa' | 'ja_entrou' | 'muitas_entradas'> => {
  if (!entry) return 'enters';
  if (entry.runId === runId) return 'entered';
  if (entry.isActive) return 'ja_ativa';
  if (reentrada === 'nunca') return 'ja_entrou';
  // It happened while the last run was active, and is reported late or again.
  if (cause.at <= (entry.endedAt ?? entry.beganAt)) return 'ja_ativa';
  if (cause.at < entry.beganAt + intervaloReentradaHoras * HOUR_MS) return 'intervalo';
  const isOften = cause.byChange && countedNow(entry.caused, cause.at).count >= MAX_CAUSED_ENTRIES;
  return isOften ? 'muitas_entradas' : 'enters';
};
