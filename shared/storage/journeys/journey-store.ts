import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { JourneyStore, WholeJourney } from '../../domain/journeys/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { journeyUseWrite, usesJourneys } from '../automation/journey-use.ts';
import { coalescedRead } from '../client/coalescer.ts';
import { fullRows } from '../client/pages.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readOwnRow, readRow } from '../read-row.ts';
import { GraphCache } from './graph-cache.ts';
import { type HeaderSealer, readGraphRows } from './graph-rows.ts';
import { entryJobRows, moveEntries, moveSweep, sweepRows } from './job-rows.ts';
import { announcement, journeyRows, lineageRows, triggerRows } from './journey-rows.ts';
import { type JourneyStoragePorts, saveJourney } from './save-journey.ts';

/** Maximum reads of a version with its graph that encounter a concurrent change. */
const MAX_READS = 8;
const { sk: JOURNEY_SORT_KEY } = KEYS.journey('' as Id<'journey'>);
/** The graph sorts right before its version. */
const WITH_GRAPH = { text: '#sk BETWEEN :from AND :to', values: { from: 'G#', to: JOURNEY_SORT_KEY } };

/** A version with its graph; another organization's counts as missing. One consistent query. */
const readWhole =
  (table: Table, sealer: HeaderSealer) =>
  async (id: Id<'journey'>, organizationId?: Id<'organization'>): Promise<WholeJourney | undefined> => {
    const { pk: partition } = KEYS.journey(id);
    for (let reads = 0; reads < MAX_READS; reads++) {
      const rows = await table.queryAll({ partition, sort: WITH_GRAPH, consistent: true });
      const own = rows.find(({ sk }) => sk === JOURNEY_SORT_KEY);
      if (!own || (organizationId !== undefined && own.org !== organizationId)) return undefined;
      const journey = journeyRows.read(own);
      const parts = rows.filter((row) => row !== own);
      const graph = await readGraphRows(sealer, journey, parts);
      if (graph) return { journey, graph };
    }
    throw new Unavailable('The journey changed at every read.');
  };

const caches = new WeakMap<Table, GraphCache>();
const cacheOf = (table: Table): GraphCache => {
  const cache = caches.get(table) ?? new GraphCache();
  caches.set(table, cache);
  return cache;
};

/** Journeys in the table of one stage. */
export const journeyStore = (table: Table, ports: JourneyStoragePorts): JourneyStore => {
  const whole = readWhole(table, ports.sealer);
  return {
    save: saveJourney(table, ports),
    read: (organizationId, id) => readOwnRow(table, organizationId, KEYS.journey(id), journeyRows.read),
    // Runs processed concurrently often have the same version: they share a read of its row.
    async find(id) {
      const [row] = await coalescedRead(table, [KEYS.journey(id)]);
      return row && journeyRows.read(row);
    },
    readWhole: (organizationId, id) => whole(id, organizationId),
    readGraph: ({ id, revision }) =>
      cacheOf(table).get(id, revision, async () => {
        const found = await whole(id);
        if (!found) throw new TypeError('a journey without a graph');
        return { graph: found.graph, revision: found.journey.revision };
      }),
    readLineage: (rootId) => readRow(table, KEYS.journeyLineage(rootId), lineageRows.read),
    readEntries: (id) => readRow(table, KEYS.journeyEntries(id), entryJobRows.read),
    readSweep: (id) => readRow(table, KEYS.journeySweep(id), sweepRows.read),
    moveEntries: (before, after) => moveEntries(table, before, after),
    moveSweep: (before, after) => moveSweep(table, before, after),
    async all(organizationId) {
      const { gsi1pk: partition } = INDEX_KEYS.journeysOf(organizationId, '', '');
      const keys = await table.queryAll({ index: 'gsi1', partition, newestFirst: true, only: ['pk', 'sk'] });
      const journeys = (await fullRows(table, keys)).map(journeyRows.read);
      // The index may still contain one that was archived a moment ago.
      return journeys.filter(({ status }) => status !== 'arquivada');
    },
    async announce(journey, now) {
      const { organizationId } = journey;
      const announced = announcement(journey, now);
      await Promise.all([
        announced && table.write(announced),
        (await usesJourneys(table, organizationId)) || table.write(journeyUseWrite(organizationId, now)),
      ]);
    },
    async triggers(organizationId, tipo, target) {
      const { pk: partition, sk: prefix } = KEYS.journeyTrigger(organizationId, tipo, target, '');
      const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
      const rows = await table.queryAll({ partition, sort, consistent: true });
      return rows.map(triggerRows.read);
    },
  };
};
