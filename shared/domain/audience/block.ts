/** Contacts per block of the audience's index: those with consecutive numbers. */
export const BLOCK_SIZE = 4_096;
const WORDS = BLOCK_SIZE / 32;

/** The position of a contact's number in the index. */
export const placeOf = (number: number) => ({ block: Math.floor(number / BLOCK_SIZE), offset: number % BLOCK_SIZE });
/** The number of the contact at a position. */
export const numberAt = (block: number, offset: number): number => block * BLOCK_SIZE + offset;

/** A set of the contacts of a block: one bit per offset. */
export class BlockSet {
  readonly #words = new Uint32Array(WORDS);

  static of(offsets: Iterable<number>): BlockSet {
    const set = new BlockSet();
    for (const offset of offsets) set.add(offset);
    return set;
  }

  add(offset: number): void {
    this.#words[offset >>> 5] = (this.#words[offset >>> 5] ?? 0) | (1 << (offset & 31));
  }

  delete(offset: number): void {
    this.#words[offset >>> 5] = (this.#words[offset >>> 5] ?? 0) & ~(1 << (offset & 31));
  }

  has(offset: number): boolean {
    return (((this.#words[offset >>> 5] ?? 0) >>> (offset & 31)) & 1) === 1;
  }

  #combine(other: BlockSet, combine: (left: number, right: number) => number): BlockSet {
    const combined = new BlockSet();
    for (let at = 0; at < WORDS; at++) combined.#words[at] = combine(this.#words[at] ?? 0, other.#words[at] ?? 0);
    return combined;
  }
  and(other: BlockSet): BlockSet {
    return this.#combine(other, (left, right) => left & right);
  }
  or(other: BlockSet): BlockSet {
    return this.#combine(other, (left, right) => left | right);
  }
  without(other: BlockSet): BlockSet {
    return this.#combine(other, (left, right) => left & ~right);
  }

  get size(): number {
    let size = 0;
    for (let word of this.#words) for (; word !== 0; word &= word - 1) size += 1;
    return size;
  }

  /** The offsets, highest first: the newest contacts of the block. */
  *newestFirst(): Generator<number> {
    for (let at = WORDS - 1; at >= 0; at--) {
      const word = this.#words[at] ?? 0;
      for (let bit = 31; word !== 0 && bit >= 0; bit--) if ((word >>> bit) & 1) yield at * 32 + bit;
    }
  }
}
