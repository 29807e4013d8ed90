/*
 * How a message that comes in parts is put together, whichever way it goes: parts of submit_sm (assembly.ts), and parts of what people write
 * (reply-parts.ts). Any process may receive any part, in any order, and more than once.
 */

/** Bytes of a text, as they came, in base64. */
export interface EncodedText {
  readonly coding: number;
  readonly bytes: string;
}

/** What each part says of itself. */
export interface AnyPart {
  /** 1 to the total. */
  readonly number: number;
  /** Of all that it says: a repeat has the same. */
  readonly digest: string;
  /** What it takes of the room of a message: of its text, at least. */
  readonly characters: number;
}

/** What the parts of a message have in common. */
export interface AnyHead<I extends string> {
  readonly id: I;
  readonly total: number;
  /** When its first part came. */
  readonly startedAt: number;
  /** When it is looked after: it waits for parts until then. Absent once there is nothing to do. */
  readonly dueAt?: number | undefined;
}

/** A message in parts. */
export interface AnyAssembly<I extends string = string, P extends AnyPart = AnyPart> extends AnyHead<I> {
  /** Absent while parts are taken. */
  readonly state?: string | undefined;
  /** By their numbers. */
  readonly parts: readonly P[];
  /** Characters of its parts, at least. */
  readonly characters: number;
  /** How often it changed: a change of what was read fails where it changed since. */
  readonly version: number;
}

/** The assembly to which parts of a reference belong now. */
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
  /** Begins an assembly for a reference in the place of another; answers the one that has it now, which another process may have begun. */
  begin(
    owner: Owner,
    reference: string,
    before: H['id'] | undefined,
    next: CurrentAssembly<H['id']>,
  ): Promise<CurrentAssembly<H['id']>>;
  /** Adds a part to what is open, has no part of that number, and room for its characters; the assembly as it is now, whether it was added or not. */
  add(head: H, part: P): Promise<{ readonly added: boolean; readonly assembly: A }>;
  read(id: H['id']): Promise<A | undefined>;
  /** Replaces an assembly that is still as it was read; false when it is not. */
  change(before: A, after: A): Promise<boolean>;
}

export const partOf = <P extends AnyPart>({ parts }: { readonly parts: readonly P[] }, number: number): P | undefined =>
  parts.find((part) => part.number === number);

/** Whether all parts are there, and nothing became of them yet. */
export const isComplete = ({ state, parts, total }: Pick<AnyAssembly, 'parts' | 'state' | 'total'>): boolean =>
  state === undefined && parts.length === total;

/** Whether a part is there already, saying the same. */
export const isRepeat = (assembly: Pick<AnyAssembly, 'parts'>, { number, digest }: AnyPart): boolean =>
  partOf(assembly, number)?.digest === digest;
