import { expect } from 'vitest';

/** The steps of a history of runs. */
export const HAPPENINGS = [
  'entries',
  'entries for one of two things',
  'events',
  'receipts',
  'pauses',
  'resumptions',
  'cancels',
  'credits that run out',
  'credits that come back',
  'jumps of the clock',
  'crashes before a write',
  'crashes after a write',
  'repeats',
  'events reported late and again',
  'runs taken in another order',
  'runs taken up twice at once',
  'conflicts',
  'throttles',
  'lost answers',
] as const;
export type HappeningName = (typeof HAPPENINGS)[number];

/** Those of a history whose sends are paid for. */
export const PAID_HAPPENINGS: readonly HappeningName[] = [
  'entries',
  'events',
  'receipts',
  'pauses',
  'resumptions',
  'credits that run out',
  'credits that come back',
  'jumps of the clock',
  'crashes before a write',
  'crashes after a write',
  'repeats',
  'runs taken in another order',
];

/** How often each of them happened, in histories that are over. */
export class Tally {
  readonly counts: Record<string, number> = {};

  note(name: HappeningName | 'histories' | 'contacts' | 'runs' | 'effects', by = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  /** Fails unless each of these happened. */
  expectEach(names: readonly HappeningName[] = HAPPENINGS): void {
    for (const name of names) expect(this.counts[name] ?? 0, name).toBeGreaterThan(0);
  }

  get text(): string {
    return Object.entries(this.counts)
      .map(([name, count]) => `${name}: ${count.toLocaleString('en-US')}`)
      .join(', ');
  }
}
