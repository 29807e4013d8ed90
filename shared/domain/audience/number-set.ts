import { createHash } from 'node:crypto';

/** Numbers per chunk of a set, the unit of storage. */
export const CHUNK_NUMBERS = 65_536;
const WORD_BITS = 32;
const WORDS = CHUNK_NUMBERS / WORD_BITS;

/** One bit per number of a chunk. Immutable once it is in a set. */
type Words = Uint32Array;

/** The chunk that a number is in. */
export const chunkOf = (number: number): number => Math.floor(number / CHUNK_NUMBERS);

const onesOf = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};
const countOf = (words: Words): number => {
  let count = 0;
  for (const word of words) if (word !== 0) count += onesOf(word);
  return count;
};
const hasBit = (words: Words, within: number): boolean =>
  (((words[within >>> 5] ?? 0) >>> (within & (WORD_BITS - 1))) & 1) === 1;
const setBit = (words: Words, within: number): void => {
  words[within >>> 5] = (words[within >>> 5] ?? 0) | (1 << (within & (WORD_BITS - 1)));
};
const combined = (a: Words, b: Words, by: (a: number, b: number) => number): Words => {
  const words = new Uint32Array(WORDS);
  for (let at = 0; at < WORDS; at++) words[at] = by(a[at] ?? 0, b[at] ?? 0);
  return words;
};
const NONE = new Uint32Array(WORDS);

/** The numbers of a chunk in descending order, relative to its start. */
function* descending(words: Words): Generator<number> {
  for (let at = WORDS - 1; at >= 0; at--)
    for (let word = words[at] ?? 0; word !== 0; ) {
      const bit = WORD_BITS - 1 - Math.clz32(word);
      yield at * WORD_BITS + bit;
      word &= ~(1 << bit);
    }
}

/**
 * An immutable set of non-negative integers, such as the numbers of an organization's contacts: one bit each, in chunks of 65,536; empty
 * chunks take no memory. A million dense numbers take 125 KB.
 */
export class NumberSet implements Iterable<number> {
  /** The number of elements. */
  readonly size: number;
  readonly #chunks: ReadonlyMap<number, Words>;

  private constructor(chunks: ReadonlyMap<number, Words>) {
    const full = [...chunks].map(([chunk, words]) => ({ chunk, words, count: countOf(words) }));
    this.#chunks = new Map(full.flatMap(({ chunk, words, count }) => (count > 0 ? [[chunk, words]] : [])));
    this.size = full.reduce((sum, { count }) => sum + count, 0);
  }

  static readonly EMPTY = new NumberSet(new Map());

  /** The set of these numbers, in any order; duplicates count once. */
  static of(numbers: Iterable<number>): NumberSet {
    const chunks = new Map<number, Words>();
    for (const number of numbers) {
      const chunk = chunkOf(number);
      const words = chunks.get(chunk) ?? new Uint32Array(WORDS);
      chunks.set(chunk, words);
      setBit(words, number % CHUNK_NUMBERS);
    }
    return new NumberSet(chunks);
  }

  /** Decodes a set from its encoded chunks. Throws a RangeError for an invalid one. */
  static decode(chunks: Iterable<readonly [chunk: number, bytes: Uint8Array]>): NumberSet {
    return new NumberSet(new Map([...chunks].map(([chunk, bytes]) => [chunk, decodeWords(bytes)])));
  }

