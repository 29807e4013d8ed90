import type { Engine } from './engine.ts';
import { Flights } from './flights.ts';
import { IndexLag } from './index-lag.ts';
import { draws } from './model.ts';
import type { Throttle } from './refusals.ts';
import type { LawSettings } from './settings.ts';
import { type KeyUse, Throughput } from './throughput.ts';
import { RequestTokens } from './tokens.ts';

/** The kinds of refusals of the table; a call counts once, an item of a batch or a place of a transaction each. */
export type RefusalKind =
  /** An operation of a transaction whose item is in another one. */
  | 'transactionConflicts'
  /** A single write of an item that is in a transaction. */
  | 'writeConflicts'
  /** An operation of a transactional read whose item is being written. */
  | 'readConflicts'
  | 'partitionThrottles'
  | 'indexPartitionThrottles'
  | 'tableThrottles'
  | 'indexThrottles'
  | 'tokensInProgress'
  | 'tokenMismatches'
  | 'unprocessedItems'
  | 'unprocessedKeys';

/** Figures since the start. */
export interface LawStatistics {
  readonly calls: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Partial<Record<RefusalKind, number>>>;
  /** How long transactions were in flight, in ms: longer than drawn where the engine is slower than that. */
  readonly meanFlightMs: number;
  /** The keys that took most units, of tables (`live`) and indexes (`live/gsi1`). */
  readonly hottest: readonly KeyUse[];
  /** Queries of an index that were answered with its present entries, because their condition was not understood. */
  readonly unpatchedQueries: number;
  /** Entries of indexes that are not shown as their rows are, at this moment. */
  readonly lateEntries: number;
}

const HOTTEST = 20;
const SMOOTHING = 0.1;

/** One table's laws: their state, and counts of rejected calls. */
export class Laws {
  readonly settings: LawSettings;
  readonly engine: Engine;
  readonly throughput: Throughput;
  readonly flights = new Flights();
  readonly tokens: RequestTokens;
  readonly lag: IndexLag;
  readonly #flight: () => number;
  /** The engine's time for a transaction, in ms, smoothed. */
  #engineMs = 0;
  readonly #flown = { count: 0, ms: 0 };
  readonly #calls = new Map<string, number>();
  readonly #refusals = new Map<RefusalKind, number>();
  #unpatched = 0;

  constructor(settings: LawSettings, engine: Engine) {
    this.settings = settings;
    this.engine = engine;
    this.throughput = new Throughput(settings);
    this.tokens = new RequestTokens(settings.clock);
    this.lag = new IndexLag(settings);
    this.#flight = draws(settings.seed, 'flight');
  }

  /** How long the next transaction is in flight, in ms. */
  flightMs(): number {
    const [from, to] = this.settings.flightMs;
    return from + this.#flight() * (to - from);
  }

  /** Delays a transaction that started then, so that with the engine's time it ends after its time in flight. */
  async wait(startedAt: number, flightMs: number): Promise<void> {
    const { clock } = this.settings;
    await clock.wait(Math.max(0, flightMs - this.#engineMs - (clock.now() - startedAt)));
  }

  /** Notes a transaction that began, went to the engine and ended at these times. */
  flown(startedAt: number, sentAt: number): void {
    const now = this.settings.clock.now();
    this.#engineMs += (now - sentAt - this.#engineMs) * SMOOTHING;
    this.#flown.count++;
    this.#flown.ms += now - startedAt;
  }

  called(action: string): void {
    this.#calls.set(action, (this.#calls.get(action) ?? 0) + 1);
  }

  refused(kind: RefusalKind, count = 1): void {
    if (count > 0) this.#refusals.set(kind, (this.#refusals.get(kind) ?? 0) + count);
  }

  throttled({ demand, limit }: Throttle): void {
    const isIndex = demand.resource.includes('/');
    if (limit === 'partition') this.refused(isIndex ? 'indexPartitionThrottles' : 'partitionThrottles');
    else this.refused(isIndex ? 'indexThrottles' : 'tableThrottles');
  }

  unpatched(): void {
    this.#unpatched++;
  }

  statistics(): LawStatistics {
    return {
      calls: Object.fromEntries(this.#calls),
      refusals: Object.fromEntries(this.#refusals),
      meanFlightMs: this.#flown.ms / Math.max(1, this.#flown.count),
      hottest: this.throughput.hottest(HOTTEST),
      unpatchedQueries: this.#unpatched,
      lateEntries: this.lag.late,
    };
  }
}
