import type { Tenant } from '../core/actor.ts';
import type { CursorItems, GivenCursor } from '../core/cursor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { JOURNEY_ITSELF, VALUE_SCALE } from './counting.ts';
import type { EnginePorts } from './engine-ports.ts';
import { type Entered, type EntryPorts, enter } from './enter.ts';
import { notNow, type Owner } from './find.ts';
import type { Journey } from './journey.ts';
import { moveRun } from './move-run.ts';
import type { JourneyStore } from './ports.ts';
import type { HistoryEntry, Run, RunStatus } from './run.ts';
import type { Counts, StoredRun } from './run-ports.ts';
import { runView, runWithHistoryView } from './run-view.ts';
import { takesEntries } from './trigger.ts';

/** The requested page of a journey's runs or of a run's history, and the scope in which its cursors are valid. */
export interface RunsRequest extends GivenCursor {
  readonly limit: number;
}
export interface RunFilter {
  readonly status?: RunStatus | undefined;
  readonly contactId?: Id<'contact'> | undefined;
}

/** Ports of the operations on runs. */
export interface RunsPorts extends Pick<EnginePorts, 'clock' | 'runs'> {
  readonly journeys: Pick<JourneyStore, 'read'>;
  readonly page: (
    journey: Journey,
    filter: RunFilter,
    request: RunsRequest,
  ) => Promise<CursorItems<StoredRun> | Refusal<'BAD_REQUEST'>>;
  /** A page of a run's history, oldest first. */
  readonly historyPage: (
    stored: StoredRun,
    request: RunsRequest,
  ) => Promise<CursorItems<HistoryEntry> | Refusal<'BAD_REQUEST'>>;
}

/** A version of a journey of the caller's organization. */
const findVersion = async (
  { journeys }: Pick<RunsPorts, 'journeys'>,
  { organizationId }: Owner,
  id: Id<'journey'>,
): Promise<Journey | Refusal<'NOT_FOUND'>> =>
  (await journeys.read(organizationId, id)) ?? refuse('NOT_FOUND', 'There is no such journey.');

/** The total time that a version was paused until `now`, including a present pause, in ms. */
const pausedUntil = ({ pausedMs, pausedAt }: Journey, now: number): number =>
  pausedMs + (pausedAt === undefined ? 0 : now - pausedAt);

/** A page of the runs of a version, latest first. A page may have fewer than `limit` and still a next one. */
export const listRuns = async (
  ports: RunsPorts,
  owner: Owner,
  id: Id<'journey'>,
  filter: RunFilter,
  request: RunsRequest,
): Promise<{ items: ReturnType<typeof runView>[]; nextCursor?: string } | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const journey = await findVersion(ports, owner, id);
  if (isRefusal(journey)) return journey;
  const page = await ports.page(journey, filter, request);
  if (isRefusal(page)) return page;
  const paused = pausedUntil(journey, ports.clock());
  return { ...page, items: page.items.map(({ run }) => runView(run, paused)) };
};

interface Found {
  readonly journey: Journey;
  readonly stored: StoredRun;
}
const findRun = async (
  ports: RunsPorts,
  owner: Owner,
  id: Id<'journey'>,
  runId: Id<'run'>,
): Promise<Found | Refusal<'NOT_FOUND'>> => {
  const journey = await findVersion(ports, owner, id);
  if (isRefusal(journey)) return journey;
  const [stored] = await ports.runs.read([runId]);
  if (stored?.run.journeyId !== id) return refuse('NOT_FOUND', 'There is no such run.');
  return { journey, stored };
};

type RunAnswer = ReturnType<typeof runWithHistoryView>;
const viewOf = async (
  ports: RunsPorts,
  { journey, stored }: Found,
  request: RunsRequest,
): Promise<RunAnswer | Refusal<'BAD_REQUEST'>> => {
  const history = await ports.historyPage(stored, request);
  return isRefusal(history) ? history : runWithHistoryView(stored.run, history, pausedUntil(journey, ports.clock()));
};

/** A run of a version with a page of its history. */
export const getRun = async (
  ports: RunsPorts,
  owner: Owner,
  id: Id<'journey'>,
  runId: Id<'run'>,
  request: RunsRequest,
): Promise<RunAnswer | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const found = await findRun(ports, owner, id, runId);
  return isRefusal(found) ? found : viewOf(ports, found, request);
};

/**
 * Cancels an active run, and returns it with the first page of its history. No effect on a cancelled one; 409 for one that ended otherwise.
 */
export const cancelRun = async (
  ports: RunsPorts & { readonly engine: EnginePorts },
  owner: Owner,
  id: Id<'journey'>,
  runId: Id<'run'>,
  request: RunsRequest,
): Promise<RunAnswer | Refusal<'BAD_REQUEST' | 'CONFLICT' | 'NOT_FOUND'>> => {
  const found = await findRun(ports, owner, id, runId);
  if (isRefusal(found)) return found;
  if (found.stored.run.status === 'ativa') await moveRun(ports.engine, runId, { kind: 'cancel', reason: 'operador' });
  const after = await findRun(ports, owner, id, runId);
  if (isRefusal(after)) return after;
  return after.stored.run.status === 'cancelada'
    ? viewOf(ports, after, request)
    : notNow('The run has come to its end.');
};

