import type { Run } from '../../domain/journeys/run.ts';
import type { Move, Start } from '../../domain/journeys/run-ports.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { TransactionPart } from '../client/transactions.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { awaitWrites, entryEnd, entryWrite, goalBegin } from './entry-rows.ts';
import { historyRow, RECENT_ENTRIES, runRow } from './run-rows.ts';

/** The writes that start a run: its entry, its row, and its registration for the journey's goal. */
export const startWrites = ({ stored, goal, ...start }: Start): readonly WriteOp[] => [
  entryWrite(stored.run, start),
  { put: runRow(stored), when: ABSENT },
  ...goalBegin(stored.run, goal),
];

/** A move with its writes, and which of them have separate conditions. */
export interface MovePart extends TransactionPart {
  readonly move: Move;
  /** Unique to the move, so that a repeat recognizes its own commit when the response was lost. */
  readonly mark: string;
  /** The write that ends the contact's entry. */
  readonly entry: WriteOp | undefined;
  /** The check that no event arrived that the run starts to wait for. */
  readonly check: WriteOp | undefined;
}

/** A run after a move without the history entries that are moved to a separate row, and that row. */
const spilled = (move: Move): { readonly after: Move['after']; readonly spill: readonly WriteOp[] } => {
  const { after } = move;
  const { history, run } = after;
  if (history.length <= RECENT_ENTRIES) return { after, spill: [] };
  const older = history.slice(0, -1);
  const first = run.historyCount - history.length;
  return {
    after: { ...after, history: history.slice(-1) },
    spill: [{ put: historyRow(run, first, older) }],
  };
};

const isEnded = ({ status }: Run): boolean => status !== 'ativa';

/** The writes of a move, without counters. `hasEntry`: false if the contact's entry is gone or another run's. */
export const movePart = (move: Move, mark: string, hasEntry = true): MovePart => {
  const { before, goal, decidedAt, events } = move;
  const { after, spill } = spilled(move);
  const taken = after.run.taken.at(-1);
  const awaits = awaitWrites(before.run, after.run, goal, { decidedAt, taken });
  const ends = hasEntry && isEnded(after.run) && !isEnded(before.run);
  const entry = ends ? entryEnd(after.run) : undefined;
  const row = runRow(after);
  return {
    move,
    mark,
    entry,
    check: awaits.check,
    writes: [
      { put: { ...row, mark }, when: atVersion(before.run.version) },
      ...spill,
      ...(entry ? [entry] : []),
      ...awaits.writes,
      ...events.map(eventWrite),
    ],
    besides: move.counts.size,
    bytes: JSON.stringify(row).length,
  };
};

/** The keys of all rows in a run's partition, except the run's own row. */
export const historyRange = (runId: Run['id']) => {
  const { pk: partition, sk } = KEYS.runHistory(runId, 0);
  return {
    partition,
    sort: { text: 'begins_with(#sk, :prefix)', values: { prefix: sk.slice(0, 5) } },
    consistent: true,
  };
};