  /** Encodes a chunk for a row of the table, in at most 8 KB and a byte: as a bitmap or as steps between numbers, whichever is shorter. */
  encode(chunk: number): Uint8Array {
    return encodeWords(this.#chunks.get(chunk) ?? NONE);
  }

  /** Equal for equal sets, and only for those. */
  get digest(): string {
    const hash = createHash('sha256');
    for (const chunk of this.chunks) {
      const bytes = this.encode(chunk);
      hash.update(`${chunk} ${bytes.length} `).update(bytes);
    }
    return hash.digest('base64url');
  }

  /** The non-empty chunks, in order. */
  get chunks(): readonly number[] {
    return [...this.#chunks.keys()].sort((a, b) => a - b);
  }

  has(number: number): boolean {
    const words = this.#chunks.get(chunkOf(number));
    return words !== undefined && hasBit(words, number % CHUNK_NUMBERS);
  }

  /** The numbers in descending order: the newest contacts first. */
  *[Symbol.iterator](): Generator<number> {
    for (const chunk of this.chunks.toReversed())
      for (const within of descending(this.#chunks.get(chunk) ?? NONE)) yield chunk * CHUNK_NUMBERS + within;
  }

  /** The intersection of two sets. */
  and(other: NumberSet): NumberSet {
    return this.#with(other, (a, b) => a & b);
  }

  /** The union of two sets. */
  or(other: NumberSet): NumberSet {
    return this.#with(other, (a, b) => a | b);
  }

  /** The difference: numbers that the other set lacks. */
  andNot(other: NumberSet): NumberSet {
    return this.#with(other, (a, b) => a & ~b);
  }

  /** The numbers within these chunks. */
  within(chunks: Iterable<number>): NumberSet {
    const wanted = new Set(chunks);
    return new NumberSet(new Map([...this.#chunks].filter(([chunk]) => wanted.has(chunk))));
  }

  #with(other: NumberSet, by: (a: number, b: number) => number): NumberSet {
    const chunks = new Set([...this.#chunks.keys(), ...other.#chunks.keys()]);
    return new NumberSet(
      new Map(
        [...chunks].map((chunk) => [
          chunk,
          combined(this.#chunks.get(chunk) ?? NONE, other.#chunks.get(chunk) ?? NONE, by),
        ]),
      ),
    );
  }
}

/** The encodings, named by the first byte. */
const BITS = 0;
const STEPS = 1;

const encodeBits = (words: Words): Uint8Array => {
  const last = words.findLastIndex((word) => word !== 0);
  const bytes = new Uint8Array(1 + (last + 1) * 4);
  const view = new DataView(bytes.buffer);
  bytes[0] = BITS;
  for (let at = 0; at <= last; at++) view.setUint32(1 + at * 4, words[at] ?? 0, true);
  return bytes;
};

/** Steps as varints: 7 bits per byte, lowest first; all but a step's last byte have the high bit set. */
const encodeSteps = (words: Words): Uint8Array => {
  const bytes = [STEPS];
  let before = -1;
  for (const number of [...descending(words)].reverse()) {
    let step = number - before - 1;
    before = number;
    for (; step >= 128; step >>>= 7) bytes.push((step & 127) | 128);
    bytes.push(step);
  }
  return Uint8Array.from(bytes);
};

const encodeWords = (words: Words): Uint8Array => {
  const bits = encodeBits(words);
  // A step takes at least a byte, so with this many numbers the bitmap is shorter.
  if (countOf(words) >= bits.length) return bits;
  const steps = encodeSteps(words);
  return steps.length < bits.length ? steps : bits;
};

const decodeSteps = (bytes: Uint8Array): Words => {
  const words = new Uint32Array(WORDS);
  for (let at = 1, number = -1; at < bytes.length; at++) {
    let [step, shift] = [0, 0];
    for (; (bytes[at] ?? 0) >= 128; at++, shift += 7) step |= ((bytes[at] ?? 0) & 127) << shift;
    step |= (bytes[at] ?? 0) << shift;
    number += step + 1;
    if (number >= CHUNK_NUMBERS) throw new RangeError('a number beyond its chunk');
    setBit(words, number);
  }
  return words;
};

const decodeWords = (bytes: Uint8Array): Words => {
  if (bytes[0] === STEPS) return decodeSteps(bytes);
  const count = (bytes.length - 1) / 4;
  if (bytes[0] !== BITS || !Number.isInteger(count) || count > WORDS) throw new RangeError('not a chunk of numbers');
  const words = new Uint32Array(WORDS);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < count; at++) words[at] = view.getUint32(1 + at * 4, true);
  return words;
};
