import { type Clock, WALL_CLOCK } from './model.ts';

/**
 * The figures of the laws. Sources, in the developer guide: partitions, bp-partition-key-design.html; a table's start and growth,
 * on-demand-capacity-mode.html and warm-throughput-scenarios.html; tokens, API_TransactWriteItems.html.
 */
export interface LawSettings {
  /** Divides every limit a second, so that a small machine reaches it. Times are not stretched: the service's own waits are not either. */
  readonly scale: number;
  /** Of the times in flight and the lags of indexes. */
  readonly seed: number;
  readonly clock: Clock;
  /** Units a second of one partition key, of the table and of each index. */
  readonly partition: Readonly<Record<'read' | 'write', number>>;
  /** Units a second of a new on-demand table; guessed to be those of each of its indexes, too. */
  readonly table: Readonly<Record<'read' | 'write', number>>;
  /** Between which ms a transaction is in flight. Guessed: documentation says "single-digit" for single calls. */
  readonly flightMs: readonly [number, number];
  /** Between which ms an index entry comes after its row. Guessed: documentation says "within a fraction of a second". */
  readonly lagMs: readonly [number, number];
  /** The share of entries that come later than that, and the ms at most. Guessed: "in some unlikely failure scenarios, longer". */
  readonly lateShare: number;
  readonly lateMs: number;
}

const LAWS: LawSettings = {
  scale: 1,
  seed: 1,
  clock: WALL_CLOCK,
  partition: { read: 3_000, write: 1_000 },
  table: { read: 12_000, write: 4_000 },
  flightMs: [5, 15],
  lagMs: [0, 200],
  lateShare: 0.01,
  lateMs: 2_000,
};

const divided = ({ read, write }: LawSettings['table'], by: number) => ({ read: read / by, write: write / by });

/** The documented settings, with the given ones in their place; limits divided by the scale. */
export const lawSettings = (given: Partial<LawSettings> = {}): LawSettings => {
  const settings = { ...LAWS, ...given };
  const { scale, partition, table } = settings;
  return { ...settings, partition: divided(partition, scale), table: divided(table, scale) };
};
