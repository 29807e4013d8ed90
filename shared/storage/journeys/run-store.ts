import { pause } from '../../domain/core/pause.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { RunStore, Start, StartOutcome } from '../../domain/journeys/run-ports.ts';
import { KEYS } from '../access-patterns.ts';
import { coalescedRead } from '../client/coalescer.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { RUN_SHARDS } from '../table-indexes.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { entryRows, lastEventWrite, readLastEvent } from './entry-rows.ts';
import { runCountWrites } from './run-counts.ts';
import { readHistory, readRun } from './run-rows.ts';
import { historyRange, startWrites } from './run-writes.ts';
import { meetings, moveSaver, reasonsOf } from './save-moves.ts';

/** Runs started in one transaction: each is three rows, and their counters are two. */
const MAX_STARTS = 32;

/** The longest pause before a conflict is retried, in ms. */
const MAX_PAUSE_MS = 40;

type Counts = Parameters<RunStore['begin']>[1];

/** Starts runs in one transaction, retrying without those that fail, so that each has its own outcome. */
const startBatch = async (table: Table, starts: readonly Start[], counts: Counts): Promise<StartOutcome[]> => {
  const outcomes = new Map<Start, StartOutcome>();
  let left = starts;
  while (left.length > 0) {
    const [first] = left;
    const parts = left.map((start) => ({ writes: startWrites(start) }));
    const counted = first ? runCountWrites(first.stored.run, counts(left.length)) : [];
    const outcome = await table.transact([...parts.flatMap(({ writes }) => writes), ...counted], {
      reportConflicts: left.length > 1,
    });
    if (outcome.ok) {
      for (const start of left) outcomes.set(start, 'begun');
      break;
    }
    if (outcome.met) {
      // Runs whose entry changed concurrently are checked again; those that only conflicted on counters use other shards.
      for (const [nth, met] of meetings(parts, outcome.met).entries())
        if (met) outcomes.set(left[nth] as Start, 'busy');
      left = left.filter((start) => !outcomes.has(start));
      await pause(Math.random() * MAX_PAUSE_MS);
      continue;
    }
    const reasons = reasonsOf(parts, outcome.reasons);
    for (const [nth, start] of left.entries()) {
      const [entry, run] = reasons[nth] ?? [];
      // The run exists: an earlier attempt was committed, and its response was lost.
      if (run?.conditionFailed) outcomes.set(start, 'begun');
      else if (entry?.conditionFailed) outcomes.set(start, 'busy');
    }
    left = left.filter((start) => !outcomes.has(start));
  }
  return starts.map((start) => outcomes.get(start) ?? 'busy');
};

/** Stores moves with the events that have subscribers. `raised` receives these once they are stored, for early publication; best effort. */
const eventSaver = (table: Table, raised: (events: readonly DomainEvent[]) => void): RunStore['save'] => {
  const save = moveSaver(table);
  return async (move) => {
    if (move.events.length === 0) return save(move);
    const events = await takenEvents(table, move.after.run.organizationId, move.events);
    const outcome = await save({ ...move, events });
    if (outcome === 'saved') raised(events);
    return outcome;
  };
};

/** Runs in the table of one stage. As `eventSaver`. */
export const runStore = (table: Table, raised: (events: readonly DomainEvent[]) => void): RunStore => ({
  async read(ids) {
    const rows = await coalescedRead(table, ids.map(KEYS.run));
    return rows.map((row) => row && readRun(row));
  },

  async historyOf({ run, history }) {
    if (run.historyCount <= history.length) return history;
    const rows = await table.queryAll(historyRange(run.id));
    return [...rows.flatMap(readHistory), ...history];
  },

  async entries(rootId, contactIds) {
    const rows = await table.getMany(
      contactIds.map((contactId) => KEYS.journeyEntry(contactId, rootId)),
      { consistent: true },
    );
    return rows.map((row) => row && entryRows.read(row));
  },

  async begin(starts, counts) {
    const outcomes: StartOutcome[] = [];
    for (let from = 0; from < starts.length; from += MAX_STARTS)
      outcomes.push(...(await startBatch(table, starts.slice(from, from + MAX_STARTS), counts)));
    return outcomes;
  },

  save: eventSaver(table, raised),

  async awaiting(contactId, name, event) {
    await table.write(lastEventWrite(contactId, name, event));
    const { pk: partition, sk: prefix } = KEYS.runAwait(contactId, name, '', '');
    const rows = await table.queryAll({
      partition,
      sort: { text: 'begins_with(#sk, :prefix)', values: { prefix: prefix.slice(0, -1) } },
      consistent: true,
    });
    return rows.map((row) => {
      const { runId, role } = PARSE_KEY.runAwait(row);
      return { runId, role: role === 'goal' ? 'goal' : 'wait' };
    });
  },

  shards: RUN_SHARDS,

  async sweepPage(journeyId, of, shard, after, limit) {
    const range =
      of === 'parked'
        ? ({ index: 'gsi3', partition: INDEX_KEYS.parkedRunsOf(journeyId, '', '', shard).gsi3pk } as const)
        : ({ index: 'gsi1', partition: INDEX_KEYS.runsOf(journeyId, of, '', '', shard).gsi1pk } as const);
    const { rows, nextKey } = await table.query({ ...range, only: ['pk', 'sk'], limit, startKey: after });
    return { ids: rows.map(PARSE_KEY.run), after: nextKey as Record<string, string> | undefined };
  },

  async eventSince(contactId, name, since) {
    const row = await table.get(KEYS.lastRunEvent(contactId, name));
    const last = row && readLastEvent(row);
    return last && last.at >= since ? { id: last.eventId, at: last.at } : undefined;
  },
});
