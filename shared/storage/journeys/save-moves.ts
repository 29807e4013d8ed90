import { Unavailable } from '../../domain/core/errors.ts';
import { randomBase62 } from '../../domain/core/ids.ts';
import { pause } from '../../domain/core/pause.ts';
import { addCounts } from '../../domain/journeys/counting.ts';
import type { JourneyCounts, Move, MoveOutcome } from '../../domain/journeys/run-ports.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { inTransactions } from '../client/transactions.ts';
import { runCountWrites } from './run-counts.ts';
import { type MovePart, movePart } from './run-writes.ts';

/** Sums the counts of several moves. */
const summed = (counts: readonly JourneyCounts[]): JourneyCounts => {
  const sums = new Map<string, Record<string, number>>();
  for (const one of counts) for (const [key, added] of one) addCounts(sums, key, added);
  return sums;
};

const countsOf = (moves: readonly Move[]): WriteOp[] =>
  [...Map.groupBy(moves, ({ after }) => after.run.journeyId).values()].flatMap((own) => {
    const [first] = own;
    return first ? runCountWrites(first.after.run, summed(own.map(({ counts }) => counts))) : [];
  });

/** The reasons of a cancelled transaction, part by part: the writes of parts come first, in order. */
export const reasonsOf = (
  parts: readonly { readonly writes: readonly WriteOp[] }[],
  reasons: readonly CancelReason[],
): readonly CancelReason[][] => {
  let from = 0;
  return parts.map(({ writes }) => {
    const to = from + writes.length;
    const own = reasons.slice(from, to);
    from = to;
    return own;
  });
};

/** The parts of a transaction that conflicted on their own rows, by the conflicting writes; counters come after all parts. */
export const meetings = (
  parts: readonly { readonly writes: readonly WriteOp[] }[],
  met: readonly number[],
): readonly boolean[] => {
  let from = 0;
  return parts.map(({ writes }) => {
    const [first, end] = [from, from + writes.length];
    from = end;
    return met.some((at) => at >= first && at < end);
  });
};

/** The result of a move according to a cancelled transaction's reasons: its outcome, the loss of its entry, or nothing. */
const verdictOf = (part: MovePart, reasons: readonly CancelReason[]): MoveOutcome | 'without_entry' | undefined => {
  const failed = (write: WriteOp | undefined) => {
    const reason = write && reasons[part.writes.indexOf(write)];
    return reason?.conditionFailed ? reason : undefined;
  };
  const own = failed(part.writes[0]);
  if (own) return own.row?.mark === part.mark ? 'saved' : 'conflict';
  if (failed(part.check)) return 'event_came';
  return failed(part.entry) ? 'without_entry' : undefined;
};

/** Attempts of moves that conflict on counters: each draws other shards. After them the table retries as long as its caller waits. */
const MAX_MEETINGS = 8;
/** The longest pause before the first retry, in ms: it grows with each attempt. */
const MAX_PAUSE_MS = 20;

/** Stores moves in one transaction, retrying without those whose own conditions fail, so that each has its own outcome. */
const saveBatch = async (table: Table, parts: readonly MovePart[]): Promise<MoveOutcome[]> => {
  const outcomes = new Map<Move, MoveOutcome>();
  let left = parts;
  for (let met = 0; left.length > 0; ) {
    const moves = left.map(({ move }) => move);
    const counts = countsOf(moves);
    const writes = [...left.flatMap((part) => part.writes), ...counts];
    const outcome = await table.transact(writes, { reportConflicts: met < MAX_MEETINGS });
    if (outcome.ok) {
      for (const move of moves) outcomes.set(move, 'saved');
      break;
    }
    if (outcome.met) {
      met += 1;
      // A run that changed concurrently is read again; runs that only conflicted on counters use other shards.
      const own = meetings(left, outcome.met);
      for (const [nth, part] of left.entries()) if (own[nth]) outcomes.set(part.move, 'conflict');
      left = left.filter((_, nth) => !own[nth]);
      await pause(Math.random() * MAX_PAUSE_MS * met);
      continue;
    }
    const reasons = reasonsOf(left, outcome.reasons);
    const next = left.flatMap((part, nth): MovePart[] => {
      const verdict = verdictOf(part, reasons[nth] ?? []);
      if (verdict === 'without_entry') return [movePart(part.move, part.mark, false)];
      if (!verdict) return [part];
      outcomes.set(part.move, verdict);
      return [];
    });
    if (next.length === left.length && next.every((part, nth) => part === left[nth]))
      throw new Unavailable('A move of a journey could not be stored.');
    left = next;
  }
  return parts.map(({ move }) => outcomes.get(move) ?? 'conflict');
};

interface Waiting {
  readonly move: Move;
  readonly answer: (outcome: MoveOutcome) => void;
  readonly fail: (fault: unknown) => void;
}

/** Calls in flight: two keep the table busy while a response is being parsed. */
const MAX_CALLS = 2;
/** Maximum moves per batch: those that do not fit into one transaction with their counters are stored in several. */
const MAX_MOVES = 12;

/**
 * Stores moves, batching concurrent ones: a transaction costs a round trip, and moves that count at the same step share a write. A failed
 * move or conflict does not affect the others.
 */
export const moveSaver = (table: Table): ((move: Move) => Promise<MoveOutcome>) => {
  const waiting: Waiting[] = [];
  let calls = 0;
  const saveNext = async (): Promise<void> => {
    const taken = waiting.splice(0, MAX_MOVES);
    const byMove = new Map(taken.map((each) => [each.move, each]));
    const parts = taken.map(({ move }) => movePart(move, randomBase62(16)));
    await Promise.all(
      inTransactions(parts).map(async (batch) => {
        try {
          const outcomes = await saveBatch(table, batch);
          for (const [at, { move }] of batch.entries()) byMove.get(move)?.answer(outcomes[at] ?? 'conflict');
        } catch (fault) {
          for (const { move } of batch) byMove.get(move)?.fail(fault);
        }
      }),
    );
  };
  const drain = async (): Promise<void> => {
    if (calls >= MAX_CALLS) return;
    calls += 1;
    // Moves of the same tick of the event loop share a call.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await saveNext();
    calls -= 1;
  };
  return (move) =>
    new Promise((answer, fail) => {
      waiting.push({ move, answer, fail });
      void drain();
    });
};
