import type { Tenant } from '../core/actor.ts';
import { derivedId, type Id } from '../core/ids.ts';
import type { JourneySettings } from './definition.ts';

const HOUR_MS = 3_600_000;

/**
 * A contact's place in a journey, all of its versions together: the run that is active, or the last one. What makes a contact have one active run at
 * most. Times in ms.
 */
export interface Entry extends Tenant {
  readonly contactId: Id<'contact'>;
  /** The first version of the journey. */
  readonly rootId: Id<'journey'>;
  readonly runId: Id<'run'>;
  readonly isActive: boolean;
  readonly beganAt: number;
  readonly endedAt?: number | undefined;
  /** The branches that the contact took, by the key of their step: it keeps them on every re-entry. */
  readonly branches?: Readonly<Record<string, string>> | undefined;
  /** How often it entered by what steps of journeys do, and since when. */
  readonly caused?: CausedEntries | undefined;
}
/** Entries of a contact in an hour that began at `since` (ms). */
export interface CausedEntries {
  readonly since: number;
  readonly count: number;
}

/** What has contacts enter a journey: something that happened to each of them. */
export interface EntryCause {
  /** Names what happened: the same thing has a contact enter once, however often it is told. */
  readonly key: string;
  /** When it happened, in ms: who may enter is judged by this moment, whenever that is. */
  readonly at: number;
  /** Steps of journeys can bring it about: bounded, so that journeys which let contacts into each other come to an end. */
  readonly byChange?: boolean | undefined;
}

/** Entries of a contact in a journey by changes of the contact, in an hour at most. */
export const MAX_CAUSED_ENTRIES = 10;
const countedNow = (caused: CausedEntries | undefined, at: number): CausedEntries =>
  caused && at < caused.since + HOUR_MS ? caused : { since: at, count: 0 };

/** What an entry tells of a contact's entries by changes, after one more for a cause. */
export const causedAfter = (
  entry: Pick<Entry, 'caused'> | undefined,
  { at, byChange }: EntryCause,
): CausedEntries | undefined => {
  if (!byChange) return entry?.caused;
  const { since, count } = countedNow(entry?.caused, at);
  return { since, count: count + 1 };
};

/** Why a contact does not enter (docs/spec/journeys.md#entries). */
export const ENTRY_REFUSALS = [
  'contato_inexistente',
  'ja_ativa',
  'ja_entrou',
  'intervalo',
  'entradas_encerradas',
  'muitas_entradas',
] as const;
export type EntryRefusal = (typeof ENTRY_REFUSALS)[number];

/** The run that something has a contact begin: told again, it names the same run. */
export const runIdOf = (rootId: Id<'journey'>, contactId: Id<'contact'>, { key }: EntryCause): Id<'run'> =>
  derivedId('run', [rootId, contactId, key]);

/** Whether a contact may begin a run, by its entry as it is: `entered` where that very run began already. */
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
  // It happened while the last run was active, and is told late or again.
  if (cause.at <= (entry.endedAt ?? entry.beganAt)) return 'ja_ativa';
  if (cause.at < entry.beganAt + intervaloReentradaHoras * HOUR_MS) return 'intervalo';
  const isOften = cause.byChange && countedNow(entry.caused, cause.at).count >= MAX_CAUSED_ENTRIES;
  return isOften ? 'muitas_entradas' : 'enters';
};
