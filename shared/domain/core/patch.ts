import { isoTime } from './time.ts';

/** A change (JSON Merge Patch): absent fields stay; null clears one of `Clearable`. */
export type Patch<T, Clearable extends keyof T = never> = {
  readonly [K in keyof T]?: T[K] | (K extends Clearable ? null : never) | undefined;
};

type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops undefined fields: they are absent on the wire, never null, and change nothing in a patch. */
export const definedFields = <T extends object>(fields: T): DefinedFields<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedFields<T>;

/** Moments (ms) as ISO 8601, without the undefined ones. */
export const definedTimes = <K extends string>(times: Readonly<Record<K, number | undefined>>): { [N in K]?: string } =>
  Object.fromEntries(
    Object.entries<number | undefined>(times).flatMap(([name, ms]) => (ms === undefined ? [] : [[name, isoTime(ms)]])),
  ) as { [N in K]?: string };
