import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { JOURNEY_ITSELF } from '../../domain/journeys/counting.ts';
import type { Journey } from '../../domain/journeys/journey.ts';
import type { JourneyFacts, RunCounts } from '../../domain/journeys/journey-view.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { listRows } from '../lists/list-rows.ts';
import { readSegmentName } from '../segments/segments.ts';
import { AUTOMATION_PARTS, AUTOMATION_ROWS } from '../table-indexes.ts';

const distinct = <T>(values: readonly (T | undefined)[]): T[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
const readSummary = listRows.pick('name', 'size');

/** The lists and segments of journeys, as they are now; without those that were deleted. */
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

const ROWS = Array.from({ length: AUTOMATION_PARTS * AUTOMATION_ROWS }, (_, at) => ({
  part: at % AUTOMATION_PARTS,
  row: Math.floor(at / AUTOMATION_PARTS),
}));
/** Versions whose counts are read at once. */
const AT_ONCE = 16;
const number = z.number().default(0);
const counted = z.object({ entradas: number, concluidas: number, canceladas: number, erros: number });

/** How many runs of a version have which status. One round trip, of the rows of its own counts alone: 32 read units, however many steps it has. */
const readRuns = async (table: Table, id: Id<'journey'>): Promise<RunCounts> => {
  const rows = await table.getMany(ROWS.map(({ part, row }) => KEYS.journeyCounts(id, part, JOURNEY_ITSELF, row)));
  const counts = rows.flatMap((row) => (row ? [counted.parse(row)] : []));
  const sumOf = (name: keyof (typeof counts)[number]) => counts.reduce((sum, row) => sum + row[name], 0);
  const [concluida, cancelada, erro] = [sumOf('concluidas'), sumOf('canceladas'), sumOf('erros')];
  // Rows are read one after the other: an end may be among them whose begin is not.
  return { ativa: Math.max(0, sumOf('entradas') - concluida - cancelada - erro), concluida, cancelada, erro };
};

/** The runs of the versions that were ever activated. */
const readRunCounts = async (table: Table, journeys: readonly Journey[]): Promise<JourneyFacts['runs']> => {
  const active = journeys.filter(({ activatedAt }) => activatedAt !== undefined);
  const read = async ({ id }: Journey) => [id, await readRuns(table, id)] as const;
  return new Map(await mapConcurrently(active, AT_ONCE, read));
};

/** What answers tell of versions besides their rows: a round trip for each 100 lists and segments that they name, and for each 16 that have runs. */
export const readJourneyFacts = async (table: Table, journeys: readonly Journey[]): Promise<JourneyFacts> => {
  const [audiences, runs] = await Promise.all([readAudiences(table, journeys), readRunCounts(table, journeys)]);
  return { ...audiences, runs };
};
