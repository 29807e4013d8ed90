import type { LoadPlan } from './load.ts';
import type { Measured } from './processes.ts';

/** What is requested of a variant. */
export type Plan = Pick<LoadPlan, 'path' | 'headers' | 'body' | 'credentials'>;

/** A server to measure beside others. */
export interface Variant {
  readonly name: string;
  /** The status that every request must return. */
  readonly status: string;
  start(): Promise<Measured & { readonly plan: Plan }>;
}
