/*
 * Assembly of messages that come in parts, in either direction: parts of submit_sm (assembly.ts), and parts of replies (reply-parts.ts).
 * Any process may receive any part, in any order, and more than once.
 */

/** Bytes of a text as received, in base64. */
export interface EncodedText {
  readonly coding: number;
  readonly bytes: string;
}

/** The fields of each part. */
export interface AnyPart {
  /** 1 to the total. */
  readonly number: number;
  /** A digest of the whole part: a repeat has the same. */
  readonly digest: string;
  /** Characters that it counts towards the limit of a message: at least those of its text. */
  readonly characters: number;
}

/** The common fields of a message's parts. */
export interface AnyHead<I extends string> {
  readonly id: I;
  readonly total: number;
  /** When its first part arrived. */
  readonly startedAt: number;
  /** When it is due for processing: it waits for parts until then. Absent once nothing is left to do. */
  readonly dueAt?: number | undefined;
}

/** A message in parts. */
export interface AnyAssembly<I extends string = string, P extends AnyPart = AnyPart> extends AnyHead<I> {
  /** Absent while parts are accepted. */
  readonly state?: string | undefined;
  /** By their numbers. */
  readonly parts: readonly P[];
  /** Characters of its parts; an upper bound. */
  readonly characters: number;
  /** Number of changes. Condition of each change: the version is still the one that was read. */
  readonly version: number;
}

/** The assembly that currently accepts the parts of a reference. */
export interface CurrentAssembly<I extends string> {
  readonly id: I;
  readonly startedAt: number;
}

/** Stores messages in parts. Each write is one conditional write or transaction. */
export interface AssemblyStore<
  Owner extends string,
  H extends AnyHead<string>,
  P extends AnyPart,
  A extends AnyAssembly,
> {
  /** The assembly of a reference. One read. */
  current(owner: Owner, reference: string): Promise<CurrentAssembly<H['id']> | undefined>;
  /** Starts an assembly for a reference in place of another; returns the current one, which another process may have started. */
  begin(
    owner: Owner,
    reference: string,
    before: H['id'] | undefined,
    next: CurrentAssembly<H['id']>,
  ): Promise<CurrentAssembly<H['id']>>;
  /**
   * Adds a part if the assembly is open, lacks that number and has room for its characters; returns the current assembly, whether or not
   * the part was added.
   */
  add(head: H, part: P): Promise<{ readonly added: boolean; readonly assembly: A }>;
  read(id: H['id']): Promise<A | undefined>;
  /** Replaces an assembly. Condition: it is still as it was read; false otherwise. */
  change(before: A, after: A): Promise<boolean>;
}

export const partOf = <P extends AnyPart>({ parts }: { readonly parts: readonly P[] }, number: number): P | undefined =>
  parts.find((part) => part.number === number);

/** Whether all parts have arrived and the message is still undecided. */
export const isComplete = ({ state, parts, total }: Pick<AnyAssembly, 'parts' | 'state' | 'total'>): boolean =>
  state === undefined && parts.length === total;

/** Whether the same part is already stored. */
export const isRepeat = (assembly: Pick<AnyAssembly, 'parts'>, { number, digest }: AnyPart): boolean =>
  partOf(assembly, number)?.digest === digest;
