import type { Throttle } from './refusals.ts';
import type { LawSettings } from './settings.ts';
import type { Demand } from './units.ts';

const MINUTE_MS = 60_000;
const GROWTH_MS = 30 * MINUTE_MS;
/** The number of partition keys that are tracked; beyond it idle ones are dropped. */
const MAX_KEYS = 20_000;

/**
 * A token bucket that holds one second of its rate. A request is let in while the bucket is not empty, and may overdraw it by its own
 * units: over time the rate is exact, and an item larger than a scaled bucket still passes, later.
 *
 * No burst beyond that second is modelled: the 300 seconds of unused capacity (burst-adaptive-capacity.html) let a provisioned table
 * exceed what it has, but never a partition its 1,000 and 3,000.
 */
class Bucket {
  #level: number;
  #at: number;

  constructor(rate: number, now: number) {
    this.#level = rate;
    this.#at = now;
  }

  level(rate: number, now: number): number {
    this.#level = Math.min(rate, this.#level + ((now - this.#at) / 1000) * rate);
    this.#at = now;
    return this.#level;
  }

  take(units: number): void {
    this.#level -= units;
  }
}

/**
 * The capacity of an on-demand table: instantly up to twice its previous peak, at least that of a new one (on-demand-capacity-mode.html:
 * throttling can occur above twice the previous peak within 30 minutes). Guessed: the peak is that of the best minute, and counts once its
 * 30 minutes are over; they are counted consecutively from the first request.
 */
class Growth {
  readonly #start: number;
  #peak = 0;
  #window: number;
  #windowPeak = 0;
  #minute: number;
  #inMinute = 0;

  constructor(start: number, now: number) {
    this.#start = start;
    this.#window = now;
    this.#minute = now;
  }

  rate(now: number): number {
    if (now - this.#minute >= MINUTE_MS) {
      this.#windowPeak = Math.max(this.#windowPeak, this.#inMinute / 60);
      this.#inMinute = 0;
      this.#minute = now;
    }
    if (now - this.#window >= GROWTH_MS) {
      this.#peak = Math.max(this.#peak, this.#windowPeak);
      this.#windowPeak = 0;
      this.#window = now;
    }
    return Math.max(this.#start, 2 * this.#peak);
  }

  took(units: number): void {
    this.#inMinute += units;
  }
}

/** The consumption and the refusals of a partition key of a table or an index. */
export interface KeyUse {
  readonly resource: string;
  readonly partition: string;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly refused: number;
}
type Counted = { -readonly [Name in keyof KeyUse]: KeyUse[Name] };

/** The throughput of all tables, indexes and partition keys. */
export class Throughput {
  readonly #settings: LawSettings;
  readonly #partitions = new Map<string, Bucket>();
  readonly #tables = new Map<string, { readonly bucket: Bucket; readonly growth: Growth }>();
  readonly #uses = new Map<string, Counted>();

  constructor(settings: LawSettings) {
    this.#settings = settings;
  }

  /** The first of the demands whose bucket is empty; takes none of them. */
  refusal(demands: readonly Demand[]): Throttle | undefined {
    const now = this.#settings.clock.now();
    for (const demand of demands) {
      const empty = this.#levels(demand, now).find(({ level }) => level <= 0);
      if (!empty) continue;
      this.#use(demand).refused++;
      return { demand, limit: empty.limit };
    }
    return undefined;
  }

  /** Takes the units; with `-1` returns those of a write that did not happen. */
  take(demands: readonly Demand[], sign: 1 | -1 = 1): void {
    const now = this.#settings.clock.now();
    for (const demand of demands) {
      const units = demand.units * sign;
      const { bucket, growth } = this.#table(demand, now);
      bucket.take(units);
      growth.took(units);
      this.#partition(demand, now).take(units);
      this.#use(demand)[demand.kind === 'read' ? 'readUnits' : 'writeUnits'] += units;
    }
    if (this.#partitions.size > MAX_KEYS) this.#forget(now);
  }

  /** The keys with most units. */
  hottest(count: number): KeyUse[] {
    const units = (use: KeyUse) => use.readUnits + use.writeUnits;
    return [...this.#uses.values()].sort((one, other) => units(other) - units(one)).slice(0, count);
  }

  #levels(demand: Demand, now: number) {
    const { bucket, growth } = this.#table(demand, now);
    const partition = this.#partition(demand, now).level(this.#settings.partition[demand.kind], now);
    return [
      { limit: 'partition', level: partition },
      { limit: 'table', level: bucket.level(growth.rate(now), now) },
    ] as const;
  }

  #partition({ resource, partition, kind }: Demand, now: number): Bucket {
    const id = `${kind} ${resource} ${partition}`;
    const found = this.#partitions.get(id) ?? new Bucket(this.#settings.partition[kind], now);
    this.#partitions.set(id, found);
    return found;
  }

  #table({ resource, kind }: Demand, now: number) {
    const id = `${kind} ${resource}`;
    const start = this.#settings.table[kind];
    const found = this.#tables.get(id) ?? { bucket: new Bucket(start, now), growth: new Growth(start, now) };
    this.#tables.set(id, found);
    return found;
  }

  #use({ resource, partition }: Demand): Counted {
    const id = `${resource} ${partition}`;
    const found = this.#uses.get(id) ?? { resource, partition, readUnits: 0, writeUnits: 0, refused: 0 };
    this.#uses.set(id, found);
    return found;
  }

  /** Drops buckets that are full, and of the counted keys all but the hottest: neither changes an answer. */
  #forget(now: number): void {
    const { read, write } = this.#settings.partition;
    for (const [id, bucket] of this.#partitions) {
      const rate = id.startsWith('read ') ? read : write;
      if (bucket.level(rate, now) >= rate) this.#partitions.delete(id);
    }
    const kept = this.hottest(MAX_KEYS / 10);
    this.#uses.clear();
    for (const use of kept) this.#uses.set(`${use.resource} ${use.partition}`, use);
  }
}
