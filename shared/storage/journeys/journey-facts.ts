import type { Id } from '../../domain/core/ids.ts';
import type { Journey } from '../../domain/journeys/journey.ts';
import type { JourneyFacts } from '../../domain/journeys/journey-view.ts';
import { runsByStatus } from '../../domain/journeys/runs.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { listRows } from '../lists/list-rows.ts';
import { readSegmentName } from '../segments/segments.ts';
import { readAllRunCounts, readRunCounts } from './run-counts.ts';

const distinct = <T>(values: readonly (T | undefined)[]): T[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
const readSummary = listRows.pick('name', 'size');

/** The lists and segments of journeys, in their present state; deleted ones are omitted. */
const readAudiences = async (table: Table, journeys: readonly Journey[]): Promise<Omit<JourneyFacts, 'runs'>> => {
  const [first] = journeys;
  const listIds = distinct(journeys.map(({ gatilho }) => gatilho.listId));
  const segmentIds = distinct(journeys.map(({ gatilho }) => gatilho.segmentId));
  const none = { lists: new Map(), segments: new Map() };
  if (!first || listIds.length + segmentIds.length === 0) return none;
  const owner: Id<'organization'> = first.organizationId;
  const keys = [...listIds.map((id) => KEYS.list(owner, id)), ...segmentIds.map((id) => KEYS.segment(owner, id))];
  const rows = await table.getMany(keys);
  const lists = listIds.flatMap((id, at) => {
    const row = rows[at];
    return row ? [[id, readSummary(row)] as const] : [];
  });
  const segments = segmentIds.flatMap((id, at) => {
    const row = rows[listIds.length + at];
    return row ? [[id, readSegmentName(row)] as const] : [];
  });
  return { lists: new Map(lists), segments: new Map(segments) };
};

/** The number of runs of the versions that were ever activated; a single version is read alone. */
const readRuns = async (table: Table, journeys: readonly Journey[]): Promise<JourneyFacts['runs']> => {
  const [first, ...others] = journeys.filter(({ activatedAt }) => activatedAt !== undefined);
  if (!first) return new Map();
  const { id, organizationId } = first;
  if (others.length > 0) {
    const counts = await readAllRunCounts(table, organizationId);
    return new Map([...counts].map(([of, runs]) => [of, runsByStatus(runs)] as const));
  }
  return new Map([[id, runsByStatus(await readRunCounts(table, { organizationId, journeyId: id }))]]);
};

/** The facts that responses show of versions besides their rows. One round trip per 100 lists and segments, and one for the runs. */
export const readJourneyFacts = async (table: Table, journeys: readonly Journey[]): Promise<JourneyFacts> => {
  const [audiences, runs] = await Promise.all([readAudiences(table, journeys), readRuns(table, journeys)]);
  return { ...audiences, runs };
};