/** The contacts that a caller enters, and the data. */
export interface EntriesRequest {
  readonly contactIds: readonly Id<'contact'>[];
  readonly variaveis?: Run['variables'] | undefined;
}

/** The result for each contact, in the order of the request. */
const entriesView = (contactIds: readonly Id<'contact'>[], answers: readonly Entered[]) => {
  const items = contactIds.map((contactId, at) => {
    const answer = answers[at] ?? { refusal: 'ja_ativa' as const };
    return 'runId' in answer ? { contactId, runId: answer.runId } : { contactId, motivo: answer.refusal };
  });
  const runs = answers.flatMap((answer) => ('runId' in answer ? answer.runId : []));
  // A contact that is listed twice enters once.
  return { entraram: new Set(runs).size, items };
};

/**
 * Enters contacts into an active version with a `manual` trigger, and returns for each whether it entered, or why not. 409 for a version
 * that takes no entries now, or has another trigger.
 */
export const enterByHand = async (
  ports: EntryPorts & Pick<RunsPorts, 'journeys'>,
  owner: Tenant,
  id: Id<'journey'>,
  { contactIds, variaveis: variables }: EntriesRequest,
): Promise<ReturnType<typeof entriesView> | Refusal<'CONFLICT' | 'NOT_FOUND'>> => {
  const journey = await findVersion(ports, owner, id);
  if (isRefusal(journey)) return journey;
  if (journey.gatilho.tipo !== 'manual') return notNow('Contacts enter this journey only by its trigger.');
  if (!takesEntries(journey)) return notNow('The journey accepts no entries now.');
  const cause = { key: newId('request'), at: ports.clock() };
  const answers = await enter(
    ports,
    journey,
    contactIds.map((contactId) => ({ contactId, cause, variables })),
  );
  return entriesView(contactIds, answers);
};

/** The counters of a version: of its runs, and by step key. */
export interface JourneyTotals {
  readonly runs: Counts;
  readonly steps: ReadonlyMap<string, Counts>;
}
const at = (counts: Counts | undefined, name: string): number => counts?.[name] ?? 0;

const stepMetrics = (chave: string, counts: Counts | undefined) => ({
  chave,
  entraram: at(counts, 'entraram'),
  esperando: at(counts, 'entraram') - at(counts, 'sairam'),
  sairam: at(counts, 'sairam'),
  enviadas: at(counts, 'sent'),
  entregues: at(counts, 'delivered'),
  lidas: at(counts, 'read'),
  clicadas: at(counts, 'clicked'),
  falhas: at(counts, 'failed'),
  puladas: at(counts, 'puladas'),
});

/** The number of runs per status, from the counters. */
export const runsByStatus = (runs: Counts | undefined) => {
  const [concluida, cancelada, erro] = [at(runs, 'concluidas'), at(runs, 'canceladas'), at(runs, 'erros')];
  // Shards are read one after the other, so an end may be counted whose start was not read yet.
  return { ativa: Math.max(0, at(runs, 'entradas') - concluida - cancelada - erro), concluida, cancelada, erro };
};

/** The metrics of a version (docs/spec/journeys.md#metrics), its steps in their order. */
const metricsOf = (steps: readonly string[], totals: JourneyTotals) => {
  const { runs } = totals;
  const { ativa, concluida, cancelada, erro } = runsByStatus(runs);
  const all = [...totals.steps].filter(([key]) => key !== JOURNEY_ITSELF).map(([, counts]) => counts);
  return {
    entradas: at(runs, 'entradas'),
    ativas: ativa,
    concluidas: concluida,
    canceladas: cancelada,
    erros: erro,
    conversoes: at(runs, 'conversoes'),
    valorConvertido: at(runs, 'valorConvertido') / VALUE_SCALE,
    coins: all.reduce((sum, counts) => sum + at(counts, 'coinsHeld') + at(counts, 'coinsCaptured'), 0),
    passos: steps.map((key) => stepMetrics(key, totals.steps.get(key))),
  };
};

/** The metrics of a version's runs and messages. */
export const journeyMetrics = async (
  ports: {
    readonly journeys: Pick<JourneyStore, 'read' | 'readGraph'>;
    readonly totals: (journey: Journey) => Promise<JourneyTotals>;
  },
  owner: Owner,
  id: Id<'journey'>,
): Promise<ReturnType<typeof metricsOf> | Refusal<'NOT_FOUND'>> => {
  const journey = await findVersion(ports, owner, id);
  if (isRefusal(journey)) return journey;
  const [{ passos }, totals] = await Promise.all([ports.journeys.readGraph(journey), ports.totals(journey)]);
  return metricsOf(
    passos.map(({ chave }) => chave),
    totals,
  );
};
