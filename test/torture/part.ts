/** One part of the torture: does `count` of its work, or what it can in its time, and says in figures what it found. */
export interface Part {
  /** What the whole is; the tests run a share. */
  readonly whole: number;
  readonly unit: string;
  /** Throws with the first fault, and with how to see it again. */
  run(options: PartOptions): Promise<Report>;
}

export interface PartOptions {
  readonly count: number;
  readonly seed: number;
  /** Whether its time is over. */
  readonly late: () => boolean;
}

export interface Report {
  /** How much was done, in the part's unit. */
  readonly done: number;
  /** Further figures, in the order in which they are printed. */
  readonly figures: Readonly<Record<string, string | number>>;
}

/** A generator of numbers in [0, 1) that a seed repeats (mulberry32). */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** A shuffled copy. */
export const shuffled = <T>(items: readonly T[], random: () => number): T[] => {
  const copy = [...items];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [copy[at], copy[other]] = [copy[other] as T, copy[at] as T];
  }
  return copy;
};
