import type { RunStore, Start, StartOutcome } from '../../domain/journeys/run-ports.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { entryRows, lastEventWrite, readLastEvent } from './entry-rows.ts';
import { readHistory, readRun } from './run-rows.ts';
import { historyRange, startWrites } from './run-writes.ts';
import { type CountWrites, moveSaver } from './save-moves.ts';

/** Runs that begin in one transaction: each is three rows, and their counts are two. */
const MAX_STARTS = 32;

type Counts = Parameters<RunStore['begin']>[1];

/** Begins runs in one transaction; without those that cannot it is tried again, so that each has its own outcome. */
const beginTogether = async (
  table: Table,
  starts: readonly Start[],
  counts: Counts,
  countWrites: CountWrites,
): Promise<StartOutcome[]> => {
  const outcomes = new Map<Start, StartOutcome>();
  let left = starts;
  while (left.length > 0) {
    const [first] = left;
    const own = left.map(startWrites);
    const counted = first ? countWrites(first.stored.run.journeyId, counts(left.length)) : [];
    const outcome = await table.transact([...own.flat(), ...counted], { reportConflicts: left.length > 1 });
    if (outcome.ok) {
      for (const start of left) outcomes.set(start, 'begun');
      break;
    }
    if (outcome.met) {
      const alone = await Promise.all(left.map((start) => beginTogether(table, [start], counts, countWrites)));
      for (const [at, start] of left.entries()) outcomes.set(start, alone[at]?.[0] ?? 'busy');
      break;
    }
    let at = 0;
    for (const [nth, start] of left.entries()) {
      const reasons = outcome.reasons.slice(at, (at += own[nth]?.length ?? 0));
      const failed = reasons.find(({ conditionFailed }) => conditionFailed);
      // The run is there: an earlier attempt was committed, and its answer was lost.
      if (failed) outcomes.set(start, reasons[1]?.conditionFailed ? 'begun' : 'busy');
    }
    left = left.filter((start) => !outcomes.has(start));
  }
  return starts.map((start) => outcomes.get(start) ?? 'busy');
};

/** Runs in the table of one stage. */
export const runStore = (table: Table, countWrites: CountWrites): RunStore => ({
  async read(ids) {
    const rows = await table.getMany(ids.map(KEYS.run), { consistent: true });
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
      outcomes.push(...(await beginTogether(table, starts.slice(from, from + MAX_STARTS), counts, countWrites)));
    return outcomes;
  },

  save: moveSaver(table, countWrites),

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

  async eventSince(contactId, name, since) {
    const row = await table.get(KEYS.lastRunEvent(contactId, name));
    const last = row && readLastEvent(row);
    return last && last.at >= since ? last.eventId : undefined;
  },
});
