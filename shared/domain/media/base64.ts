const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SPACE = 64;
const PAD = 65;
const NONE = 255;

/** What each byte stands for: six bits, a space that is passed over, padding, or nothing. */
const MEANING = new Uint8Array(256).fill(NONE);
for (const [value, character] of Array.from(ALPHABET).entries()) MEANING[character.charCodeAt(0)] = value;
for (const space of ' \t\r\n\f\v') MEANING[space.charCodeAt(0)] = SPACE;
MEANING['='.charCodeAt(0)] = PAD;

/** Where base64 breaks its rules: the place of the character, from 0, spaces counted. */
export class Base64Fault {
  readonly position: number;
  constructor(position: number) {
    this.position = position;
  }
}

/**
 * Reads base64 (RFC 4648, 4) in pieces of any length. Spaces and line breaks are passed over; everything else outside of the alphabet,
 * and padding anywhere but at the end, is a fault: Node's own decoder stops there in silence.
 */
export class Base64Reader {
  /** Characters of the alphabet and padding that were read. */
  characters = 0;
  #position = 0;
  #bits = 0;
  #padding = 0;

  /** Reads `piece` from `from` to `to` and writes the bytes that it completes into `into` at `length`. Answers with their end, or the first fault. */
  read(piece: Uint8Array, from: number, to: number, into: Uint8Array, length: number): number | Base64Fault {
    let [count, bits, end] = [this.characters, this.#bits, length];
    for (let at = from; at < to; at++) {
      const value = MEANING[piece[at] as number] as number;
      if (value === SPACE) continue;
      const place = count & 3;
      if (value >= PAD || this.#padding > 0) {
        if (value !== PAD || place < 2) return new Base64Fault(this.#position + at - from);
        this.#padding++;
      }
      bits = (bits << 6) | (value & 0x3f);
      count++;
      if (place !== 3) continue;
      into[end] = bits >> 16;
      into[end + 1] = bits >> 8;
      into[end + 2] = bits;
      end += 3 - this.#padding;
      bits = 0;
    }
    this.characters = count;
    this.#bits = bits;
    this.#position += to - from;
    return end;
  }

  /** Passes over a space that was written in another way than as itself. */
  skip(): void {
    this.#position++;
  }

  /** The fault of ending here: a last group that is not whole. */
  end(): Base64Fault | undefined {
    return this.characters % 4 === 0 ? undefined : new Base64Fault(this.#position);
  }
}
