import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Plain } from './plain.ts';
import type { Crm } from './stage.ts';

/** The numbers of a step: its subject and its parameters, interpreted by the current state. */
export interface Draw {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** The state of a history besides the plain model. */
export interface Scene {
  readonly plain: Plain;
  readonly actor: Actor;
  readonly accounts: readonly Id<'account'>[];
  /** A new number for each call: for names, phones and titles that are unique. */
  readonly next: () => number;
  readonly now: () => number;
}

/** An operation on the CRM, and what the plain state makes of it. */
export interface Step<T = unknown> {
  readonly name: string;
  /** Why it is refused, by any of these: the code of the refusal, else its name. None: it is done. */
  readonly refusals: readonly string[];
  readonly run: (crm: Crm) => Promise<T>;
  /** Changes the plain state as the operation changes the stored one; `answer` has the ids that it made. */
  commit(answer: T): void;
  /** Shows whether the operation was committed, though its process ended: differs from before if so. */
  readonly witness: (crm: Crm) => Promise<unknown>;
  /** The answer of an operation that was made, whose process ended before it answered. */
  readonly found: (crm: Crm) => Promise<T>;
  /** Has the plain state follow what reads say of an operation that may be made in part; else it was made, or it was not. */
  readonly follow?: (crm: Crm) => Promise<void>;
  /** The objects that are verified afterwards. */
  readonly touches: {
    readonly pipelines?: readonly (Id<'pipeline'> | undefined)[];
    readonly companies?: readonly (Id<'company'> | undefined)[];
  };
}

/** The code of a refusal, else its name; undefined for what was done. */
export const refusalOf = (answer: unknown): string | undefined => {
  const refusal = answer as object;
  if (answer === undefined || !isRefusal(refusal)) return undefined;
  return String(refusal.details.meta?.code ?? refusal.name);
};

/** One of these by a number; undefined where there is none. */
export const pickOf = <T>(from: Iterable<T>, number: number): T | undefined => {
  const all = [...from];
  return all[number % Math.max(1, all.length)];
};

/** An id to link to: none, null for what a change clears, mostly one that is there, now and then one that is gone. */
export const linkOf = <I>(there: Iterable<I>, gone: readonly I[], number: number): I | undefined => {
  if (number % 3 === 0) return undefined;
  return number % 13 === 1 ? (pickOf(gone.slice(-3), number >> 4) ?? undefined) : pickOf(there, number >> 4);
};

/** Some of these by the bits of a number. */
export const bit = (number: number, at: number): boolean => ((number >> at) & 1) === 1;

export const checked = (...faults: (string | false | undefined)[]): string[] =>
  faults.filter((fault): fault is string => typeof fault === 'string');
