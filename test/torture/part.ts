/** One part of the torture: does `count` of its work, or what it can in its time, and reports figures. */
export interface Part {
  /** The count of a whole run; the tests run a share. */
  readonly whole: number;
  readonly unit: string;
  /** Throws the first fault, with how to reproduce it. */
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
